"""`bouncer judge patches`: BouncerBench's shape, plain refusals with exit 2, and a cut-off run taken up again."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.commands import judge_patches
from bot.commands.judge import judge
from bot.commands.predictions import Journal, journal_path
from bot.judges.offline.patches import OfflinePatchJudge
from bot.judges.patches import PatchSubject
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import PatchReview
from tests.judges.patches import BAD, CUT_OFF, GOOD, ISSUE

pytestmark = pytest.mark.usefixtures("offline")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(judge, ["patches", *(str(argument) for argument in arguments)])


def row(name: str, patch: str | None, issue: str = ISSUE) -> dict[str, Any]:
    return {"id": name, "problem_statement": issue, "model_patch": patch}


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def predictions(path: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_many_patches(tmp_path: Path) -> None:
    file = write(tmp_path / "in.jsonl", row("a", BAD), row("b", GOOD), row("c", None), row("d", CUT_OFF))
    out = tmp_path / "out.json"
    done = run(file, "--id-field", "id", "--out", out, "--json")
    assert done.exit_code == 0, done.output
    figures = json.loads(done.stdout)
    assert (figures["patches"], figures["bounced"], figures["accepted"], figures["unavailable"]) == (4, 2, 1, 1)
    assert figures["cut"] == "even"
    found = predictions(out)
    assert list(found) == ["a", "b", "c", "d"]
    assert [one["output_bounce"] for one in found.values()] == [True, False, True, False]
    assert all(set(one) == {"output_bounce", "probability", "label", "trace"} for one in found.values())
    assert found["a"]["trace"].startswith("BOUNCE: Against it: ")
    assert found["c"]["trace"] == "BOUNCE: It changes no file."
    assert found["d"]["label"] == "UNAVAILABLE"
    assert "could not be read whole" in found["d"]["trace"]
    assert set(tmp_path.iterdir()) == {file, out}


def test_a_milder_cut_bounces_less_and_other_fields_are_read(tmp_path: Path) -> None:
    file = write(tmp_path / "in.jsonl", {"name": "a", "asked": ISSUE, "diff": GOOD})
    out = tmp_path / "out.json"
    fields = ("--id-field", "name", "--text-field", "asked", "--patch-field", "diff")
    done = run(file, *fields, "--out", out, "--strictness", "lenient")
    assert done.exit_code == 0, done.output
    assert "1 patch judged by offline-patch/1, lenient: 0 to bounce, 1 accepted," in done.stdout


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ('{"id": "a", "problem_statement": "x"}\n', (), 'line 1: "model_patch" is missing or not a text. Is --patch-'),
        ('{"id": "a", "model_patch": "x"}\n', (), 'line 1: "problem_statement" is missing or not a text. Is --text-f'),
        ('{"id": "a", "problem_statement": "x", "model_patch": 3}\n', (), 'line 1: "model_patch" is missing'),
        ('{"id": "a", "problem_statement": "x", "model_patch": ""}\n' * 2, (), 'the id "a" was already on line 1'),
        ('\n{"problem_statement": "x", "model_patch": ""}\n', (), 'line 2: "id" is missing'),
        ("{\n", (), "line 1: this is not JSON"),
        ("", (), "there is no patch in it"),
    ],
)
def test_a_bad_file_names_its_line_and_nothing_is_written(
    tmp_path: Path, text: str, arguments: tuple[str, ...], said: str
) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "out.json"
    file.write_text(text, encoding="utf-8")
    out.write_text("old", encoding="utf-8")
    done = run(file, "--id-field", "id", "--out", out, "--json", *arguments)
    assert (done.exit_code, list(json.loads(done.stdout))) == (2, ["error"])
    assert said in done.stderr
    assert set(tmp_path.iterdir()) == {file, out}
    assert out.read_text(encoding="utf-8") == "old"


def test_places_that_cannot_be_written_are_said(tmp_path: Path) -> None:
    file = write(tmp_path / "in.jsonl", row("a", GOOD))
    absent = run(file, "--id-field", "id", "--out", tmp_path / "none" / "out.json")
    assert absent.exit_code == 2
    assert "there is no directory" in absent.stderr
    (tmp_path / "folder").mkdir()
    folder = run(file, "--id-field", "id", "--out", tmp_path / "folder")
    assert folder.exit_code == 2
    assert "Name a file that can be written" in folder.stderr


def test_a_models_label_takes_no_strictness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_MODEL", "some-model")
    monkeypatch.setenv("BOUNCER_MODEL_API_KEY", "key")
    file = write(tmp_path / "in.jsonl", row("a", GOOD))
    done = run(file, "--id-field", "id", "--out", tmp_path / "o", "--judge", "openai", "--strictness", "strict")
    assert done.exit_code == 2
    assert "--strictness is for the offline judge" in done.stderr


def test_nothing_judged_is_exit_3(tmp_path: Path) -> None:
    file = write(tmp_path / "in.jsonl", row("a", GOOD, ""))
    assert run(file, "--id-field", "id", "--out", tmp_path / "out.json").exit_code == 3


class Breaking(OfflinePatchJudge):
    """Ends the run at the patch of its choice, and remembers how many it was asked."""

    def __init__(self, last: int) -> None:
        super().__init__()
        self.asked = 0
        self._last = last

    def judge(self, subject: PatchSubject) -> PatchReview | NoJudgement:
        if self.asked == self._last:
            raise KeyboardInterrupt
        self.asked += 1
        return super().judge(subject)


def test_a_run_that_was_cut_off_is_taken_up_by_the_same_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "in.jsonl", row("a", BAD), row("b", CUT_OFF), row("c", GOOD), row("d", BAD))
    out = tmp_path / "out.json"
    first, second, third = Breaking(3), Breaking(2), Breaking(9)
    for one, code in ((first, 130), (second, 0)):
        monkeypatch.setattr(judge_patches, "OfflinePatchJudge", lambda *_, one=one: one)
        assert run(file, "--id-field", "id", "--out", out).exit_code == code
        assert out.exists() == (code == 0)
    assert second.asked == 2  # the one that could not be judged, and the last
    assert list(predictions(out)) == ["a", "b", "c", "d"]
    assert set(tmp_path.iterdir()) == {file, out}
    monkeypatch.setattr(judge_patches, "OfflinePatchJudge", lambda *_: third)
    run(file, "--id-field", "id", "--out", out)
    assert third.asked == 4  # a run that came to its end is not taken up


def test_a_journal_of_another_run_or_half_a_line_does_not_count(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    journal = Journal(journal_path(out), ["judge", "cut", "digest"])
    assert journal.resume() == {}
    journal.keep("a", {"label": "x"})
    journal.keep("b\u2028\n", {"label": "y"})
    part = tmp_path / "out.json.partial"
    part.write_text(part.read_text(encoding="utf-8") + '["c", {"lab', encoding="utf-8")
    assert journal.resume() == {"a": {"label": "x"}, "b\u2028\n": {"label": "y"}}
    journal.keep("c", {"label": "z"})
    assert list(journal.resume()) == ["a", "b\u2028\n", "c"]
    assert Journal(journal_path(out), ["judge", "other", "digest"]).resume() == {}
    assert journal.resume() == {}
