"""Tests of Rust as plain programs, made of the same functions: code that fails there and passes under the test tool
knows that it is tested, whatever tells it. What comes back is a stranger's word.

The tool links itself into the program, so that no recorder stands between. One program has the tests in `tests/`, and
one those inside a library, which is built with them. Neither is built as in development, where assertions for debugging
hold. Tests, and their files, have other names there. What needs more of the tool cannot be built so, and says nothing.
"""

import secrets
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from tree_sitter import Node

from bot.changes.syntax import above, nodes_below, text_of, tree, with_parts
from bot.child_process import run_in_child
from bot.verification.environments.manifests import Manifests, mapping
from bot.verification.files.index import FileIndex
from bot.verification.files.rust_tests import attributes, marks_test
from bot.verification.programs import content, is_plain
from bot.verification.trial.setup import LEAST, TrialSetup
from bot.verification.values import Program, TestRun, TestStatus

_NAMED = 10  # of the tests that fail in a program
_MOST_FILES = 300
_CASES = """
trait {0} {{ fn ok(self) -> bool; }}
impl {0} for () {{ fn ok(self) -> bool {{ true }} }}
impl<A, B> {0} for Result<A, B> {{ fn ok(self) -> bool {{ self.is_ok() }} }}
#[doc(hidden)]
pub fn {1}() -> std::vec::Vec<(&'static str, fn() -> bool)> {{ std::vec![{2}] }}
"""
_MAIN = """
use std::io::Write;

fn main() {{
    let mut told = std::fs::OpenOptions::new().create(true).append(true).open("/results/{0}").unwrap();
    for (name, test) in {1}() {{
        writeln!(told, "{{}} begun", name).unwrap();
        let passes = std::panic::catch_unwind(test).unwrap_or(false);
        writeln!(told, "{{}} {{}}", name, passes).unwrap();
    }}
}}
"""
# Files with the tests inside stand in their places only once the others have run.
_BUILD = """cd /work/{0} || exit
export CARGO_TARGET_DIR=/tmp/{1} RUSTFLAGS=--cap-lints=allow
export CARGO_PROFILE_DEV_DEBUG_ASSERTIONS=false CARGO_PROFILE_DEV_OVERFLOW_CHECKS=true
cargo build --example {1}o && /tmp/{1}/debug/examples/{1}o
find src -name '*.rs_' | while read -r each; do mv "$each" "${{each%_}}"; touch "${{each%_}}"; done
cargo build --example {1}i && /tmp/{1}/debug/examples/{1}i"""


@dataclass
class PlainTests:
    """The tests of one change. made: names of those that came to an end in a program with the change."""

    trial: TrialSetup
    judges: FileIndex
    made: set[str] = field(default_factory=set, init=False)

    def fail_alone(self, before: TestRun, ran: Iterable[tuple[Program, TestRun | None]]) -> tuple[str, ...]:
        """The tests that pass under their tool and fail without it, twice. before: the base's; what they do as well
        counts for nothing. ran: versions with the change, and how their tests end."""
        touched = frozenset(path for path in self.judges.touched if path.endswith(".rs"))
        for program, run in ran if touched else ():
            red = self._red(program, touched) & run.passing.keys() if run else set[str]()
            if red:
                red -= before.passing.keys() & self._red(self.trial.base.program, touched)
            if red and (red := red & self._red(program, touched)):
                return tuple(f"{name}: passes → fails" for name in sorted(red)[:_NAMED])
        return ()

    def _red(self, program: Program, touched: frozenset[str]) -> set[str]:
        seconds, token = self.trial.end - time.monotonic(), f"p{secrets.token_hex(6)}"
        put, line = programs(program, touched, token) if seconds >= LEAST else ({}, "")
        if not line:
            return set()
        run = self.trial.run_line(program, put, line, seconds)
        told: dict[str, str] = {}
        for line in run.left.get(token, b"").decode(errors="replace").split("\n")[:-1]:
            name, _, how = line.rpartition(" ")
            told[name] = how
        self.made |= set() if program is self.trial.base.program else told.keys()
        timely = all(result.status is not TestStatus.TIMEOUT for result in run.results)
        return {name for name, how in told.items() if how == "false" or (how == "begun" and timely)}


