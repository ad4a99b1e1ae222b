"""Tests of Rust as plain programs: one of those in `tests/`, and one of those inside a library, which is built with
them. Neither is built as in development, where assertions for debugging hold."""

import shlex
from pathlib import PurePosixPath

from tree_sitter import Node

from bot.changes.rust_tests import ABOVE, marks_test
from bot.changes.syntax import above, nodes_below, text_of, tree, with_parts
from bot.child_process import run_in_child
from bot.verification.environments.manifests import Manifests, mapping
from bot.verification.programs import content
from bot.verification.values import Program

_MOST_FILES = 300
_CASES = """
trait {0} {{ fn ok(self) -> bool; }}
impl {0} for () {{ fn ok(self) -> bool {{ true }} }}
impl<A, B> {0} for Result<A, B> {{ fn ok(self) -> bool {{ self.is_ok() }} }}
#[doc(hidden)]
pub fn {1}() -> std::vec::Vec<(&'static str, fn() -> bool, bool)> {{ std::vec![{2}] }}
"""
_MAIN = """
use std::io::Write;

fn main() {{
    let mut told = std::fs::OpenOptions::new().create(true).append(true).open("/results/{0}").unwrap();
    for (name, test, panics) in {1}() {{
        let passes = std::panic::catch_unwind(test).map_or(panics, |ok| ok && !panics);
        writeln!(told, "{{}} {{}}", name, passes).unwrap();
    }}
}}
"""
# Files with the tests inside stand in their places only once the others have run.
_BUILD = """cd /work && cd ./{0}
export CARGO_TARGET_DIR=/tmp/{1} RUSTFLAGS=--cap-lints=allow
export CARGO_PROFILE_DEV_DEBUG_ASSERTIONS=false CARGO_PROFILE_DEV_OVERFLOW_CHECKS=true
cargo build --example {1}o && /tmp/{1}/debug/examples/{1}o
find src -name '*.rs_' | while read -r each; do mv "$each" "${{each%_}}"; touch "${{each%_}}"; done
cargo build --example {1}i && /tmp/{1}/debug/examples/{1}i"""
# A test by its path from the file, and whether it has to panic.
_Test = tuple[str, bool]


def rust_programs(program: Program, touched: frozenset[str], token: str) -> tuple[dict[str, bytes], str]:
    """See `Programs`. Of the package that the change touches, where it is a library."""
    all_, path = Manifests(program), min(touched)
    folders = (all_.inside("" if str(each) == "." else str(each)) for each in PurePosixPath(path).parents)
    root = next((each for each in folders if mapping(each.toml("Cargo.toml"), "package")), None)
    if root is None or not root.has("src/lib.rs"):
        return {}, ""
    package = root.toml("Cargo.toml")
    library = mapping(package, "lib").get("name") or str(mapping(package, "package").get("name")).replace("-", "_")
    put, inside, outside, mods = dict[str, bytes](), "", "", ""
    for number, file in enumerate(_files(root)):
        text = content(program, str(PurePosixPath(root.folder, file))) or b""
        read = run_in_child(rewritten, file, text)
        if not isinstance(read, tuple):
            continue
        text, tests = read
        if file.startswith("src/"):
            module = _module(file)
            cases = "".join(
                _case(token, f"src/lib.rs::{module}{name}", f"{module}{name}", panics) for name, panics in tests
            )
            inside, place = inside + cases, f"{file}_"
        elif tests:
            place = f"tests/{token}_{PurePosixPath(file).name}"
            outside += "".join(_case(token, f"{file}::{name}", f"t{number}::{name}", panics) for name, panics in tests)
            mods += f'#[path = "../{place}"]\nmod t{number};\n'
        else:
            continue
        put[place] = text
    put["src/lib.rs_"] = put.get("src/lib.rs_", b"") + _CASES.format(f"T{token}", token, inside).encode()
    put[f"examples/{token}o.rs"] = (
        mods + _CASES.format(f"T{token}", token, outside) + _MAIN.format(token, token)
    ).encode()
    put[f"examples/{token}i.rs"] = _MAIN.format(token, f"{library}::{token}").encode()
    there = {str(PurePosixPath(root.folder, place)): text for place, text in put.items()}
    return there, _BUILD.format(shlex.quote(root.folder), token) if inside or outside else ""


def _files(root: Manifests) -> list[str]:
    """Those of the library, and those with tests outside of it."""
    found, waiting = [f"tests/{name}" for name in root.names("tests")], ["src"]
    while waiting and len(found) < _MOST_FILES:
        folder = waiting.pop()
        names = [f"{folder}/{name}" for name in root.names(folder)]
        found += names
        waiting += (each for each in names if not each.endswith(".rs"))
    return [each for each in found if each.endswith(".rs") and not each.startswith(("src/bin/", "src/main.rs"))]


def _module(file: str) -> str:
    parts = [*PurePosixPath(file).with_suffix("").parts[1:]]
    return "".join(f"{each}::" for each in (parts[:-1] if parts[-1] in ("lib", "mod") else parts))


def _case(token: str, name: str, function: str, panics: bool) -> str:
    return f'("{name}", || T{token}::ok({function}()), {str(panics).lower()}), '


def rewritten(path: str, source: bytes) -> tuple[bytes, list[_Test]] | None:
    """The file, in which tests are functions, and modules, that all of its crate may name; and the tests. `None` where
    it is no Rust."""
    root = tree(path, source)
    if root is None:
        return None
    tests, puts = list[_Test](), dict[tuple[int, int], bytes]()
    for node in nodes_below(root):
        marks = (
            [each for each in _attributes(node) if marks_test(each)]
            if node.type.endswith(("_item", "_declaration"))
            else []
        )
        for each in marks:
            puts[each.start_byte, each.end_byte] = b""
        named = node.type == "mod_item" or (node.type == "function_item" and _is_test(marks))
        if named and not any(child.type == "visibility_modifier" for child in node.children):
            puts[node.start_byte, node.start_byte] = b"pub(crate) "
        if node.type == "function_item" and _is_test(marks):
            said = [text_of(each) for each in _attributes(node)]
            names = [
                text_of(each.child_by_field_name("name"))
                for each in above(node)
                if each.type in ("mod_item", "function_item")
            ]
            if not any("ignore" in each for each in said):
                tests.append(("::".join(reversed(names)), any("should_panic" in each for each in said)))
    return with_parts(source, puts), tests


def _is_test(marks: list[Node]) -> bool:
    return any(text_of(each) == "#[test]" for each in marks)


def _attributes(item: Node) -> list[Node]:
    """Those above it, with remarks between."""
    found, node = list[Node](), item.prev_named_sibling
    while node is not None and node.type in ABOVE:
        found.append(node)
        node = node.prev_named_sibling
    return found
