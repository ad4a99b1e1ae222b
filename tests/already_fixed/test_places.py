"""Where to look: how stack traces of installed code lead to the repository's files."""

from hypothesis import given
from hypothesis import strategies as st

from bot.already_fixed.places import in_traces
from tests.support.cases import cases

KNOWN = ("src/widgets/loader.py", "src/widgets/__init__.py", "tests/__init__.py", "web/app.js", "loader.py")


@cases
def test_a_frame_leads_to_the_file_it_ends_with(text: str, found: dict[str, str]) -> None:
    assert in_traces(text, KNOWN) == found


def test_the_innermost_frame_comes_first() -> None:
    text = 'File "src/widgets/__init__.py", line 1, in a\nFile "src/widgets/loader.py", line 2, in b\n'
    assert list(in_traces(text, KNOWN)) == ["src/widgets/loader.py", "src/widgets/__init__.py"]


@given(st.text(st.sampled_from('File "./\\ab:1,in at(\n)'), max_size=300))
def test_any_text_is_read(text: str) -> None:
    assert set(in_traces(text, ("a.b", "a/b.a"))) <= {"a.b", "a/b.a"}
