import ast
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.plain_text import clean
from bot.rendering.escape import block, code, exact, prose
from tests.bounded.growth import grows
from tests.rendering.github_markdown import HARMLESS, alive, tokens
from tests.support.cases import cases

# fmt: off
FRAGMENTS = [
    "@octocat", "@org/team", "#1", "GH-12", "owner/repo#3", "a" * 40, "deadbeef", "https://evil.example/x?a=b",
    "www.evil.com", "evil.com", "mailto:a@b.co", "a@b.co", "![x](http://e.co/a.png)", "[x](https://e.co 'title')",
    "[x]: http://e.co", "<b>", "<img src=x>", "<!-- bouncer:issue -->", "-->", "<details>", "`", "``", "```", "~~~",
    ":smile:", ":", "*", "**", "_", "__", "~~", "$x$", "$`", "$$", "# x", "- ", "- [ ] ", "1. ", "> ", "|a|b|",
    "---", "===", "\n", "\n\n", "    ", "\t", "\\", "&amp;", "&#64;octocat", "&lt;", "\u200b", "\u202e", "\u2066",
    "\U000e0041", "\x1b[31m", "\x00", "\ud800", "/bouncer accept", "word", "It's", "e.g.", "例え", "www.例え.com",
    "//e.co", "ftp://e.co", "HTTPS://E.CO", "(", ")", "[", "]", "!", "^1", "[^1]", "1.", "é", "ﬀ",
    "javascript:alert(1)", "ABC-123", "/", ".", ",", "＠", "&", "@",
]
# fmt: on
untrusted = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(FRAGMENTS), max_size=8).map("".join),
    st.lists(st.sampled_from(FRAGMENTS), max_size=8).map(" ".join),
    st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=3)), max_size=8).map("".join),
)


@settings(max_examples=250, deadline=None)
@given(untrusted)
@example("https://a@b.co\\")
@example("@`a`")
@example("` `-")
@example("` ` 1. `a`")
def test_prose_is_one_paragraph_in_which_nothing_is_alive(text: str) -> None:
    shown = prose(text)
    assert alive(shown) == []
    assert {token.type for token in tokens(shown)} <= HARMLESS
    assert "\n" not in shown and "<!--" not in shown
    for around in ("- [ ] what happens: “{}”", "1. {}", "“{}” — which one?", "   {}"):
        inside = around.format(shown)
        assert alive(inside) == []
        assert sum(token.type == "paragraph_open" for token in tokens(inside)) <= 1


@settings(max_examples=150, deadline=None)
@given(untrusted)
def test_code_is_one_code_span(text: str) -> None:
    shown = code(text)
    assert alive(shown) == []
    kinds = [token.type for token in tokens(shown)]
    assert kinds in ([], ["paragraph_open", "inline", "code_inline", "paragraph_close"])


@settings(max_examples=150, deadline=None)
@given(untrusted)
def test_program_text_is_shown_to_the_letter_and_nothing_in_it_is_alive(text: str) -> None:
    literal = repr(text)
    span = [token for token in tokens(exact(literal)) if token.type != "inline"]
    assert [token.type for token in span] == ["paragraph_open", "code_inline", "paragraph_close"]
    assert ast.literal_eval(span[1].content) == text
    assert alive(exact(literal)) == []
    assert "<!--" not in exact(literal) + block(literal)
    assert not any(unicodedata.category(character) in {"Cc", "Cf"} for character in exact(literal))
    (fenced,) = tokens(block(literal, "python"))
    assert (fenced.type, fenced.info) == ("fence", "python")
    assert ast.literal_eval(fenced.content) == text


@pytest.mark.parametrize("text", ["", " ", "  ", " a ", "`", "` ", " `a` ", "a\nb", "``` ```"])
def test_any_text_fits_into_a_span_and_a_block(text: str) -> None:
    shown = [token.content for token in tokens(exact(text)) if token.type == "code_inline"]
    assert shown == ([text.replace("\n", "\\n")] if text else [])
    (fenced,) = tokens(block(text))
    assert fenced.content == f"{text}\n"


@settings(max_examples=150, deadline=None)
@given(untrusted, st.integers(10, 60))
def test_clean_is_one_bounded_line_without_anything_invisible(text: str, limit: int) -> None:
    shown = clean(text, limit)
    assert len(shown) <= limit
    assert all(unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} for character in shown)
    assert clean(shown, limit) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It doesn't work, e.g. on 3.11.2 (50% of the time)!", "It doesn't work, e.g. on 3.11.2 (50% of the time)!"),
        ("Ein Käfer – sehr übel; wirklich?", "Ein Käfer – sehr übel; wirklich?"),
        ("ログインできません。どのバージョンですか？", "ログインできません。どのバージョンですか？"),
        ("لا يعمل على الإطلاق", "لا يعمل على الإطلاق"),
        ("When I call foo_bar(x), it fails.", "When I call `foo_bar(x)`, it fails."),
        ("ask @octocat (see #12)", "ask `@octocat` (see `#12`)"),
        ("see [the docs](https://evil.example) now", "see the docs now"),
        ("see https://evil.example/a_b, please", "see (link), please"),
        ("![shot](https://evil.example/a.png)", "(image)"),
        ("请看https://evil.example谢谢", "请看(link)谢谢"),
        ("set `a_b` now", "set `a_b` now"),
        ("a\u200bb\u202ec\U000e0041d", "abcd"),
        ("a\u3164b\u2800c\u034fd\ufe0f", "abcd"),
        ("two\n\n# lines", "two `#` lines"),
        ("1. one", "`1.` one"),
        ("0/WWW. is no address", "`0/WWW`. is no address"),
        ("R & D", "R & D"),
        ("z" + "\u0301" * 50, "z" + "\u0301" * 3),
    ],
)
def test_prose_stays_readable(text: str, shown: str) -> None:
    assert prose(text) == shown


def test_long_text_is_cut() -> None:
    assert prose("word " * 1000, 20) == "word word word word…"
    assert len(code("x" * 1000, 50)) == 52


@pytest.mark.parametrize("unit", ["[", "`", "`a``b", "![](", "a-", "\u0301"])
def test_four_times_a_hostile_text_takes_no_more_than_four_times_the_work(unit: str) -> None:
    assert not grows(prose, unit * (4_096 // len(unit)), unit * (16_384 // len(unit)))


@cases
def test_the_tests_own_eye_sees(text: str) -> None:
    assert alive(text) != []
