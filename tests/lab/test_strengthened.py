"""Published tasks with stronger tests, and SWE-ABS's mutations: read, placed in clones, or judged as texts."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from bot.commands.shared import InputError
from lab.commands.bench_variants_run import of_clones
from lab.data.files import DataError
from lab.data.git_commits import git, with_files
from lab.data.strengthened import StrengthenedTask, read_mutations, read_strengthened
from lab.variants.near_misses import VariantKind
from lab.variants.tasks import MUTATION, RIGHT, place_task
from tests.support.cases import cases

BEFORE = {"cart.py": "def total(n):\n    return n\n", "test_cart.py": "def test_old():\n    pass\n"}
AFTER = {"cart.py": "def total(n):\n    return n if n > 0 and n < 9 else 0\n"}
TESTS = {"test_cart.py": "from cart import total\n\n\ndef test_more():\n    assert total(-1) == 0\n"}
ISSUE = "total() of less than nothing\n\nExpected:\n\n    >>> total(-3)\n    0\n"
pytestmark = pytest.mark.usefixtures("offline", "own_cache")


@pytest.fixture
def clones(tmp_path: Path) -> Path:
    (tmp_path / "clones").mkdir()
    git(tmp_path, "init", "--quiet", "--bare", str(tmp_path / "clones" / "psf+requests.git"))
    return tmp_path / "clones"


def diff(clone: Path, base: str, files: dict[str, str]) -> str:
    return git(clone, "diff", base, with_files(clone, base, files)).decode()


@pytest.fixture
def row(clones: Path) -> dict[str, Any]:
    clone = clones / "psf+requests.git"
    base = with_files(clone, None, BEFORE)
    return {
        "instance_id": "psf__requests-1", "repo": "psf/requests", "base_commit": base, "problem_statement": ISSUE,
        "patch": diff(clone, base, AFTER), "test_patch": diff(clone, base, TESTS),
        "created_at": "2020-01-01T00:00:00Z", "version": "2.0", "hints_text": "",
    }  # fmt: skip


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def mutations(path: Path, **more: Any) -> Path:
    patch = "diff --git a/cart.py b/cart.py\n--- a/cart.py\n+++ b/cart.py\n@@ -1,2 +1,2 @@\n def total(n):\n"
    made = {
        "set1": {"model_patch": patch + "-    return n\n+    return n if n > 0 else 0\n", "isequ": False},
        "set2": {"model_patch": patch + "-    return n\n+    return n + 0\n", "isequ": True},
        "set3": {"model_patch": "", "isequ": False},
    }
    path.write_text(json.dumps({"psf__requests-1": {"all_mutatation_patch": made, "model_test_patch": ""}, **more}))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["bench", "variants", *map(str, arguments)])


def task_of(row: dict[str, Any], tmp_path: Path) -> StrengthenedTask:
    (task,) = read_strengthened(written(tmp_path / "rows.jsonl", row))
    return task


def test_a_task_is_placed_with_its_versions_tests_and_recipe(row: dict[str, Any], clones: Path, tmp_path: Path) -> None:
    wrong = read_mutations(mutations(tmp_path / "preds.json"))["psf__requests-1"]
    made = place_task(task_of(row, tmp_path), clones / "psf+requests.git", tmp_path / "t", wrong, 0)
    assert made is not None
    kinds = [version.kind for version in made.versions]
    assert kinds[0] == RIGHT
    assert set(kinds) == {RIGHT, MUTATION, *(kind.value for kind in VariantKind)}
    assert made.tests == {"test_cart.py": TESTS["test_cart.py"].encode()}
    assert made.run == ("test_cart.py",)
    assert made.hidden == {"test_cart.py"}
    assert made.verify.setup and "requests" not in made.tests
    text = git(made.directory, "cat-file", "blob", f"{made.versions[-1].head}:cart.py").decode()
    assert text.endswith("    return n if n > 0 else 0\n")


@pytest.mark.parametrize("change", [{"patch": "no diff\n"}, {"test_patch": "no\n"}, {"base_commit": "0" * 40}])
def test_what_cannot_be_placed_is_left_out_and_counted(
    change: dict[str, str], row: dict[str, Any], clones: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = task_of(row, tmp_path), task_of({**row, **change, "instance_id": "psf__requests-2"}, tmp_path)
    assert [task.id for task in of_clones([good, bad], {}, clones, tmp_path, 0)] == ["psf__requests-1"]
    assert "1 of 2 tasks are left out" in capsys.readouterr().err
    with pytest.raises(InputError, match=r"none of the 1 tasks can be placed\. Clone one of psf/requests"):
        of_clones([bad], {}, clones, tmp_path, 0)


def test_without_clones_patches_are_judged_as_texts(row: dict[str, Any], tmp_path: Path) -> None:
    data = written(tmp_path / "rows.jsonl", row)
    done = run("--data", data, "--mutations", mutations(tmp_path / "preds.json"), "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["executed"] is False
    found = {each["name"]: each for each in document["rows"]}
    assert (found[MUTATION]["versions"], found[RIGHT]["versions"]) == (1, 1)
    assert found[VariantKind.NARROWED.value]["wrong"]["share"] is None
    shown = run("--data", data, "--mutations", mutations(tmp_path / "preds.json")).output
    assert "nothing was run" in shown


@cases
def test_a_row_that_is_none(change: dict[str, Any], said: str, row: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(DataError, match=said):
        read_strengthened(written(tmp_path / "rows.jsonl", {**row, **change}))


@cases
def test_mutations_that_are_none(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "preds.json").write_text(text)
    with pytest.raises(DataError, match=said):
        read_mutations(tmp_path / "preds.json")


def test_bad_input_is_refused_with_the_mend(row: dict[str, Any], tmp_path: Path) -> None:
    data, other = written(tmp_path / "rows.jsonl", row), mutations(tmp_path / "preds.json")
    twice = written(tmp_path / "twice.jsonl", row, row)
    for given, said in (
        (("--mutations", other), "go with --data FILE"),
        (("--clones", tmp_path), "go with --data FILE"),
        (("--data", data), "Name clones with --clones DIR"),
        (("--data", twice), "is there twice"),
        (("--data", tmp_path / "none.jsonl"), "huggingface.co/datasets/Bertsekas/SWE-Bench_Verified_UTBoost"),
        (("--data", data, "--mutations", tmp_path / "none.json"), "github.com/OpenAgentEval/SWE-ABS, MIT"),
    ):
        done = run(*given)
        assert (done.exit_code, said in done.stderr, "Traceback" in done.output) == (2, True, False), done.output
