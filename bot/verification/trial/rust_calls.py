"""Functions of Rust, and calls of them: told as they begin, and made in a test of their file, or in a plain program
that is not built as in development, where assertions for debugging hold. Of a binary they are made in a test alone."""

import json
import re
from collections.abc import Collection
from pathlib import PurePosixPath

from tree_sitter import Node

from bot.changes.syntax import matches, text_of, with_parts
from bot.verification.environments.manifests import Manifests, mapping
from bot.verification.files.rust_tests import is_test_item
from bot.verification.programs import content
from bot.verification.trial.go_calls import Made, TypedFunction
from bot.verification.values import Program

_FUNCTIONS = """(source_file (function_item
  name: (identifier) @name !type_parameters parameters: (parameters) @given return_type: (_) @result body: (block) @body
) @function)"""
_FEW = r"(?:[iu](?:8|16|32|64|size)|f(?:32|64)|char|String|&?str)"
_ONE = rf"(?:bool|{_FEW}|\({_FEW}(?:, {_FEW})+\))"
_TYPE = re.compile(rf"&?(?:\[{_ONE}\]|Vec<{_ONE}>|{_ONE})")
_SHOWN = re.compile(
    r"[iuf]\d{1,3}|[iu]size|bool|char|str|String|Option|Result|Vec|Box|Cow|(?:Hash|BTree)(?:Map|Set)|dyn|[Ee]rror|std"
)  # what tells itself
_LARGEST = 2**63
_RECORDER = """
#[allow(dead_code)]
fn {into}(name: &str, given: &[&dyn std::fmt::Debug]) {{
    use std::io::Write;
    if let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open("/results/{into}") {{
        let _ = file.write_all(format!("{{}} {{:?}}\\n", name, given).as_bytes());
    }}
}}
"""
_TEST = "\n#[cfg(test)]\nmod {into} {{\n    use super::*;\n    #[test]\n"
_PLAIN = "\n#[doc(hidden)]\npub mod {into} {{\n    use super::*;\n    pub "
_MAKER = """fn calls() {{
        use std::io::Write;
        let _made = |number: usize, call: &dyn Fn() -> std::string::String| {{
            let (how, told) = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| call())) {{
                Ok(told) => (if told.starts_with("Err(") {{ "raised" }} else {{ "returned" }}, told),
                Err(_) => ("raised", "panic".to_string()),
            }};
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open("/results/{into}").unwrap();
            let line = format!("[{{}}, {{:?}}, {{:?}}]\\n", number, how, told);
            file.write_all(line.as_bytes()).unwrap();
        }};
{calls}
    }}
}}
"""
_IN_TEST = "CARGO_TARGET_DIR=/tmp/{into} RUSTFLAGS=--cap-lints=allow cargo test {only}--bins {into}::"
_IN_PROGRAM = (
    "export CARGO_TARGET_DIR=/tmp/{into} RUSTFLAGS=--cap-lints=allow CARGO_PROFILE_DEV_DEBUG_ASSERTIONS=false "
    "CARGO_PROFILE_DEV_OVERFLOW_CHECKS=true; cargo build --example {into} && /tmp/{into}/debug/examples/{into}"
)


def functions(path: str, source: bytes) -> list[TypedFunction]:
    """Those of a file that give something plain back, and all of whose parameters have plain types; of those that only
    tests have, the twins of others."""
    found, of_all = list[TypedFunction](), set[str]()
    for each in matches(path, source, _FUNCTIONS):
        function, shown = each["function"][0], text_of(each["result"][0])
        given = [_parameter(one) for one in each["given"][0].named_children]
        plain = bool(given) and all(name and _TYPE.fullmatch(kind) for name, kind in given)
        apart = any(one.type == "function_modifiers" for one in function.children)
        if plain and not apart and all(map(_SHOWN.fullmatch, re.findall(r"\w+", shown))):
            names, types = zip(*given, strict=True)
            found.append(TypedFunction(text_of(each["name"][0]), names, each["body"][0].start_byte + 1, types))
            of_all |= set() if is_test_item(function) else {found[-1].name}
    return [each for each in found if each.name in of_all]


def _parameter(given: Node) -> tuple[str, str]:
    name, kind = given.child_by_field_name("pattern"), given.child_by_field_name("type")
    return (text_of(name) if name is not None and name.type == "identifier" else ""), text_of(kind)


