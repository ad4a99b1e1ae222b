"""Tests of Go and Rust as plain programs, built and run in the sandbox."""

from pathlib import Path

from bot.sandbox import toolchains
from bot.verification.testing.run import run_suite
from bot.verification.trial.plain_tests import PROGRAMS
from bot.verification.values import Environment, Program, Suite
from tests.support.cases import table
from tests.support.needs import program
from tests.support.sandbox import BUBBLEWRAP

GO, RUST = (table(dict[str, str], __file__, name) for name in ("GO", "RUST"))


def told(place: Path, files: dict[str, str], touched: str) -> dict[str, bool]:
    """What the plain programs of a project say of its tests."""
    for path, text in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    put, line = PROGRAMS[Path(touched).suffix](Program(place, {}), frozenset({touched}), "ptoken")
    variables = {"PATH": toolchains.PATH, "GOCACHE": "/tmp/go", "GOPROXY": "off", "CARGO_NET_OFFLINE": "true"}
    suite = Suite(
        command=("/bin/sh", "-c", line), environment=Environment(variables={**variables, "CARGO_HOME": "/tmp/c"})
    )
    left = run_suite(BUBBLEWRAP, Program(place, put), suite, seconds=120).left.get("ptoken", b"").decode()
    ended = (line.rpartition(" ") for line in left.splitlines())
    return {name: passes == "true" for name, _, passes in ended if passes != "begun"}


def test_tests_of_go_are_made_in_a_plain_program_each_package_by_itself(tmp_path: Path) -> None:
    program("go")
    assert told(tmp_path, GO, "price.go") == {
        "example.org/shop::TestDouble": True,
        "example.org/shop::TestAlone": False,
        "example.org/shop::TestSkipped": True,
        "example.org/shop::TestOutside": True,
        "example.org/shop/internal/same::TestSame": True,
        "example.org/shop/cmd::TestOne": True,
    }


def test_tests_of_rust_are_made_in_a_plain_program_that_is_not_built_for_development(tmp_path: Path) -> None:
    program("cargo")
    assert told(tmp_path, RUST, "src/lib.rs") == {
        "src/lib.rs::tests::apart": False,
        "src/lib.rs::tests::checked": False,
        "src/lib.rs::price::inner::tests::twice": True,
        "tests/whole.rs::whole": True,
        "tests/whole.rs::told_where": False,
    }


def test_what_is_no_module_and_no_library_has_no_program(tmp_path: Path) -> None:
    no_module = {path: text for path, text in GO.items() if path != "go.mod"}
    assert told(tmp_path / "go", no_module, "price.go") == {}
    binary = {path.replace("lib.rs", "main.rs"): text for path, text in RUST.items()}
    assert told(tmp_path / "rust", binary, "src/main.rs") == {}
