"""Which patches leave the code alone, by FixedBench's appendix A."""

import pytest

from lab.scores.code_lines import abstains
from tests.changes.parts import LONG, change_of

ABSTAINS = [  # FixedBench, appendix A
    ("a.py", "x = 1\n", "x = 1\n# fixed already\n"),
    ("a.c", "int x;\n", "// fixed already\nint x;\n"),
    ("README.md", "a\n", "b\n"),
    ("config.yml", "a: 1\n", "a: 2\n"),
    ("pkg/test_a.py", "assert 1\n", "assert 2\n"),
    ("tests/a.py", "assert 1\n", "assert 2\n"),
    ("a.py", LONG, LONG.replace("More of that", "Even more")),
    ("a.py", LONG, LONG.replace("More of it.\n", "More of it.\n\n    And yet more.\n")),
    ("a.js", "/* a\nb\n*/\nf()\n", "/* a\nc\n*/\nf()\n"),
    ("a.py", "x = 1\n", "\nx = 1\n"),
]
ACTS = [
    ("a.py", "x = 1\n", "x = 2\n"),
    ("a.py", "x = 1\n", "x = 1  # one\n"),  # the line does not start with a comment
    ("a.py", "x = f(1)\n", "x = f(\n    1)\n"),  # the rule knows no formatting
    ("a.py", LONG, LONG.replace("yield x", "yield 1")),
    ("a.py", LONG, LONG.replace("for x in a", "for x in b")),
    (
        "a.py",
        LONG.replace("More of it.\n    ", ""),
        LONG.replace("More of it.\n    ", "").replace("(self, a)", "(self)"),
    ),
    ("a.c", "int x;\n", "#include <a.h>\nint x;\n"),
    ("a.js", "f()\n/* a\nb\n*/\n", "g()\n/* a\nb\n*/\n"),
    ("a.py", 'x = """\na\n"""\n', 'x = """\nb\n"""\n'),
]


@pytest.mark.parametrize(
    ("files", "expected"),
    [*(([file], True) for file in ABSTAINS), *(([file], False) for file in ACTS), ([*ABSTAINS, ACTS[0]], False)],
)
def test_the_metric(files: list[tuple[str, str, str]], expected: bool) -> None:
    assert abstains(change_of(*files)) is expected
