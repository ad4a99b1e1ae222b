"""`bouncer policy check` and `bouncer policy schema`, run as people run them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from bot.policy import Policy
from bot.policy_file import load, schema


def bouncer(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["policy", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "bouncer.yml"


def test_a_valid_file_is_shown_with_its_defaults(file: Path) -> None:
    file.write_text("mode: enforce\n")
    result = bouncer("check", file)
    assert (result.exit_code, result.stderr) == (0, "")
    first, _, shown = result.stdout.partition("\n\n")
    assert first == f"{file}: valid. With the defaults filled in:"
    assert load(shown) == load("mode: enforce"), "what is shown is itself a valid policy"


def test_a_valid_file_as_json(file: Path) -> None:
    file.write_text("")
    result = bouncer("check", file, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "file": str(file),
        "state": "valid",
        "problems": [],
        "policy": Policy().model_dump(mode="json"),
    }


def test_an_invalid_file_names_each_place(file: Path) -> None:
    file.write_text("mode: loud\nisues: {}\n")
    result = bouncer("check", file)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        f"{file}:1:7: `mode` must be `observe`, `advise` or `enforce`, not the text `loud`",
        f"{file}:2:1: unknown key `isues`; did you mean `issues`?",
    ]


def test_an_invalid_file_as_json(file: Path) -> None:
    file.write_text("isues: {}\n")
    result = bouncer("check", file, "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout) == {
        "file": str(file),
        "state": "invalid",
        "problems": [{"line": 1, "column": 1, "message": "unknown key `isues`; did you mean `issues`?"}],
        "policy": None,
    }


def test_absent_unreadable_and_invalid_are_three_states(tmp_path: Path) -> None:
    (tmp_path / "invalid.yml").write_text("x")
    (tmp_path / "unreadable.yml").mkdir()
    states = {}
    for name in ("absent", "unreadable", "invalid"):
        result = bouncer("check", tmp_path / f"{name}.yml", "--json")
        assert result.exit_code == 2
        assert f"{name}.yml" in result.stderr
        states[name] = json.loads(result.stdout)["state"]
    assert states == {"absent": "absent", "unreadable": "unreadable", "invalid": "invalid"}


def test_schema_is_printed() -> None:
    result = bouncer("schema")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == schema()
