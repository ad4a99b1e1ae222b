"""Tests of Rust as plain programs, built and run in the sandbox."""

from pathlib import Path

from bot.sandbox import toolchains
from bot.verification.testing.run import run_suite
from bot.verification.trial.plain_rust import programs
from bot.verification.values import Environment, Program, Suite
from tests.support.cases import table
from tests.support.needs import program
from tests.support.sandbox import BUBBLEWRAP

RUST = table(dict[str, str], __file__, "RUST")


def told(place: Path, files: dict[str, str], touched: str) -> dict[str, str]:
    """What the plain programs of a project say of its tests: `true`, `false`, or `begun` of one that never ended."""
    for path, text in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    put, line = programs(Program(place, {}), frozenset({touched}), "ptoken")
    variables = {"PATH": toolchains.PATH, "CARGO_NET_OFFLINE": "true"}
    suite = Suite(
        command=("/bin/sh", "-c", line), environment=Environment(variables={**variables, "CARGO_HOME": "/tmp/c"})
    )
    left = run_suite(BUBBLEWRAP, Program(place, put), suite, seconds=120).left.get("ptoken", b"").decode()
    return {name: how for name, _, how in (line.rpartition(" ") for line in left.splitlines())}


def test_tests_of_rust_are_made_in_a_plain_program_that_is_not_built_for_development(tmp_path: Path) -> None:
    program("cargo")
    assert told(tmp_path, RUST, "src/lib.rs") == {
        "src/lib.rs::tests::apart": "false",
        "src/lib.rs::tests::checked": "false",
        "src/lib.rs::price::inner::tests::twice": "true",
        "tests/whole.rs::whole": "true",
        "tests/whole.rs::told_where": "false",
    }


def test_what_ends_its_program_has_begun_and_an_odd_name_or_no_library_says_nothing(tmp_path: Path) -> None:
    program("cargo")
    ends = {**RUST, "tests/whole.rs": "#[test]\nfn ends() {\n    std::process::exit(0)\n}\n"}
    assert told(tmp_path / "ends", ends, "src/lib.rs")["tests/whole.rs::ends"] == "begun"
    binary = {path.replace("lib.rs", "main.rs"): text for path, text in RUST.items()}
    assert told(tmp_path / "binary", binary, "src/main.rs") == {}
    odd = {f"c';m d/{path}": text for path, text in RUST.items()}
    assert told(tmp_path / "odd", odd, "c';m d/src/lib.rs") == {}
