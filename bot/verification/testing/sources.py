"""What the suite's own source says of itself, and what the names of its tests do, read without running it."""

import ast
from collections.abc import Mapping
from pathlib import PurePosixPath

from bot.changes.kinds import is_test_module, steers_pytest
from bot.verification.syntax import text_cache, tree_of

_KEPT = 16_000_000  # bytes of files: most are asked about anew for each of many runs of one suite


def test_files(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The files to run: those named as tests, else every Python file that is no support file."""
    python = sorted(path for path in files if path.endswith(".py") and not steers_pytest(path))
    python = [path for path in python if PurePosixPath(path).name != "__init__.py"]
    return tuple(path for path in python if is_test_module(path)) or tuple(python)


@text_cache(_KEPT)
def is_script(source: bytes) -> bool:
    """Whether a test file has no tests, but statements that do something when it runs."""
    body = tree_of(source).body
    if any(_defines_tests(statement) for statement in body):
        return False
    quiet = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    return any(
        not isinstance(statement, quiet)
        and not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in body
    )


# Its lines stand above as remarks, so that those of an error are found.
_AS_TEST = """
def test_script():
    import ast
    from _pytest.assertion.rewrite import rewrite_asserts
    source = %r
    tree = ast.parse(source, __file__)
    rewrite_asserts(tree, source, __file__)
    code = compile(tree, __file__, "exec", dont_inherit=True)
    try:
        exec(code, {"__name__": "__main__", "__file__": __file__})
    except SystemExit as ended:
        above, at = __file__.removesuffix(%r), ended.__traceback__
        while at is not None:
            if at.tb_frame.f_code.co_filename.removeprefix(above) in %r:
                raise  # it is not the program's to end its test
            at = at.tb_next
        if ended.code not in (0, None):
            raise
"""


def as_test(path: str, source: bytes, program: list[str]) -> bytes:
    """A script of assertions as one test, which is how the script ends. program: paths that judge nothing."""
    remarks = b"".join(b"# %b\n" % line for line in source.splitlines())
    return remarks + (_AS_TEST % (source, path, program)).encode()


@text_cache(_KEPT)
def named_tests(path: str, source: bytes) -> tuple[str, ...]:
    """Node ids of the plain test functions, which pytest is sure to find; parameters are left out."""
    body = tree_of(source).body
    if b"__test__" in source or any(isinstance(statement, ast.Delete) for statement in body):
        return ()
    return tuple(
        dict.fromkeys(
            f"{path}::{statement.name}"
            for statement in body
            if isinstance(statement, ast.FunctionDef)
            and statement.name.startswith("test")
            and not statement.decorator_list
        )
    )


def defines_python_tests(source: bytes) -> bool:
    """Whether a file of Python has test functions or classes of tests."""
    return any(map(_defines_tests, tree_of(source).body))


def _defines_tests(statement: ast.stmt) -> bool:
    """Whether it is a test or a class of tests, or one stands below it; in no depth of the interpreter's stack."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            if each.name.startswith("test"):
                return True
        elif isinstance(each, ast.ClassDef):
            if each.name.startswith("Test") or any(_is_test_case(base) for base in each.bases):
                return True
        else:
            waiting += [node for node in ast.iter_child_nodes(each) if isinstance(node, ast.stmt)]
    return False


def _is_test_case(base: ast.expr) -> bool:
    names = (getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(base))
    return any("TestCase" in name for name in names)


def stem_of(path: str) -> str:
    """A name without folders and its last ending, as modules are called: in small letters, with `_` for `-`."""
    return PurePosixPath(path).stem.lower().replace("-", "_")


def subject_of(test: str) -> str:
    """What a file of tests is about, by its name: in small letters, and of any other file its own name."""
    stem = stem_of(test)
    for mark in ("tests", "test", "spec"):
        stem = stem.removeprefix(f"{mark}_").removesuffix(f"_{mark}").removesuffix(f".{mark}")
    return stem


def file_of(name: str) -> str:
    """The file of a test, from its node id."""
    return name.partition("::")[0]


def function_of(name: str) -> str:
    """A test's name without its parameters."""
    head, _, last = name.rpartition("::")
    return f"{head}::{last.partition('[')[0]}" if head else name.partition("[")[0]


def is_doctest(name: str) -> bool:
    """Whether it is an example in a docstring, which pytest calls by the module's and the function's dotted name."""
    file, _, inner = name.partition("::")
    return file.endswith(".py") and "::" not in inner and "." in inner.partition("[")[0]
