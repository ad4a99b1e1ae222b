"""`bouncer bench variants`: versions are made, tested, judged as by the gate, counted, and kept."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from bot.policy import Verify
from bot.verdicts import Cause, Decision
from lab.commands import bench_variants, bench_variants_run
from lab.variants.near_misses import MOST, VariantKind
from lab.variants.tasks import ALL, RIGHT, GatedVersion, OwnCase, Truth, VariantTask, Version, variant_rows

NARROWED, DROPPED, SPECIAL = (kind.value for kind in VariantKind)
SHOUT = "def shout(text: str) -> str:\n    return text.upper()\n"
# Nothing in it can be mutated, so that few runs tell what its tests notice, and there is one near miss.
CASE = OwnCase(
    id="shout",
    issue="# shout() keeps spaces\n\nBoth ends should lose them. `shout(' tea time ')` should return `'TEA TIME'`.\n",
    before={
        "shout.py": SHOUT,
        "test_shout.py": "from shout import shout\n\n\ndef test_one():\n    assert shout('a') == 'A'\n",
    },
    after={"shout.py": "def shout(text: str, /) -> str:\n    return text.upper().strip()\n"},
    shown={},
    hidden={"test_hidden.py": "from shout import shout\n\n\ndef test_more():\n    assert shout('b ') == 'B'\n"},
)
pytestmark = pytest.mark.usefixtures("equal_jobs_run_once", "offline")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def one_case(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("BOUNCER_CACHE_DIR", str(home))
    monkeypatch.setattr(bench_variants, "own_cases", lambda: (CASE,))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", "variants", *arguments])


def rows(done: Result) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in json.loads(done.stdout)["rows"]}


def test_near_misses_and_the_right_change_are_judged_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    done = run("--json")
    assert done.exit_code == 0, done.output
    found = rows(done)
    assert list(found) == [NARROWED, DROPPED, SPECIAL, ALL, RIGHT]
    assert [row["versions"] for row in found.values()] == [0, 0, 1, 1, 1]
    assert found[RIGHT]["accepted"] == 1
    assert found[RIGHT]["grounds"] == {"red to green": 1}
    assert found[SPECIAL]["grounds"] == {"named risk": 1}
    assert (found[SPECIAL]["held"], found[SPECIAL]["wrong"]["share"]) == (1, 0)
    document = json.loads(done.stdout)
    assert (document["tasks"], document["reference"]) == (1, [])
    assert document["left_out"] == {"right": 0, "obvious": 0, "unknown": 0}

    def never(*_: object) -> None:
        raise AssertionError("it was judged already")

    monkeypatch.setattr(bench_variants_run, "facts_of", never)
    monkeypatch.setattr(bench_variants_run, "run_tests", never)
    assert rows(run("--json")) == found
    shown = run().output
    assert "narrowed to the example" in shown
    assert "the right change: 1 red to green." in shown


def test_without_a_sandbox_it_says_why_and_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_SANDBOX_IMAGE", "")
    done = run("--executor", "container", "--json")
    assert done.exit_code == 3
    assert "nothing may run here: container:" in done.stderr
    assert json.loads(done.stdout)["rows"] == []


def gated(kind: str, decision: Decision, cause: Cause | None = None, *, named: bool = False) -> GatedVersion:
    return GatedVersion(kind, decision, cause, "a rule", named)


def test_false_acceptances_and_false_rejections_are_counted_apart() -> None:
    found = variant_rows(
        [
            gated(NARROWED, Decision.ACCEPT, named=True),
            gated(NARROWED, Decision.UNAVAILABLE, Cause.PERSON),
            gated(NARROWED, Decision.UNAVAILABLE, Cause.CHANGE),
            gated(NARROWED, Decision.UNAVAILABLE, Cause.OUTSIDE),
            gated(DROPPED, Decision.BOUNCE),
            gated(RIGHT, Decision.ACCEPT),
            gated(RIGHT, Decision.BOUNCE),
        ]
    )
    told = {row.name: (row.versions, row.accepted, row.held, row.neutral, row.bounced) for row in found}
    assert told == {
        NARROWED: (4, 1, 2, 1, 0),
        DROPPED: (1, 0, 0, 0, 1),
        SPECIAL: (0, 0, 0, 0, 0),
        ALL: (5, 1, 2, 1, 1),
        RIGHT: (2, 1, 0, 0, 1),
    }
    assert [row.named for row in found] == [1, 0, 0, 1, 0]
    wrong = {row.name: row.wrong.share for row in found}
    assert wrong == {NARROWED: 0.25, DROPPED: 0, SPECIAL: None, ALL: 0.2, RIGHT: 0.5}


def test_only_near_misses_of_a_change_that_passes_are_kept() -> None:
    def task(name: str) -> VariantTask:
        return VariantTask(name, "", "", Path(), "", (), Verify(), {}, (), frozenset())

    right, missed = Version(RIGHT, "0"), [Version(DROPPED, str(at)) for at in range(9)]
    good = [(task("good"), one) for one in (right, *missed)]
    truths = [Truth.RIGHT, *[Truth.NEAR_MISS] * 7, Truth.OBVIOUS, Truth.RIGHT]
    kept = bench_variants.near_misses(good, truths, 0)
    assert len(kept) == 1 + MOST
    assert {version.head for _, version in kept} <= {str(at) for at in range(7)}
    assert kept == bench_variants.near_misses(good, truths, 0)
    assert kept != bench_variants.near_misses(good, truths, 1)
    bad = [(task("bad"), one) for one in (right, *missed)]
    assert bench_variants.near_misses(bad, [Truth.UNKNOWN, *truths[1:]], 0) == []
