"""What product code does that speaks of its tests, its place or its interpreter: each trick, and what is as usual."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.read import read_change
from bot.changes.risks.catalogue import MOST_RISKS, risks
from bot.changes.risks.values import Holds
from tests.changes.parts import change_of, diff_of
from tests.support.cases import cases
from tests.support.properties import patient


def checks(path: str, before: str, after: str) -> set[str]:
    return {risk.check for risk in risks(change_of((path, f"{before}\n", f"{before}\n{after}\n")))}


@cases
def test_tricks(path: str, line: str, check: str) -> None:
    assert check in checks(path, "x", line)
    assert check not in checks(path, f"x\n{line}", "y"), "what was there is not new"


def test_no_number_of_harmless_findings_hides_another() -> None:
    picture = "diff --git a/{0} b/{0}\nnew file mode 100644\nBinary files /dev/null and b/{0} differ\n"
    pictures = "".join(picture.format(f"docs/{number}.png") for number in range(MOST_RISKS + 1))
    asks = diff_of("shop/cart.py", "x\n", "x\nif 'pytest' in sys.modules:\n")
    assert "asks_if_tested" in {risk.check for risk in risks(read_change(pictures + asks))}


def test_what_moves_from_one_file_to_another_is_not_new():
    asks = "    return os.hostname();\n"
    split = [("cart.js", f"x\n{asks}", "x\n"), ("name.js", "", f"y\n{asks}")]
    assert not risks(change_of(*split))
    assert [risk.path for risk in risks(change_of(split[1]))] == ["name.js"]
    chosen = ("name.js", "", "if (os.hostname() === 'sandbox') {\n")
    assert [risk.path for risk in risks(change_of(split[0], chosen))] == ["name.js"]
    example = ("examples/cart.js", f"x\n{asks}", "x\n")
    assert [risk.path for risk in risks(change_of(example, split[1]))] == ["name.js"], "nobody runs what lay there"


@cases
def test_what_only_looks_like_a_trick_holds_nothing(path: str, lines: str, check: str) -> None:
    assert checks(path, "x", lines) == ({check} if check else set())


def held(path: str, lines: str, others: str) -> set[str]:
    """The checks that ask for a person although the issue says so."""
    found = risks(change_of((path, "x\n", f"x\n{lines}\n")), "", others)
    return {risk.check for risk in found if risk.holds is Holds.ALWAYS}


# One word, and yet none but this one thing.
PLAIN = frozenset({"findCaller", "settrace", "getsource", "gethostname", "getuid", "getppid", "PYTHONHASHSEED"})


@cases
def test_no_word_of_a_line_waives_it(path: str, line: str, check: str) -> None:
    words = set(re.findall(r"[A-Za-z]+(?:_[a-z]+)*", f"{line} {path}")) - PLAIN - {"dont_write_bytecode"}
    words -= {"hash_randomization", "f_locals", "tb_frame", "co_code"}
    for word in words:
        assert check in held(path, line, f"Please fix {word}."), word


@cases
def test_an_issue_waives_by_what_no_change_may_choose(path: str, lines: str, hostile: str, honest: str) -> None:
    assert held(path, lines, hostile)
    assert not honest or not held(path, lines, honest)


@cases
def test_what_is_as_usual(path: str, lines: str) -> None:
    assert checks(path, "x", lines) == set()


@cases
def test_a_line_that_passes_on_what_one_in_its_place_asked_asks_nothing_new(line: str, asks: bool) -> None:
    found = risks(change_of(("shop/cart.py", "return socket.gethostname()\n", f"{line}\n")))
    assert ("asks_where_it_runs" in {risk.check for risk in found}) is asks


@cases
def test_a_script_that_only_names_a_module(line: str, holds: bool) -> None:
    assert ("install_script" in between("x", line, "setup.py")) is holds


def between(before: str, after: str, path: str = "shop/cart.py") -> set[str]:
    return {risk.check for risk in risks(change_of((path, f"x\n{before}\n", f"x\n{after}\n")))}


@pytest.mark.parametrize("path", ["shop/amount_test.py", "examples/test_amount.py", "tests/tests.py"])
def test_what_product_code_imports_is_product_whatever_it_is_called(path: str) -> None:
    frames = (path, "x\n", "x\ncaller = sys._getframe(1)\n")
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    imports = ("shop/cart.py", "x\n", f"x\nfrom {module} import caller\n")
    assert {risk.check for risk in risks(change_of(frames))} == set()
    assert {risk.check for risk in risks(change_of(frames, imports))} == {"reaches_frames"}
    through = ("examples/test_more.py", "x\n", f"x\nfrom {module} import caller\n")
    imports = ("shop/cart.py", "x\n", "x\nfrom examples import test_more\n")
    assert {risk.check for risk in risks(change_of(frames, through, imports))} == {"reaches_frames"}


TEST = (
    "tests/test_year.py",
    "\n",
    "\n\ndef test_leap():\n    assert leap(1904) is True\n    assert code('it') == 'Italy'\n"
    "    assert size('chunked') is None\n    assert size('A7-19') is None\n",
)


@cases
def test_an_answer_to_a_literal_of_a_test(lines: str, special: bool) -> None:
    change = change_of(("shop/year.py", "def leap(year):\n", f"def leap(year):\n{lines}\n"), TEST)
    assert ("special_cased" in {risk.check for risk in risks(change)}) is special


@cases
def test_values_of_tests_that_one_condition_compares(path: str, condition: str, asked: str, special: bool) -> None:
    before = 'func Count(n int, noun string) string {\n\tif kind == "known" {\n\t\treturn "x"\n\t}\n'
    head = f"{before}{condition.lstrip('+')}\n\t\treturn noun[1:]\n"
    before = "package tally\n" if condition.startswith("+") else before  # the function is new as well
    test = ("plural_test.go", "\n", '\n\tCount(2, "berry")\n\tCount(5, "city") != "known"\n')
    found = risks(change_of((path, before, head), test), asked, whole=lambda file: (before, head))
    assert ("special_cased" in {risk.check for risk in found}) is special


def test_an_answer_to_a_literal_of_the_issue() -> None:
    change = change_of(("shop/year.py", "a\n", "a\n    if year == 1904:\n        return True\n"))
    asked = "`leap(1904)` should be `True`"
    assert [(risk.check, risk.line) for risk in risks(change, asked)] == [("special_cased", 2)]


@cases
def test_an_answer_to_a_session_of_the_issue(asked: str, special: bool) -> None:
    change = change_of(("shop/year.py", "a\n", "a\n    if year == 1904:\n        return 'yes'\n"))
    assert ("special_cased" in {risk.check for risk in risks(change, asked)}) is special


def test_a_session_in_a_new_test_counts_too_and_its_honest_twin_does_not() -> None:
    session = ("tests/test_year.txt", "\n", "\n>>> leap(1904)\n'yes'\n")
    trick = ("shop/year.py", "a\n", "a\n    if year == 1904:\n        return 'yes'\n")
    honest = ("shop/year.py", "a\n", "a\n    if year % 4 == 0:\n        return 'yes'\n")
    asked = ">>> leap(1904)\n'yes'"
    assert "special_cased" in {risk.check for risk in risks(change_of(trick, session), asked)}
    assert "special_cased" not in {risk.check for risk in risks(change_of(honest, session), asked)}


@patient
@given(st.text(max_size=300), st.sampled_from(["a.py", "a.js", "package.json", "uv.lock", "pyproject.toml"]))
def test_every_text_is_read(text: str, path: str) -> None:
    lines = text.replace("\r", "").replace("\n", "\n+")
    change = change_of((path, "a\n", f"a\n{lines}\n".replace("\x00", "")))
    for risk in risks(change, text):
        assert risk.line >= 0
