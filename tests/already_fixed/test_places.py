"""Where to look: how stack traces of installed code lead to the repository's files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.already_fixed.places import in_traces

KNOWN = ("src/widgets/loader.py", "src/widgets/__init__.py", "tests/__init__.py", "web/app.js", "loader.py")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            'File "/usr/lib/site-packages/widgets/loader.py", line 4, in load\n  File "a.py", line 1, in <module>',
            {"loader.py": "load in the stack trace"},
        ),
        (
            'File "/home/me/src/widgets/loader.py", line 4, in load',
            {"src/widgets/loader.py": "load in the stack trace"},
        ),
        ('File "loader.py", line 4, in <module>', {"loader.py": "in the stack trace"}),
        ("    at start (/srv/web/app.js:3:1)", {"web/app.js": "start in the stack trace"}),
        ("src\\widgets\\loader.py:41: KeyError", {"src/widgets/loader.py": "in the stack trace"}),
        ('File "widgets/__init__.py", line 1, in x', {"src/widgets/__init__.py": "x in the stack trace"}),
        ('File "__init__.py", line 1, in x', {}),
        ("Nothing to see in loader.py.", {}),
    ],
)
def test_a_frame_leads_to_the_file_it_ends_with(text: str, found: dict[str, str]) -> None:
    assert in_traces(text, KNOWN) == found


def test_the_innermost_frame_comes_first() -> None:
    text = 'File "src/widgets/__init__.py", line 1, in a\nFile "src/widgets/loader.py", line 2, in b\n'
    assert list(in_traces(text, KNOWN)) == ["src/widgets/loader.py", "src/widgets/__init__.py"]


@given(st.text(st.sampled_from('File "./\\ab:1,in at(\n)'), max_size=300))
def test_any_text_is_read(text: str) -> None:
    assert set(in_traces(text, ("a.b", "a/b.a"))) <= {"a.b", "a/b.a"}
