"""What an old and a new test demand, and what the issue says of the two."""

import pytest

from bot.verification.files.bodies import Bodies
from bot.verification.patch_evidence import Fate, Settled
from bot.verification.testing.sources import defines_tests
from bot.verification.trial.contradictions import contradiction, renamed, weigh_demands
from tests.support.cases import cases, table

OLD = "def test_f():\n    assert f(1) == 'two words'"


@cases
def test_what_the_issue_asks_of_two_tests(new: str, asked: str, by: Settled) -> None:
    old, now = (Bodies({"test_a.py": each.encode()}.get).expected("test_a.py::test_f") for each in (OLD, new))
    assert weigh_demands(old, now, asked) is by


def test_a_renamed_test_is_found_again_by_its_name_or_its_body() -> None:
    body = "    data = load('kettle')\n    assert data.size == 4\n"
    old = Bodies({"t/test_a.py": f"def test_size():\n{body}".encode()}.get)
    new = Bodies(
        {"t/test_a.py": f"def test_it():\n    pass\n\n\ndef test_how_large():\n{body}".encode()}.get,
    )
    candidates = ["t/test_a.py::test_it", "t/test_a.py::test_how_large"]
    assert renamed("t/test_a.py::test_size", old, new, candidates) == "t/test_a.py::test_how_large"
    assert not renamed("t/test_a.py::test_size", old, new, candidates[:1])


@cases
def test_a_test_is_what_it_uses(part: str, now: str, same: bool) -> None:
    old = "import a\n\nLIMIT = 3\n\n\ndef test_f():\n    assert a.f() == LIMIT\n"
    texts = (old, old.replace(part, now))
    sides = [Bodies({"test_a.py": each.encode()}.get).demands("test_a.py::test_f[1]") for each in texts]
    assert (sides[0] == sides[1]) is same


@cases
def test_a_helper_belongs_to_a_test_however_it_is_imported(use: str) -> None:
    def told(tool: str) -> object:
        files = {"t/test_a.py": use, "t/tool.py": tool}
        return Bodies({path: text.encode() for path, text in files.items()}.get).demands("t/test_a.py::test_f")

    tool = "def same(n):\n    assert n\n\n\ndef other(n):\n    assert n\n"
    assert told(tool) == told(tool.replace("other(n):\n    assert n", "other(n):\n    pass"))
    assert told(tool) != told(tool.replace("same(n):\n    assert n", "same(n):\n    pass"))


@cases
def test_so_does_one_of_another_language_that_its_file_loads(name: str, path: str, test: str, helper: str) -> None:
    def told(text: str) -> object:
        files = {path: test.encode(), helper: text.encode()}
        return Bodies(files.get, frozenset(files)).demands(name)

    says = TEXTS[helper]
    assert told(says) == told(f"// Why.\n{says}") != told(says.replace("check", "print"))


@pytest.mark.parametrize(
    "body",
    [
        "    if a.f(0):\n        pass\n" + "".join(f"    elif a.f({n}):\n        pass\n" for n in range(300)),
        f"    assert a.f({' + '.join(['1'] * 700)})\n",
    ],
    ids=["branches", "sum"],
)
def test_code_that_is_deeper_than_the_stack_is_read_all_the_same(body: str) -> None:
    old = f"def test_f():\n{body}"
    new = old.replace("a.f(", "a.g(")
    sides = [Bodies({"test_a.py": each.encode()}.get) for each in (old, f"# Why.\n{old}", new)]
    demands = [each.demands("test_a.py::test_f") for each in sides]
    assert demands[0] == demands[1] != demands[2]
    assert "def test_f():" in sides[0].source("test_a.py::test_f")
    assert defines_tests(f"if True:\n{body.replace('a.f', 'f')}".encode() + old.encode())


TEXTS = table(dict[str, str], __file__, "TEXTS")
JS = TEXTS["js"]


@cases
def test_what_a_test_in_another_language_demands(
    path: str, name: str, others: str, expected: list[str], apart: str, same: str
) -> None:
    text = TEXTS[path.rpartition(".")[2]]
    file = "shop.dev/m/kit" if path.endswith(".go") else path

    def bodies(text: str) -> Bodies:
        return Bodies({path: text.encode()}.get, frozenset([path]))

    old, new, alike = bodies(text), bodies(text.replace(apart, apart + "9")), bodies(f"{text}{same}\n")
    test = f"{file}::{name}"
    assert old.has(test)
    assert new.has(test)
    assert expected in [sorted(each) for each in old.expected(test)]
    assert old.demands(test) == alike.demands(test) != new.demands(test)
    assert not others or apart == "reset(" or old.demands(f"{file}::{others}") == new.demands(f"{file}::{others}")
    assert not any(old.has(f"{file}::{each}") for each in ("shop", "Testing", "pots::helper", "labels"))


@cases
def test_a_renamed_test_in_another_language_is_held_against_the_issue(asked: str, settled: Settled) -> None:
    new = Bodies({"t/a.js": JS.replace("labels", "names").replace("3 EUR", "3 euros").encode()}.get)
    old = Bodies({"t/a.js": JS.encode()}.get)
    candidates = ["npm test", "t/a.js::shop > names", "t/a.js::throws"]
    found = contradiction("t/a.js::shop > labels", None, old, new, candidates, asked)
    assert (found.fate, found.now, found.settled) == (Fate.RENAMED, "t/a.js::shop > names", settled)
    assert "3 EUR" in found.old
    assert "3 euros" in found.new
