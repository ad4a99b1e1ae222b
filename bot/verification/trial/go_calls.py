"""Functions of Go, and calls of them: told as they begin, and made in a test of their package."""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from tree_sitter import Node

from bot.changes.syntax import matches, text_of, with_parts
from bot.verification.values import Program

_FUNCTIONS = """(source_file [
  (package_clause (package_identifier) @package)
  (function_declaration
    name: (identifier) @name !type_parameters parameters: (parameter_list) @given result: (_) body: (block) @body)
])"""
_TYPE = re.compile(r"(?:\[\])?[A-Za-z]\w*")
_NOT_PLAIN = ("any", "error", "[]any", "[]error")
_NUMBERS = re.compile(r"u?int(?:8|16|32|64|ptr)?|byte|rune|float(?:32|64)")
_LARGEST = 2**63
_RECORDER = """\
package {package}

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
)

var its{into} sync.Mutex

func {into}(name string, given ...interface{{}}) {{
	defer func() {{ recover() }}()
	told := make([]string, len(given))
	for at, each := range given {{
		told[at] = one{into}(reflect.ValueOf(each))
	}}
	its{into}.Lock()
	defer its{into}.Unlock()
	if file, err := os.OpenFile("/results/{into}", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err == nil {{
		fmt.Fprintf(file, "%s(%s)\\n", name, strings.Join(told, ", "))
		file.Close()
	}}
}}

func one{into}(given reflect.Value) string {{
	switch given.Kind() {{
	case reflect.Bool:
		return map[bool]string{{true: "True", false: "False"}}[given.Bool()]
	case reflect.String:
		return fmt.Sprintf("%q", given.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprint(given.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprint(given.Uint())
	case reflect.Float32, reflect.Float64:
		return fmt.Sprint(given.Float())
	case reflect.Slice:
		told := make([]string, given.Len())
		for at := range told {{
			told[at] = one{into}(given.Index(at))
		}}
		return "[" + strings.Join(told, ", ") + "]"
	}}
	panic("not plain")
}}
"""
_MAKER = """\
package {package}

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func Test_{own}(t *testing.T) {{
	tell{own} := func(values ...interface{{}}) [2]string {{
		told := make([]string, len(values))
		for at, each := range values {{
			switch each := each.(type) {{
			case error:
				return [2]string{{"raised", each.Error()}}
			case bool:
				told[at] = map[bool]string{{true: "True", false: "False"}}[each]
			case nil:
				told[at] = "None"
			default:
				told[at] = fmt.Sprintf("%#v", each)
			}}
		}}
		if len(told) == 1 {{
			return [2]string{{"returned", told[0]}}
		}}
		return [2]string{{"returned", "(" + strings.Join(told, ", ") + ")"}}
	}}
	made{own} := func(number int, call func() [2]string) {{
		ended := make(chan [2]string, 1)
		go func() {{
			defer func() {{
				if why := recover(); why != nil {{
					ended <- [2]string{{"raised", fmt.Sprint(why)}}
				}}
			}}()
			ended <- call()
		}}()
		told := [2]string{{"timeout", ""}}
		select {{
		case told = <-ended:
		case <-time.After(time.Second):
		}}
		line, _ := json.Marshal(told)
		if file, err := os.OpenFile("/results/{into}", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err == nil {{
			fmt.Fprintf(file, "%d %s\\n", number, line)
			file.Close()
		}}
	}}
{calls}
}}
"""


@dataclass(frozen=True, slots=True)
class TypedFunction:
    """A function outside of types. types: of its parameters, as they are written. names: theirs. body: where the inside
    of its braces begins, in bytes. package: that it belongs to, where the language says so."""

    name: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    body: int
    package: str = ""


def functions(path: str, source: bytes) -> list[TypedFunction]:
    """Those of a file that give something back, and all of whose parameters have plain types."""
    package, found = "", list[TypedFunction]()
    for each in matches(path, source, _FUNCTIONS):
        package = text_of(each["package"][0]) if "package" in each else package
        given = list(_parameters(each["given"][0])) if "given" in each else []
        if given and all(name not in ("", "_") and _is_plain(kind) for name, kind in given):
            names, types = zip(*given, strict=True)
            body = each["body"][0].start_byte + 1
            found.append(TypedFunction(text_of(each["name"][0]), names, types, body, package))
    return found


def _parameters(given: Node) -> Iterator[tuple[str, str]]:
    for each in given.named_children:
        kind = text_of(each.child_by_field_name("type")) if each.type == "parameter_declaration" else ""
        names = each.children_by_field_name("name")
        yield from ((text_of(name), kind) for name in names) if names else [("", kind)]


def _is_plain(kind: str) -> bool:
    return bool(_TYPE.fullmatch(kind)) and kind not in _NOT_PLAIN


def recorder(path: str, source: bytes, its: Collection[TypedFunction], into: str) -> dict[str, bytes]:
    """The file with each of these functions telling of its calls, and what they call for it."""
    put = {
        (each.body, each.body): f" {into}({json.dumps(f'{path} {each.name}')}, {', '.join(each.names)}); ".encode()
        for each in its
    }
    beside = _RECORDER.format(package=next(iter(its)).package, into=into).encode()
    return {path: with_parts(source, put), _beside(path, f"{into}.go"): beside}


def maker(path: str, source: bytes, package: str, calls: list[tuple[int, str]], into: str) -> dict[str, bytes]:
    """A test that makes calls of this file's functions, each with its number."""
    own = f"{into}x{calls[0][0]}"  # no other file's
    lines = (f"\tmade{own}({number}, func() [2]string {{ return tell{own}({call}) }})" for number, call in calls)
    text = _MAKER.format(package=package, into=into, own=own, calls="\n".join(lines))
    return {_beside(path, f"{own}_test.go"): text.encode()}


def call(function: TypedFunction, given: list[object]) -> str:
    """The call as Go writes it; empty where it cannot."""
    told = [_written(value, kind) for value, kind in zip(given, function.types, strict=True)]
    return f"{function.name}({', '.join(told)})" if all(told) else ""


def _written(value: object, kind: str) -> str:
    if isinstance(value, list):
        told = [_written(each, kind[2:]) for each in value] if kind.startswith("[]") else [""]
        return f"{kind}{{{', '.join(told)}}}" if all(told) else ""
    number, fits = _NUMBERS.fullmatch(kind), not kind.startswith("[]")
    match value:
        case bool():
            return f"{kind}({str(value).lower()})" if fits and not number and kind != "string" else ""
        case int() | float():
            fits = fits and kind not in ("string", "bool") and -_LARGEST <= value < _LARGEST
            fits = fits and not (value < 0 and kind.startswith(("u", "byte")))
            size = "int64" if isinstance(value, int) else "float64"
            return f"{kind}(func(it {size}) {size} {{ return it }}({value!r}))" if fits else ""  # no constant
        case str():
            fits = fits and not number and kind != "bool" and value.replace("\n", "").isprintable()
            return f"{kind}({json.dumps(value, ensure_ascii=False)})" if fits else ""
    return ""


def command(program: Program, paths: Collection[str], into: str) -> str:
    """Runs the tests that make calls."""
    folders = dict.fromkeys(PurePosixPath(path).parent for path in paths)
    return "; ".join(f"(cd ./{folder} && go test -vet=off -run {into} .)" for folder in folders)


def _beside(path: str, name: str) -> str:
    return str(PurePosixPath(path).parent / name)
