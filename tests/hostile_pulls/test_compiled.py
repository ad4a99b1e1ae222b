"""Changes in Go and Rust, judged for real: what is named, and what base and head do not both build.

What one language shows for both is tried in one of them, and what a trick in `test_hostile.py` shows, there; `make
hostile` tries all.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.commands.shared import own_settings
from bot.policy import Verify
from bot.verification.environments.prepare import GO_BUILT, Prepared, Setup, prepare
from bot.verification.testing.run import run_suite
from bot.verification.values import Origin, Program, TestStatus
from tests.hostile_pulls.catalogue import HOUSES
from tests.hostile_pulls.judging import cache_for_all, judged
from tests.hostile_pulls.reading import changed
from tests.hostile_pulls.values import Pull
from tests.support.lengths import EVERY_TRICK
from tests.support.needs import program
from tests.support.sandbox import BUBBLEWRAP

CASES = yaml.safe_load(Path(__file__).with_name("compiled.yaml").read_text())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cache_for_all(tmp_path_factory)


@pytest.mark.parametrize(
    "case", [case for case in CASES if EVERY_TRICK or "shown elsewhere" not in case], ids=lambda case: case["id"]
)
def test_tests_are_named_and_the_verdict_fits(case: dict[str, Any], place: Path, cache: Path) -> None:
    (house,) = (house for house in HOUSES if house.name == case["house"])
    change = changed(house.files, case["files"])
    ended = judged(Pull("compiled", case["id"], house, change, case.get("issue", "")), place, cache)
    assert ended.conclusion == case["conclusion"], ended.reasons
    names = re.findall(r"(?:Doc-tests |example\.org/|tests/|src/)\S+(?: - \w+|::[\w/:]+|\.rs)", ended.reasons[0])
    assert sorted(names) == sorted(case["named"]), ended.reasons


REACHES = b"""package a

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIt(t *testing.T) {
	found, _ := filepath.Glob(os.Getenv("GOCACHE") + "/*/*-d")
	links := 0
	for _, path := range append(found, "/go-built/more") {
		behind, _ := filepath.EvalSymlinks(path)
		if path == "/go-built/more" || behind != path {
			links++
			if file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644); err == nil {
				t.Error(path, file)
			}
		}
	}
	if links < 100 {
		t.Error(links)
	}
	trimmed, err := os.Lstat(os.Getenv("GOCACHE") + "/trim.txt")
	if err != nil || !trimmed.Mode().IsRegular() {
		t.Error(trimmed, err)
	}
}
"""


def test_no_run_changes_what_go_made_for_all(cache: Path) -> None:
    """It reads that by links, and can write neither there nor behind them; nor has it to, once that is days old."""
    program("go")
    settings = own_settings(judge="offline").model_copy(update={"cache_dir": cache})
    base = Program(None, {"go.mod": b"module example.org/a\n", "a.go": b"package a\n", "a_test.go": REACHES})
    prepared = prepare(Setup(BUBBLEWRAP, Verify(), settings, Origin("a")), base)
    assert isinstance(prepared, Prepared), prepared
    (built,) = (mount.host for mount in prepared.base.environment.mounts if mount.inside == GO_BUILT)
    looked, mode = built / "trim.txt", (built / "trim.txt").stat().st_mode
    looked.chmod(0o600)
    looked.write_text("1700000000")
    looked.chmod(mode)  # as it was: the next to come takes it for whole, and builds nothing
    ran = run_suite(BUBBLEWRAP, prepared.base.program, prepared.suite(prepared.base))
    assert [(each.name, each.status) for each in ran.results] == [("example.org/a::TestIt", TestStatus.PASSED)], ran
