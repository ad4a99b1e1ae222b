"""Functions and methods of Go, and calls of them: told as they begin, and made in a test of their package or in a plain
program. What is given and comes back is what JSON says of it, where that is all; `go_calls.go` has Go's part."""

import base64
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePosixPath

from tree_sitter import Node

from bot.changes.syntax import matches, text_of, with_parts
from bot.verification.values import Program

MOST = 5_000  # calls that are recorded
_FUNCTIONS = """(source_file [
  (package_clause (package_identifier) @package)
  (function_declaration
    name: (identifier) @name !type_parameters parameters: (parameter_list) @given result: (_) body: (block) @body)
  (method_declaration receiver: (parameter_list) @of
    name: (field_identifier) @name parameters: (parameter_list) @given result: (_) body: (block) @body)
])"""
_TELLS = frozenset({"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"})  # of a type, what JSON says of it
_TEXT = (files(__package__) / "go_calls.go").read_text(encoding="utf-8").replace("MOST", str(MOST))
_TEST = 'import "testing"\n\nfunc Test_{own}(*testing.T) {{ {make} }}\n'
_WHOLE = "func run{own}() {{ {make} }}\n"
# Makes that the `main` of a program, so that every `init` has run. What the program calls so gets another name, but not
# the package, which is what a file names first.
_AS_MAIN = "gofmt -r 'main -> its{own}' -w ./*.go; sed -i '0,/its{own}/s//main/; s/^func run{own}/func main/' ./*.go; "
_PART = "func Make{own}() {{ {make} }}\n"
_MAIN = 'package main\n\nimport its "PATH"\n\nfunc main() {{ its.Make{own}() }}\n'


@dataclass(frozen=True, slots=True)
class TypedFunction:
    """A function. name: with its type before it. names: of its parameters, its object's first; types: theirs, as they
    are written, where they matter. body: where the inside of its braces begins, in bytes. package: that it belongs to,
    and called: how it is named there, where the language says so."""

    name: str
    names: tuple[str, ...]
    body: int
    types: tuple[str, ...] = ()
    package: str = ""
    called: str = ""


# The calls of each file, with their numbers and as the language writes them. Their maker says what has to stand in a
# program so that they are made, and the shell's line that makes them.
Made = Mapping[str, list[tuple[TypedFunction, int, str]]]


def functions(path: str, source: bytes) -> list[TypedFunction]:
    """Those of a file that give something back, and all of whose parameters have names."""
    package, found = "", list[TypedFunction]()
    for each in matches(path, source, _FUNCTIONS):
        package = text_of(each["package"][0]) if "package" in each else package
        if "name" not in each:
            continue
        name = called = text_of(each["name"][0])
        whole = not ("of" in each and name in _TELLS)
        names = list(_parameters(each["given"][0]))
        for its in each["of"][0].named_children if "of" in each else ():
            kind = text_of(its.child_by_field_name("type"))
            name, called = f"{kind.lstrip('*')}.{name}", f"({kind}).{name}"
            names = [text_of(its.child_by_field_name("name")), *names]
        whole &= name.replace(".", "").isidentifier()  # of no type with types of its own
        if whole and not {"", "_"} & {*names}:
            body = each["body"][0].start_byte + 1
            found.append(TypedFunction(name, tuple(names), body, package=package, called=called))
    return found


def _parameters(given: Node) -> Iterator[str]:
    for each in given.named_children:
        names = each.children_by_field_name("name") if each.type.endswith("parameter_declaration") else []
        yield from map(text_of, names) if names else [""]


def recorder(path: str, source: bytes, its: Collection[TypedFunction], into: str) -> dict[str, bytes]:
    """The file with each of these functions telling of its calls, and what they call for it."""
    put = {
        (each.body, each.body): f" {into}({', '.join((json.dumps(f'{path} {each.name}'), *each.names))}); ".encode()
        for each in its
    }
    return {path: with_parts(source, put), _beside(path, f"{into}.go"): _support(next(iter(its)).package, into, into)}


def maker(program: Program, calls: Made, into: str, *, tested: bool) -> tuple[dict[str, bytes], str]:
    """See `Made`: a test of each package, or a plain program of its own."""
    put, lines = dict[str, bytes](), list[str]()
    for number, folder in enumerate(dict.fromkeys(PurePosixPath(path).parent for path in calls)):
        its = [each for path, some in calls.items() if PurePosixPath(path).parent == folder for each in some]
        own, (function, *_) = f"{into}x{number}", its[0]
        table = ", ".join({f"{json.dumps(each.name)}: {each.called}": None for each, _, _ in its})
        told = (f'{{"Number": {at}, "Name": {json.dumps(each.name)}, "Given": {text}}}' for each, at, text in its)
        all_ = base64.b64encode(f"[{', '.join(told)}]".encode()).decode()
        make = f'make{own}(map[string]interface{{}}{{{table}}}, "{all_}")'
        whole = function.package == "main"  # which nothing else may import
        text = _TEST if tested else _WHOLE if whole else _PART
        begins = f"package {function.package}\n".encode()
        put[str(folder / f"{own}.go")] = _support(function.package, own, into)
        put[str(folder / f"{own}{'_test' if tested else 'z'}.go")] = begins + text.format(own=own, make=make).encode()
        if not (tested or whole):
            put[str(folder / own / "main.go")] = _MAIN.format(own=own).encode()
        as_program = _AS_MAIN.format(own=own) if whole else f'sed -i "s|PATH|$(go list .)|" {own}/*.go; '
        line = f"{as_program}go run ./{'' if whole else own}"
        line = f"go test -vet=off -run {own} ." if tested else line
        lines.append(f"(cd ./{folder} && {line})")
    return put, "; ".join(lines)


def call(function: TypedFunction, given: list[object]) -> str:
    """What a call is given, as Go reads it; empty where it cannot."""
    try:
        return json.dumps(given)
    except (TypeError, ValueError):
        return ""


def _support(package: str, own: str, into: str) -> bytes:
    return _TEXT.replace("PACKAGE", package).replace("OWN", own).replace("INTO", into).encode()


def _beside(path: str, name: str) -> str:
    return str(PurePosixPath(path).parent / name)
