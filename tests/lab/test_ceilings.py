"""How large Bouncer may be: each figure has its ceiling, and passing one is seen."""

import tomllib

import pytest

from lab import ceilings


def test_every_figure_has_a_ceiling_and_every_ceiling_a_figure() -> None:
    assert set(tomllib.loads(ceilings.CEILINGS.read_text())["most"]) == set(ceilings.FIGURES)


@pytest.mark.parametrize(("most", "named"), [(9, ["lines"]), (10, []), (11, [])])
def test_only_what_is_above_its_ceiling_is_named(most: int, named: list[str]) -> None:
    assert ceilings.above({"lines": most}, {"lines": 10}) == named


def test_a_passed_ceiling_fails_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ceilings, "FIGURES", {"words of the README": lambda: 10_000})
    with pytest.raises(SystemExit) as ended:
        ceilings.main()
    said = capsys.readouterr()
    assert ended.value.code == 1 and "10,000 of" in said.out and "too many" in said.out and "less" in said.err
