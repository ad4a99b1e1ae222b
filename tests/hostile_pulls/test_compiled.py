"""Changes in Go and Rust, judged for real: what is named, and what base and head do not both build.

What one language shows for both is tried in one of them, and what a trick in `test_hostile.py` shows, there; `make
hostile` tries all.
"""

import re
from pathlib import Path

import pytest

from bot.commands.shared import own_settings
from bot.policy import Verify
from bot.verification.environments.go_built import PLACE
from bot.verification.environments.prepare import Prepared, prepare
from bot.verification.testing.run import run_suite
from bot.verification.values import Program, TestStatus
from tests.hostile_pulls.compiled import GO, PRICE_GO, PRICE_RS, RUST, SUM, TEST_GO, TEST_RS
from tests.hostile_pulls.judging import cache_for_all, judged
from tests.hostile_pulls.values import Files, House, Pull
from tests.support.lengths import EVERY_TRICK
from tests.support.needs import program
from tests.support.sandbox import BUBBLEWRAP

ROUNDS_GO = "\nfunc TestRounds(t *testing.T) {\n\tif got, _ := Discount(5, 10); got != 5 {\n\t\tt.Error(got)\n\t}\n}\n"
ROUNDS_RS = "\n#[test]\nfn rounds() {\n    assert_eq!(discount(5, 10), Ok(5));\n}\n"
HALF_RS = PRICE_RS.replace(
    "#[cfg(test)]", "pub fn half(amount: i64) -> i64 {\n    amount / 2\n}\n\n#[cfg(test)]"
).replace(
    "    #[test]\n    fn total",
    "    #[test]\n    fn halves() {\n        assert_eq!(half(4), 2);\n    }\n\n    #[test]\n    fn total",
)
UNIT_RS = (
    PRICE_RS.replace("label(amount: i64)", "label(amount: i64, unit: &str)")
    .replace('"{} EUR", amount', '"{} {}", amount, unit')
    .replace("label(3)", 'label(3, "EUR")')
)
ISSUE = "# {}\n\n`{}` gives {}; it should give {}."


CASES = [
    pytest.param(
        GO,
        {
            "price/price.go": PRICE_GO.replace("(100 - percent) / 100", "(100-percent)+50)/100").replace(
                "return amount *", "return (amount*"
            ),
            "price/price_test.go": TEST_GO + ROUNDS_GO,
        },
        ISSUE.format("A discount is rounded down", "Discount(5, 10)", 4, 5),
        "success",
        ["example.org/shop/price::TestRounds"],
        id="go, an honest fix",
    ),
    pytest.param(
        GO,
        {"price/price.go": PRICE_GO.replace("100 - percent", "99 - percent")},
        "",
        "failure",
        [f"example.org/shop/price::TestDiscount{case}" for case in ("", "/a_tenth", "/none")],
        id="go, tests within a test",
    ),
    pytest.param(
        GO,
        {
            "price/price.go": PRICE_GO.replace("amount, percent int", "amount, percent, more int"),
            "price/price_test.go": TEST_GO.replace("each.percent)", "each.percent, 0)"),
        },
        "",
        "action_required",
        [f"example.org/shop/price::TestDiscount{case}" for case in ("", "/a_tenth", "/none")],
        id="go, other arguments",
    ),
    pytest.param(
        RUST,
        {
            "src/lib.rs": PRICE_RS.replace("Ok(amount * (100 - percent)", "Ok((amount * (100 - percent) + 50)"),
            "tests/prices.rs": TEST_RS + ROUNDS_RS,
        },
        ISSUE.format("A discount is rounded down", "discount(5, 10)", 4, 5),
        "success",
        ["tests/prices.rs::rounds"],
        id="rust, an honest fix",
    ),
    pytest.param(
        RUST,
        {"src/lib.rs": HALF_RS},
        "# Half of an amount\n\nPlease add a function `half`: `half(4)` is 2.",
        "success",
        ["src/lib.rs::tests::halves"],  # and none of those that its name keeps from being built on the base
        id="rust, something new with its test inside",
    ),
    pytest.param(
        RUST,
        {"src/lib.rs": PRICE_RS.replace(SUM, SUM.replace("iter()", "iter().skip(1)"))},
        "",
        "failure",
        ["Doc-tests shop::src/lib.rs - total", "tests/prices.rs::totals"],
        id="rust, an example in the documentation",
    ),
    pytest.param(RUST, {"src/lib.rs": UNIT_RS}, "", "action_required", ["src/lib.rs"], id="rust, other arguments"),
    pytest.param(
        RUST,
        {"src/lib.rs": PRICE_RS.replace("items.iter", "item.iter")},
        "",
        "failure",
        ["Doc-tests shop::src/lib.rs - total", "src/lib.rs::tests::total_of_nothing", "tests/prices.rs::discounts"],
        id="rust, nothing that can be built",
    ),
]
SHOWN_ELSEWHERE = ("go, other arguments", "go, tests within a test", "rust, an honest fix")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cache_for_all(tmp_path_factory)


@pytest.mark.parametrize(
    ("house", "change", "issue", "conclusion", "named"),
    [case for case in CASES if EVERY_TRICK or case.id not in SHOWN_ELSEWHERE],
)
def test_tests_are_named_and_the_verdict_fits(
    house: House,
    change: Files,
    issue: str,
    conclusion: str,
    named: list[str],
    place: Path,
    cache: Path,
    request: pytest.FixtureRequest,
) -> None:
    ended = judged(Pull("compiled", request.node.name, house, change, issue), place, cache)
    assert ended.conclusion == conclusion, ended.reasons
    names = re.findall(r"(?:Doc-tests |example\.org/|tests/|src/)\S+(?: - \w+|::[\w/:]+|\.rs)", ended.reasons[0])
    assert sorted(names) == sorted(named), ended.reasons


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
    prepared = prepare(BUBBLEWRAP, base, None, Verify(), settings, owner="a")
    assert isinstance(prepared, Prepared), prepared
    (built,) = (mount.host for mount in prepared.base.environment.mounts if mount.inside == PLACE)
    looked, mode = built / "trim.txt", (built / "trim.txt").stat().st_mode
    looked.chmod(0o600)
    looked.write_text("1700000000")
    looked.chmod(mode)  # as it was: the next to come takes it for whole, and builds nothing
    ran = run_suite(BUBBLEWRAP, prepared.base.program, prepared.suite(prepared.base))
    assert [(each.name, each.status) for each in ran.results] == [("example.org/a::TestIt", TestStatus.PASSED)], ran