def programs(program: Program, touched: frozenset[str], token: str) -> tuple[dict[str, bytes], str]:
    """Files to put into a program, and the shell's line that builds and runs two others in it, of the package that the
    change touches, where it is a library: they write the name of each test to `/results/TOKEN` as it begins (`begun`),
    and whether it passes (`true`, `false`) once it has ended."""
    all_, path = Manifests(program), min(touched)
    folders = (all_.inside("" if str(each) == "." else str(each)) for each in PurePosixPath(path).parents)
    root = next((each for each in folders if mapping(each.toml("Cargo.toml"), "package")), None)
    if root is None or not root.has("src/lib.rs") or not is_plain(root.folder):
        return {}, ""
    said = root.toml("Cargo.toml")
    library = str(mapping(said, "lib").get("name") or mapping(said, "package").get("name")).replace("-", "_")
    put, inside, outside, mods = dict[str, bytes](), "", "", ""
    for number, file in enumerate(_files(root)):
        text = content(program, str(PurePosixPath(root.folder, file))) or b""
        read = run_in_child(rewritten, file, text)
        if not isinstance(read, tuple):
            continue
        text, tests = read
        if file.startswith("src/"):
            module = _module(file)
            cases = "".join(_case(token, f"src/lib.rs::{module}{name}", f"{module}{name}") for name in tests)
            inside, place = inside + cases, f"{file}_"
        elif tests:
            place = f"tests/{token}_{PurePosixPath(file).name}"
            outside += "".join(_case(token, f"{file}::{name}", f"t{number}::{name}") for name in tests)
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
    return there, _BUILD.format(root.folder, token) if inside or outside else ""


def _files(root: Manifests) -> list[str]:
    """Those of the library, and those with tests outside of it."""
    found, waiting = [f"tests/{name}" for name in root.names("tests")], ["src"]
    while waiting and len(found) < _MOST_FILES:
        folder = waiting.pop()
        names = [f"{folder}/{name}" for name in root.names(folder)]
        found += names
        waiting += (each for each in names if not each.endswith(".rs"))
    read = (each for each in found[:_MOST_FILES] if each.endswith(".rs") and is_plain(each))
    return [each for each in read if not each.startswith(("src/bin/", "src/main.rs"))]


def _module(file: str) -> str:
    parts = file.removesuffix(".rs").split("/")[1:]
    return "".join(f"{each}::" for each in (parts[:-1] if parts[-1] in ("lib", "mod") else parts))


def _case(token: str, name: str, function: str) -> str:
    return f'("{name}", || T{token}::ok({function}())), '


def rewritten(path: str, source: bytes) -> tuple[bytes, list[str]] | None:
    """The file, in which tests are functions, and modules, that all of its crate may name; and the tests by their paths
    from the file, without those that have to panic, which may need assertions for debugging. `None` where it is no
    Rust."""
    root = tree(path, source)
    if root is None:
        return None
    tests, puts = list[str](), dict[tuple[int, int], bytes]()
    items = [node for node in nodes_below(root) if node.type.endswith(("_item", "_declaration"))]
    functions = Counter(_name(node) for node in items if node.type == "function_item")
    for node in items:
        marks, is_function = list(filter(marks_test, attributes(node))), node.type == "function_item"
        is_test = is_function and any(text_of(each) == "#[test]" for each in marks)
        if is_function and not is_test and functions[_name(node)] > 1:
            continue  # one for tests, and one for users
        puts |= {(each.start_byte, each.end_byte): b"" for each in marks}
        if not (is_test or node.type == "mod_item"):
            continue
        if not any(child.type == "visibility_modifier" for child in node.children):
            puts[node.start_byte, node.start_byte] = b"pub(crate) "
        said = " ".join(map(text_of, attributes(node)))
        if is_test and "ignore" not in said and "should_panic" not in said:
            around = (_name(each) for each in above(node) if each.type in ("mod_item", "function_item"))
            tests.append("::".join([*around][::-1]))
    return with_parts(source, puts), tests


def _name(node: Node) -> str:
    return text_of(node.child_by_field_name("name"))
