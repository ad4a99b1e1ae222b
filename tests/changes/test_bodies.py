"""Where functions of other languages lie."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.bodies import ENDINGS, bodies
from tests.support.properties import patient


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.js", "function total(items) { return 1 }", [("total", "{")]),
        ("a.mjs", "export const total = async (a) => { return a }", [("total", "{")]),
        ("a.js", "const total = a => a + 1", []),
        ("a.js", "class Cart { total() { return 1 } empty() {} }", [("total", "{")]),
        ("a.ts", "export function total(items: number[]): number { return 1 }", [("total", "{")]),
        ("a.go", "package a\nfunc (c *Cart) Total() int { return 1 }", [("Total", "{")]),
        ("a.go", "package a\nfunc Add() int { return 2 }\nfunc More() {}", [("Add", "{")]),
        ("a.rs", "impl Cart { fn total(&self) -> u8 { 1 } }", [("total", "{")]),
        ("a.rs", "#[test]\n// why\nfn adds() { assert!(true) }\nfn total() -> u8 { 1 }", [("total", "{")]),
        ("a.rs", "#[cfg(test)]\nmod checks { fn total() -> u8 { 1 } }", []),
        ("a.rs", "fn total( {", []),
        ("a.java", "class A { int total() { return 1; } }", []),
    ],
)
def test_functions_that_do_something(path: str, text: str, found: list[tuple[str, str]]) -> None:
    source = text.encode()
    assert [(one.name, text[one.opens - 1]) for one in bodies(path, source)] == found
    assert all(1 <= one.first <= one.last <= text.count("\n") + 1 for one in bodies(path, source))


@pytest.mark.parametrize(
    ("path", "text", "gives"),
    [
        ("a.go", "package a\nfunc Cut(a int) (left, right int, err error) { return }", ("int", "int", "error")),
        ("a.go", "package a\nfunc Cut(a int) (int, error) { return 1, nil }", ("int", "error")),
        ("a.go", "package a\nfunc Cut(a int) *Cart { return nil }", ("*Cart",)),
        ("a.go", "package a\nfunc Cut() { println() }", ()),
        ("a.rs", "fn cut() -> Result<u8, String> { Ok(1) }", ("Result<u8, String>",)),
        ("a.js", "function cut() { return 1 }", ()),
    ],
)
def test_types_of_what_a_function_gives(path: str, text: str, gives: tuple[str, ...]) -> None:
    assert [one.gives for one in bodies(path, text.encode())] == [gives]


@patient
@given(st.text(max_size=300), st.sampled_from(ENDINGS))
def test_every_text_is_read(text: str, ending: str) -> None:
    bodies(f"a{ending}", text.encode())
