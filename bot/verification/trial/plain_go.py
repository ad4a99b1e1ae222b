"""Tests of Go as plain programs: each package with tests gets one, with `plain_tests.go` in the place of `testing`."""

from collections import defaultdict
from importlib.resources import files
from pathlib import PurePosixPath

from bot.changes.syntax import matches, text_of, with_parts
from bot.child_process import run_in_child
from bot.verification.programs import content, is_plain, source_files
from bot.verification.values import Program

_OF_TESTS = "_test.go"
_MOST_PACKAGES, _MOST_FILES = 6, 500
# What a test asks of the program that runs it, or of the file in which it stands, has another answer there.
_ABOUT_ITSELF = (b"runtime.Caller", b"os.Args", b"os.Executable")
_TOOL = (files(__package__) / "plain_tests.go").read_bytes()
_PARTS = """[
  (package_clause (package_identifier) @package)
  (import_spec path: (interpreted_string_literal) @tool (#eq? @tool "\\"testing\\""))
  (function_declaration name: (identifier) @test (#match? @test "^Test([^a-z]|$)"))
]"""
_MAIN = """\
package main

import (
	"os"
	tool "{tool}"
	{imports}
)

func {function}() {{
	tool.Tell("/results/{token}", "/work/{folder}", []tool.Case{{{cases}}})
	os.Exit(0)
}}
"""
# Files of tests stand in the package only while its program is built: others import it.
_BUILD = "(cd /work/{0} && for each in *.go_; do mv $each ${{each%_}}; done; go run ./{1}; rm -f {2}_*.go)"


def go_programs(program: Program, touched: frozenset[str], token: str) -> tuple[dict[str, bytes], str]:
    """See `Programs`. Packages that the change touches come first; one whose tests have a set-up has none."""
    folders = {_folder(path) for path in touched}
    root, module = next(filter(None, (_module(program, each) for each in sorted(folders))), ("", ""))
    found = (path for path in {*source_files(program.tree), *program.files} if path.endswith(".go") and is_plain(path))
    inside = sorted(path for path in found if PurePosixPath(path).is_relative_to(root))[:_MOST_FILES] if module else []
    packages = {_folder(path) for path in inside if path.endswith(_OF_TESTS)}
    chosen = sorted(packages, key=lambda each: (each not in folders, each))[:_MOST_PACKAGES]
    tool, cases, main, barred = f"{module}/{token}", defaultdict[str, str](str), set[str](), set[str]()
    put = {_at(root, token, "testing.go"): _TOOL}
    for number, path in enumerate(inside):
        text, folder = content(program, path) or b"", _folder(path)
        if path.endswith(_OF_TESTS) and folder in chosen:
            read = run_in_child(rewritten, path, text, tool, f"Z{token}{number}x")
            if not isinstance(read, tuple) or any(name == "TestMain" for name, _ in read[2]):
                barred.add(folder)
                continue
            tests = [] if any(word in text for word in _ABOUT_ITSELF) else read[2]
            package, text, _ = read
            name = f"{token}_{PurePosixPath(path).name.removesuffix(_OF_TESTS)}.go"
            apart, main = package.endswith("_test"), main | ({folder} if package == "main" else set())
            put[_at(folder, f"{token}x", name) if apart else _at(folder, f"{name}_")] = text
            where = "" if package == "main" else "outside." if apart else "inside."
            named = _import(module, root, folder)
            cases[folder] += "".join(f'{{"{named}::{test}", {where}{new}}}, ' for test, new in tests)
        elif b'"testing"' in text and not path.endswith(_OF_TESTS):
            read = run_in_child(rewritten, path, text, tool, "")
            put[path] = read[1] if isinstance(read, tuple) else text
    rest = {folder: its for folder, its in cases.items() if its and folder not in barred}
    for folder, its in rest.items():
        name = _import(module, root, folder)
        imports = [
            f'{each} "{of}"' for each, of in (("inside", name), ("outside", f"{name}/{token}x")) if f" {each}." in its
        ]
        about = {"tool": tool, "imports": "\n\t".join(imports), "token": token, "folder": folder, "cases": its}
        place = f"{token}_run.go_" if folder in main else f"{token}m/main.go"
        put[_at(folder, place)] = _MAIN.format(function="init" if folder in main else "main", **about).encode()
    return put, "; ".join(_BUILD.format(each, "" if each in main else f"{token}m", token) for each in rest)


def _folder(path: str) -> str:
    return str(PurePosixPath(path).parent)


def _at(*parts: str) -> str:
    return str(PurePosixPath(*parts))


def _import(module: str, root: str, folder: str) -> str:
    return "/".join((module, *PurePosixPath(folder).relative_to(root).parts))


def _module(program: Program, folder: str) -> tuple[str, str] | None:
    """The folder of the module that a folder belongs to, and its name."""
    for each in (folder, *map(str, PurePosixPath(folder).parents)):
        lines = (content(program, _at(each, "go.mod")) or b"").decode(errors="replace").splitlines()
        if names := [line.split()[1] for line in lines if line.startswith("module ") and line[7:].strip()]:
            return each, names[0].strip('"')
    return None


def rewritten(path: str, source: bytes, tool: str, own: str) -> tuple[str, bytes, list[tuple[str, str]]] | None:
    """Its package, the file with another module in the place of `testing`, and its tests with the names that they have
    there, which begin with `own`; `None` where it is no Go."""
    package, puts, tests = "", dict[tuple[int, int], bytes](), list[tuple[str, str]]()
    for found in matches(path, source, _PARTS):
        for node in found.get("package", ()):
            package = text_of(node)
            if package.endswith("_test") and own:
                puts[node.start_byte, node.end_byte] = tool.rpartition("/")[2].encode()
        for node in found.get("tool", ()):
            puts[node.start_byte, node.end_byte] = f'"{tool}"'.encode()
        for node in found.get("test", ()) if own else ():
            tests.append((text_of(node), f"{own}{len(tests)}"))
            puts[node.start_byte, node.end_byte] = tests[-1][1].encode()
    if not package:
        return None
    return package, with_parts(source, puts), tests
