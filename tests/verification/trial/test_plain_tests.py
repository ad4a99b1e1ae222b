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


def told(place: Path, files: dict[str, str], touched: str) -> dict[str, str]:
    """What the plain programs of a project say of its tests: `true`, `false`, or `begun` of one that never ended."""
    for path, text in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    put, line = PROGRAMS[Path(touched).suffix](Program(place, {}), frozenset({touched}), "ptoken")
    variables = {"PATH": toolchains.PATH, "GOCACHE": "/tmp/go", "GOPROXY": "off", "CARGO_NET_OFFLINE": "true"}
    suite = Suite(
        command=("/bin/sh", "-c", line), environment=Environment(variables={**variables, "CARGO_HOME": "/tmp/c"})
    )
    left = run_suite(BUBBLEWRAP, Program(place, put), suite, seconds=120).left.get("ptoken", b"").decode()
    return {name: how for name, _, how in (line.rpartition(" ") for line in left.splitlines())}


def test_tests_of_go_are_made_in_a_plain_program_each_package_by_itself(tmp_path: Path) -> None:
    program("go")
    assert told(tmp_path, GO, "price.go") == {
        "example.org/shop::TestDouble": "true",
        "example.org/shop::TestAlone": "false",
        "example.org/shop::TestSkipped": "true",
        "example.org/shop::TestOutside": "true",
        "example.org/shop/internal/same::TestSame": "true",
        "example.org/shop/cmd::TestOne": "true",
    }


def test_tests_of_rust_are_made_in_a_plain_program_that_is_not_built_for_development(tmp_path: Path) -> None:
    program("cargo")
    assert told(tmp_path, RUST, "src/lib.rs") == {
        "src/lib.rs::tests::apart": "false",
        "src/lib.rs::tests::checked": "false",
        "src/lib.rs::price::inner::tests::twice": "true",
        "tests/whole.rs::whole": "true",
        "tests/whole.rs::told_where": "false",
    }


def test_what_ends_its_program_has_begun_and_a_package_with_a_set_up_or_an_odd_name_says_nothing(
    tmp_path: Path,
) -> None:
    program("go")
    text = 'package shop\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestEnds(t *testing.T) {\n\tos.Exit(0)\n}\n'
    ends = {"price_test.go": text}
    whole = {**{path: GO[path] for path in ("go.mod", "price.go", "cmd/main.go", "cmd/main_test.go")}, **ends}
    assert told(tmp_path / "ends", whole, "price.go") == {
        "example.org/shop::TestEnds": "begun",
        "example.org/shop/cmd::TestOne": "true",
    }
    set_up = {**whole, "main_test.go": GO["set/set_test.go"].replace("package set", "package shop")}
    assert told(tmp_path / "set", set_up, "price.go") == {"example.org/shop/cmd::TestOne": "true"}
    odd = {path.replace("cmd/", "c';m d/"): text for path, text in whole.items()}
    assert told(tmp_path / "odd", odd, "price.go") == {"example.org/shop::TestEnds": "begun"}


def test_what_is_no_module_and_no_library_has_no_program(tmp_path: Path) -> None:
    no_module = {path: text for path, text in GO.items() if path != "go.mod"}
    assert told(tmp_path / "go", no_module, "price.go") == {}
    binary = {path.replace("lib.rs", "main.rs"): text for path, text in RUST.items()}
    assert told(tmp_path / "rust", binary, "src/main.rs") == {}