def recorder(path: str, source: bytes, its: Collection[TypedFunction], into: str) -> dict[str, bytes]:
    """The file with each of these functions telling of its calls."""
    put = {
        (each.body, each.body): " {}({}, &[{}]); ".format(
            into, json.dumps(f"{path} {each.name}"), ", ".join(f"&{name}" for name in each.names)
        ).encode()
        for each in its
    }
    return {path: with_parts(source, put) + _RECORDER.format(into=into).encode()}


def maker(program: Program, calls: Made, into: str, *, tested: bool) -> tuple[dict[str, bytes], str]:
    """See `Made`: in each file a test that makes the calls of its functions, as all modules of tests have; or a
    function that does, called by that of the module around it, and in the end by an example of the package."""
    all_, put, lines = Manifests(program), dict[str, bytes](), dict[str, None]()
    inside = dict[tuple[str, str], dict[str, None]]()  # a file, and how what is put into it begins
    for path, its in calls.items():
        folders = (all_.inside("" if str(each) == "." else str(each)) for each in PurePosixPath(path).parents)
        root = next((each for each in folders if mapping(each.toml("Cargo.toml"), "package")), None)
        if root is None:
            continue
        said, folder = root.toml("Cargo.toml"), PurePosixPath(root.folder)
        top, *module = PurePosixPath(path).relative_to(folder).with_suffix("").parts
        plain = not tested and root.has("src/lib.rs") and top == "src" and module[:1] not in ([], ["bin"], ["main"])
        made = {f'_made({at}, &|| format!("{{:?}}", {text}));': None for _, at, text in its}
        inside.setdefault((path, _PLAIN if plain else _TEST), {}).update(made)
        for depth, name in enumerate(each for each in module if plain and each not in ("lib", "mod")):
            around = "/".join(["src", *module[:depth]])
            place = next(filter(root.has, (f"{around}.rs", f"{around}/mod.rs")), "src/lib.rs")
            inside.setdefault((str(folder / place), _PLAIN), {})[f"super::{name}::{into}::calls();"] = None
        if plain:
            library = str(mapping(said, "lib").get("name") or mapping(said, "package").get("name")).replace("-", "_")
            put[str(folder / f"examples/{into}.rs")] = f"fn main() {{ {library}::{into}::calls(); }}\n".encode()
        only = "--lib " if root.has("src/lib.rs") or mapping(said, "lib") else ""
        line = (_IN_PROGRAM if plain else _IN_TEST).format(into=into, only=only)
        lines[f"(cd ./{root.folder} && {line})"] = None
    for (path, begins), does in inside.items():
        text = (begins + _MAKER).format(into=into, calls="\n".join(does))
        put[path] = (content(program, path) or b"") + text.encode()
    return put, "; ".join(lines)


def call(function: TypedFunction, given: list[object]) -> str:
    """The call as Rust writes it; empty where it cannot."""
    told = [_written(value, kind) for value, kind in zip(given, function.types, strict=True)]
    return f"{function.name}({', '.join(told)})" if all(told) else ""


def _written(value: object, kind: str) -> str:
    if kind.startswith("&") and kind != "&str":
        below = _written(value, kind[1:])
        return f"&{below}" if below else ""
    if isinstance(value, tuple):
        kinds = kind[1:-1].split(", ") if kind[:1] == "(" else []
        told = [_written(*each) for each in zip(value, kinds, strict=False)]
        return f"({', '.join(told)})" if all(told) and len(told) == len(kinds) == len(value) else ""
    if isinstance(value, list):
        one = kind[1:-1] if kind.startswith("[") else kind[4:-1] if kind.startswith("Vec<") else ""
        told = [_written(each, one) for each in value] if one else [""]
        if not all(told):
            return ""
        return f"{'vec!' if kind.startswith('Vec') else ''}[{', '.join(told)}]"
    match value:
        case bool():
            return str(value).lower() if kind == "bool" else ""
        case int() if kind[0] in "iu":
            fits = -_LARGEST <= value < _LARGEST and not (kind[0] == "u" and value < 0)
            return f"({value}i128 as {kind})" if fits else ""
        case int() | float():
            return f"({float(value)!r}f64 as {kind})" if kind in ("f32", "f64") and abs(value) < _LARGEST else ""
        case str():
            if kind == "char":
                return f"'{value}'" if len(value) == 1 and value.isprintable() and value not in "'\\" else ""
            text = json.dumps(value, ensure_ascii=False) if value.replace("\n", "").isprintable() else ""
            return f"{text}.to_string()" if text and kind == "String" else text if kind == "&str" else ""
    return ""
