"""Trials of whole changes, in the sandbox: the trick and its honest twin."""

import json
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.protocol import Job, Outcome
from bot.verification.environments.commands import with_reports
from bot.verification.patch_evidence import Fate, PatchEvidence, Red, Settled, Standing, TestModules
from bot.verification.syntax import lets_more_in
from bot.verification.trial import of_both
from bot.verification.trial.of_both import fits
from bot.verification.trial.trial import on_trial
from bot.verification.values import Base, Program, Suite, TestResult, TestStatus
from tests.support.cases import cases, table
from tests.support.needs import missing
from tests.support.sandbox import BUBBLEWRAP, Remembering

BASE = {
    "calc.py": "def double(n):\n    return n * 2\n\n\ndef half(n):\n    return n // 3\n",
    "tests/test_calc.py": "from calc import double\n\n\ndef test_double():\n    assert double(2) == 4\n",
    "tests/data.txt": "4",
    "testdata/rates.py": "RATE = 2\n",
    "shop.py": "from testdata.rates import RATE\n\n\ndef price(n):\n    return n * RATE\n",
    "tests/test_shop.py": "from shop import price\n\n\ndef test_price():\n    assert price(2) == 4\n",
}
BROKEN = BASE["calc.py"].replace("n * 2", "n * 3")
MENDED = BASE["calc.py"].replace("n // 3", "n // 2")
PATCHES = "import calc\n\ncalc.double = lambda n: n * 2\n"


@dataclass
class Noting(Remembering):
    """seeds: of the orders in which the last trial drew its tests; `None` where it drew none. selects: what it named
    to pytest."""

    seeds: list[int | None] = field(default_factory=list)
    selects: list[list[str]] = field(default_factory=list)

    def run(self, job: Job) -> Outcome:
        plan = json.loads(job.stdin or b"{}")
        self.seeds.append(plan.get("task", {}).get("seed"))
        self.selects += [each["select"] for each in plan.get("variants", [])]
        return super().run(job)


EXECUTOR = Noting(BubblewrapExecutor())  # every trial has the same base
OWN = "from calc import half\n\n\ndef test_half():\n    assert half(4) == 2\n"


def tried(
    place: Path,
    change: dict[str, str],
    asked: str = "",
    base: dict[str, str] | None = None,
    suite: Suite = Suite(),  # noqa: B008 - it is frozen
) -> PatchEvidence:
    for name, files in (("base", {**BASE, **(base or {})}), ("head", {**BASE, **change})):
        for path, text in files.items():
            (place / name / path).parent.mkdir(parents=True, exist_ok=True)
            (place / name / path).write_text(text)
    EXECUTOR.seeds.clear()
    EXECUTOR.selects.clear()
    start = Base(Program(place / "base", {}), suite)
    head = Program(place / "head", {})
    return on_trial(EXECUTOR, start, head, suite, specification=asked, seconds=600).found


def test_no_trick_makes_broken_tests_of_the_base_pass_and_what_the_product_imports_is_product(tmp_path: Path) -> None:
    trick = {"random.py": PATCHES, "tests/calc.py": BASE["calc.py"], "src/calc.py": BASE["calc.py"]}
    found = tried(tmp_path, {"calc.py": BROKEN, "testdata/rates.py": "RATE = 3\n", **trick})
    assert found.regressions == ("tests/test_shop.py::test_price",)
    assert [each.test for each in found.contradictions] == ["tests/test_calc.py::test_double"]
    assert found.standing is Standing.IMPLAUSIBLE
    looked = [name for asked in EXECUTOR.selects for name in asked if "::" in name]
    assert not looked  # what is broken is: no other look is taken at the rest


def test_data_of_tests_that_follows_the_issue_breaks_no_test(tmp_path: Path) -> None:
    """What a test expects may stand in a file of data: that is weighed against the issue as its own text is."""
    text = "import json\nfrom pathlib import Path\nimport pytest\nfrom calc import half\n\n"
    text += "ROWS = json.loads((Path(__file__).parent / 'golden' / 'half.json').read_text())\n\n"
    case = "@pytest.mark.parametrize('row', ROWS, ids=str)\ndef test_half(row):\n    assert half(row[0]) == row[1]\n"
    whole = text + "def test_half():\n    assert [half(one) for one, _ in ROWS] == [two for _, two in ROWS]\n"
    golden = {"tests/golden/half.json": "[[36, 12], [0, 0]]"}
    change = {"calc.py": MENDED, "tests/golden/half.json": "[[36, 18], [0, 0]]"}
    for number, (test, name) in enumerate(((text + case, "test_half[[36, 12]]"), (whole, "test_half"))):
        base = golden | {"tests/test_rows.py": test}
        for asked, settled in (("`half(36)` should be 18", Settled.NEW), ("half is wrong", Settled.OPEN)):
            found = tried(tmp_path / f"{number}{settled}", base | change, asked, base)
            assert [(one.test, one.settled) for one in found.contradictions] == [
                (f"tests/test_rows.py::{name}", settled)
            ]
            assert (found.regressions, found.unlike) == ((), ())
        steered = base | change | {"tests/conftest.py": "x = 1\n"}
        assert tried(tmp_path / f"{number}s", steered, "`half(36)` should be 18", base).contradictions == ()
    wrong = {"calc.py": MENDED.replace("// 2", "// 4"), "tests/golden/half.json": "[[36, 18], [0, 0]]"}
    for number, rows in enumerate(("[[36, 18]]", "[[36, 18], [36, 18]]", "[[36, 18],  [0, 0]]")):
        fewer = base | change | {"tests/golden/half.json": rows}
        told = tried(tmp_path / f"fewer{number}", fewer, "`half(36)` should be 18", base).contradictions
        assert [one.settled for one in told] == [Settled.OPEN], "a row is dropped, another is asked, or blanks differ"
    found = tried(tmp_path / "wrong", base | wrong, "`half(36)` should be 18", base)
    assert found.regressions == ("tests/test_rows.py::test_half",), "its own data does not hold either"


def test_a_file_that_is_rewritten_where_it_is_read_holds_against_all_of_its_tests(tmp_path: Path) -> None:
    """What a test file does when it is read is part of each test in it: none of them was left alone."""
    test = "from calc import double\n\nFOUR = double({})\n\n\ndef test_other():\n    assert double\n"
    there = {"tests/test_more.py": test.format("2")}
    change = {
        "calc.py": BASE["calc.py"].replace(
            "double(n):\n    return n * 2", "double(n, *, times):\n    return n * times"
        ),
        "tests/test_more.py": test.format("2, times=2"),
        "tests/test_calc.py": "",
    }
    found = tried(tmp_path / "rewritten", change, base=there)
    assert "tests/test_more.py::test_other" in {each.test for each in found.contradictions}
    assert found.regressions == ()
    change = {**change, **there}  # left alone, and broken
    assert "tests/test_more.py::test_other" in tried(tmp_path / "broken", change, base=there).regressions


CASES = table(dict[str, str], __file__, "CASES")
BROUGHT = {  # by its configuration, as data, and through a helper
    "pytest.ini": "[pytest]\npython_files = test_*.py check_*.py\n",
    "tests/check_half.py": OWN,
    "tests/cases/two.json": '{"given": 4, "half": 2}',
    "tests/helping.py": "def same(one, other):\n    assert one + other == 4\n",
}


def test_its_own_tests_are_those_that_its_collection_has_whatever_their_names(tmp_path: Path) -> None:
    red = {**BROUGHT, "tests/helping.py": "def same(one, other):\n    assert one == other + 1\n"}
    found = tried(tmp_path, {**CASES, **red}, base=CASES)
    assert found.standing is Standing.IMPLAUSIBLE
    assert set(found.own_failing) == {
        "tests/check_half.py::test_half",
        "tests/test_cases.py::test_case[two.json]",
        "tests/test_helped.py::test_helped",
    }


def test_a_case_that_is_taken_away_with_its_data_contradicts_the_change_and_one_that_stays_is_broken(
    tmp_path: Path,
) -> None:
    case = {"tests/cases/six.json": '{"given": 6, "half": 2}'}
    name, change = "tests/test_cases.py::test_case[six.json]", {**CASES, "calc.py": MENDED.replace("// 2", "// 4")}
    found = tried(tmp_path / "gone", change, base={**CASES, **case})
    assert (found.regressions, [(each.test, each.fate) for each in found.contradictions]) == (
        (),
        [(name, Fate.REMOVED)],
    )
    assert tried(tmp_path / "kept", {**change, **case}, base={**CASES, **case}).regressions == (name,)


def test_a_file_in_a_folder_that_is_run_anyway_is_run_once(tmp_path: Path) -> None:
    """Some pytest runs a file twice that is named beside its folder: that looks like a forged report."""
    text = BASE["tests/test_calc.py"] + "\n\ndef test_four():\n    assert double(2) + 0 == 4\n"
    change = {"tests/test_calc.py": text, "tests/conftest.py": "", "more/test_more.py": "def test_more(): pass\n"}
    found = tried(tmp_path, change, suite=Suite(select=("./tests",)))
    assert found.facts.as_pushed is not None and found.facts.as_pushed.passed
    assert ["./tests", "more/test_more.py"] in EXECUTOR.selects
    assert not any("./tests" in each and "tests/test_calc.py" in each for each in EXECUTOR.selects)


def test_honest_tests_whatever_their_names_go_from_red_to_green(tmp_path: Path) -> None:
    noting = f"{OWN}    open('tests/data.txt', 'w').write('5')\n"  # which is data, and no judge
    change = {
        **CASES,
        **BROUGHT,
        "calc.py": f"{MENDED}\n\ndef third(n):\n    return n // 3\n",
        "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef four():\n    return 4\n",
        "tests/check_half.py": noting.replace("half()", "half(four)").replace("half(4)", "half(four)"),
        "tests/test_third.py": "from calc import third\n\n\ndef test_third():\n    assert third",
    }
    found = tried(tmp_path, change, "There should be a `third`.", base=CASES)
    assert (found.standing, found.own_failing, found.unlike, found.unsteady) == (Standing.PLAUSIBLE, (), (), ())
    assert found.written == ()
    assert any(EXECUTOR.seeds)
    assert {(each.test, each.red) for each in found.turned if each.counts} == {
        ("tests/check_half.py::test_half", Red.ASSERTION),
        ("tests/test_cases.py::test_case[two.json]", Red.ASSERTION),
    }


@pytest.mark.parametrize(
    ("old", "new", "call", "counts"),
    [
        ("drop(n):\n    return None", 'drop(n, *more):\n    """And all else."""\n    return None', "drop(1, 2)", True),
        ("drop(n):\n    return None", "drop(n, *more):\n    return print()", "drop(1, 2)", False),  # nobody looks at it
        ("drop(n):\n    return n", "drop(n, *more):\n    return n", "drop(1, 2)", False),  # it gives as much as before
        ("drop(n):\n    pass", "drop(n: int):\n    pass", "drop(1, 2) if half(0) else exec('raise TypeError')", False),
    ],
)
def test_a_call_that_only_its_parameters_let_in_goes_from_red_to_green(
    tmp_path: Path, old: str, new: str, call: str, counts: bool
) -> None:
    base, change = ({"calc.py": f"{BASE['calc.py']}\n\ndef {each}\n"} for each in (old, new))
    change["tests/test_drop.py"] = f"from calc import *\n\n\ndef test_drop():\n    {call}\n    assert half\n"
    found = tried(tmp_path, change, "drop(1, 2) ends in an error.", base=base)
    assert any(each.counts for each in found.turned) is counts


def test_a_function_too_large_to_be_compared_is_said_to_be_another() -> None:
    chain = b"def f(n):\n    if n == 0:\n        n = 1\n"
    chain += b"".join(b"    elif n == %d:\n        n = 1\n" % at for at in range(1, 600))
    assert not lets_more_in("f", chain, chain.replace(b"(n)", b"(n, m)"))


def test_code_that_reaches_for_its_judge_while_only_its_own_tests_run_is_named(tmp_path: Path) -> None:
    code = (
        "def half(n):\n    import builtins\n    builtins.compile = lambda *given, **named: None\n"
        "    with open('tests/test_calc.py', 'a') as tests:\n        tests.write('')\n        tests.truncate()\n"
        "    return n // 2\n"
    )
    own = f"{BASE['tests/test_calc.py']}\n\n{OWN}"
    found = tried(tmp_path, {"calc.py": BASE["calc.py"].partition("def half")[0] + code, "tests/test_calc.py": own})
    assert found.written == ("tests/test_calc.py",)
    assert "the report is forged: the program replaced builtins.compile" in found.gone
    assert found.standing is Standing.OPEN


NODE = table(dict[str, str], __file__, "NODE")


def test_in_another_language_a_renamed_test_is_held_against_the_issue_and_a_changed_one_is_its_own(
    tmp_path: Path,
) -> None:
    if not shutil.which("node"):
        missing("node")
    change = {
        "lib/price.js": NODE["lib/price.js"].replace("EUR", "euros").replace("n / 3", "n / 2"),
        "test/price.test.js": NODE["test/price.test.js"]
        .replace('"label"', '"names the currency"')
        .replace("3 EUR", "3 euros")
        .replace("half(0), 0);", "half(0), 0);\n  assert.strictEqual(half(4), 2);"),
    }
    for name, files in (("base", NODE), ("head", {**NODE, **change})):
        for path, text in files.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_text(text)
    suite = Suite(command=("/bin/sh", "-c", with_reports("npm test", {"test": "node --test test/"})))
    base, head = Base(Program(tmp_path / "base", {}), suite), Program(tmp_path / "head", {})
    asked = "A label should say `3 euros`, and half of 4 is 2."
    found = on_trial(BUBBLEWRAP, base, head, suite, specification=asked, seconds=600).found
    assert [(each.fate, each.now, each.settled) for each in found.contradictions] == [
        (Fate.RENAMED, "test/price.test.js::names the currency", Settled.NEW)
    ]
    assert "test/price.test.js::half" in {each.test for each in found.turned if each.counts}
    assert (found.regressions, found.own_failing, found.unlike) == ((), (), ())


def test_an_example_in_a_docstring_makes_no_test_of_the_code_around_it(tmp_path: Path) -> None:
    """The head's code runs, and one that it takes away is shown to a person, as is a test."""
    ini = {"pytest.ini": "[pytest]\naddopts = --doctest-modules\n"}
    shown = 'def most(n):\n    """\n    >>> most(2)\n    3\n    """\n    return n + 1\n'
    more = shown.replace("most", "least")
    change = {**ini, "more.py": shown.replace("n + 1", "n + 2"), "calc.py": BROKEN, "tests/test_calc.py": ""}
    found = tried(tmp_path, change, base={**ini, "more.py": shown + "\n\n" + more})
    assert found.regressions == ("more.py::more.most",)
    assert {(each.test, each.fate) for each in found.contradictions} == {
        ("more.py::more.least", Fate.REMOVED),
        ("tests/test_calc.py::test_double", Fate.REMOVED),
    }


ASKS = BASE["calc.py"].replace("    return n // 3", "    import sys\n\n    return n // (2 if {} else 3)")
ONLY_TESTED = table(dict[str, str], __file__, "ONLY_TESTED")


def test_a_test_that_passes_since_the_code_sees_that_it_is_tested_is_no_merit(tmp_path: Path) -> None:
    change = {"calc.py": ASKS.format("'pytest' in sys.modules"), "tests/test_half.py": OWN}
    found = tried(tmp_path / "trick", change, "half(4) should be 2")
    assert [each.name for each in found.only_tested] == ["tests/test_half.py::test_half"]
    assert not any(each.counts for each in found.turned)
    assert "calc.half(4)" in found.only_tested[0].message


def test_each_call_of_a_test_is_made_again_and_not_its_first_alone(tmp_path: Path) -> None:
    own = "from calc import half\n\n\ndef test_half():\n    assert (half(0), half(1), half(4)) == (0, 0, 2)\n"
    change = {"calc.py": ASKS.format("n < 2 or 'pytest' in sys.modules"), "tests/test_half.py": own}
    found = tried(tmp_path / "trick", change, "half(4) should be 2")
    assert "calc.half(4)" in found.only_tested[0].message
    assert tried(tmp_path / "twin", {"calc.py": MENDED, "tests/test_half.py": own}).only_tested == ()


def test_code_answers_its_tests_and_nobody_else_by_whatever_it_finds_out(tmp_path: Path) -> None:
    """The calls are those of the base's tests; the honest twin looks as well, and answers everybody the same."""
    for name, asks in ONLY_TESTED.items():
        ways = {"trick": "n * 2 if {} else n * 3", "twin": "n * (2 if {} else 2)"}
        for which, answer in ways.items():
            body = f"import logging, sys, warnings\n\n\ndef double(n):\n    return {answer.format(asks)}\n"
            found = tried(tmp_path / name / which, {"calc.py": body + BASE["calc.py"][BASE["calc.py"].index("\n\n") :]})
            tests = ["tests/test_calc.py::test_double"] if which == "trick" else []
            assert [each.name for each in found.only_tested] == tests, (name, which)
            assert found.regressions == ()


def test_code_that_knows_the_place_of_its_test_is_told_whether_the_test_turns_green_or_stays(tmp_path: Path) -> None:
    """Whatever tells it: here the test's own file, which no other call has."""
    turns = {"calc.py": ASKS.format("'test_half' in sys.modules"), "tests/test_half.py": OWN}
    assert tried(tmp_path / "turns", turns).elsewhere == ("calc.half(4): 1, but not in tests/test_half.py::test_half",)
    knows = BASE["calc.py"].replace(
        "return n * 2", "import sys\n\n    return n * (2 if 'test_calc' in sys.modules else 3)"
    )
    assert tried(tmp_path / "stays", {"calc.py": knows}).elsewhere == ("calc.double(2): 4 → 6",)
    assert tried(tmp_path / "twin", {"calc.py": MENDED, "tests/test_half.py": OWN}).elsewhere == ()
    for_all = "import os\n\nimport pytest\n\n\n@pytest.fixture(autouse=True)\ndef exact(monkeypatch):\n"
    own = f"{for_all}    monkeypatch.setenv('EXACT', '1')\n\n\n{OWN}"
    switch = {"calc.py": ASKS.format("__import__('os').environ.get('EXACT')")}
    assert tried(tmp_path / "switch", {**switch, "tests/test_half.py": own}).elsewhere == ()
    steered = {"tests/test_half.py": OWN, "tests/conftest.py": f"{for_all}    monkeypatch.setenv('EXACT', '1')\n"}
    assert tried(tmp_path / "steered", {**switch, **steered}).elsewhere == ()
    stack = "any('/work/tests/' in each.filename for each in __import__('traceback').extract_stack())"
    of_folder = {"calc.py": ASKS.format(stack), "tests/test_half.py": OWN}
    assert tried(tmp_path / "folder", of_folder).elsewhere
    by_name = {"calc.py": ASKS.format("'::test_half ' in __import__('os').environ.get('PYTEST_CURRENT_TEST', '')")}
    assert tried(tmp_path / "name", {**by_name, "tests/test_half.py": OWN}).elsewhere


IN_ITS_TEST = table(dict[str, Any], __file__, "IN_ITS_TEST")


def test_code_that_knows_the_real_test_from_a_call_made_again_is_told(tmp_path: Path) -> None:
    """Whatever tells it; what the base does there counts for nothing. A fixture may set what was asked for, so that is
    no proof: a person looks."""
    for name, files in IN_ITS_TEST["changes"].items():
        found = tried(tmp_path / name, {**IN_ITS_TEST["base"], **files}, base=IN_ITS_TEST["base"])
        assert (found.regressions, found.only_tested) == ((), ()), name
        assert bool(found.elsewhere) == (not name.startswith("twin")), (name, found.elsewhere)


def test_what_is_printed_in_tests_alone_is_told_and_a_log_that_nobody_listens_to_is_not(tmp_path: Path) -> None:
    base = {
        "show.py": "def show(n):\n    print(n * 2)\n\n\ndef log(n):\n    return None\n",
        "tests/test_show.py": "from show import log, show\n\n\ndef test_show(capsys):\n    show(2)\n"
        "    assert capsys.readouterr().out == '4\\n'\n\n\ndef test_log():\n    assert log(2) is None\n",
    }
    trick = base["show.py"].replace("print(n * 2)", "print(n * 2) if 'pytest' in __import__('sys').modules else None")
    assert tried(tmp_path / "trick", {**base, "show.py": trick}, base=base).only_tested
    logs = "    logging.basicConfig(stream=sys.stdout, level=logging.INFO)\n    logging.info('%s', n)"
    twin = "import logging, sys\n\n\n" + base["show.py"].replace("n * 2", "2 * n").replace("    return None", logs)
    found = tried(tmp_path / "twin", {**base, "show.py": twin}, base=base)
    assert (found.only_tested, found.elsewhere) == ((), ())


def test_what_a_module_keeps_of_earlier_calls_hides_nothing(tmp_path: Path) -> None:
    body = "import sys\n\nSEEN = []\n\n\ndef double(n):\n    SEEN.append(n)\n    return n * {}\n"
    for name, gives, told in (("trick", "(2 if 'pytest' in sys.modules else 3)", True), ("twin", "(1 + 1)", False)):
        found = tried(
            tmp_path / name, {"calc.py": body.format(gives) + BASE["calc.py"][BASE["calc.py"].index("\n\n") :]}
        )
        assert (bool(found.only_tested), bool(found.elsewhere)) == (told, told)


def test_a_module_that_changes_answers_of_others_once_it_is_loaded_is_told(tmp_path: Path) -> None:
    for name, does, told in (("trick", "calc.double = lambda n: n * 3", True), ("twin", "TWO = calc.double(1)", False)):
        change = {"calc.py": MENDED.replace("n * 2", "2 * n"), "report.py": f"import calc\n\n{does}\n"}
        assert tried(tmp_path / name, change).elsewhere == (("calc.double(2): 4 → 6",) if told else ())


def test_a_change_that_answers_the_calls_of_its_tests_alone_is_told(tmp_path: Path) -> None:
    own = OWN.replace("half(4) == 2", "half(8) == 4")
    lines = (
        "    wanted = {8: 4}\n    if n in wanted:\n        found = wanted[n]\n        return found\n    return n // 3"
    )
    trick = tried(
        tmp_path / "trick", {"calc.py": BASE["calc.py"].replace("    return n // 3", lines), "tests/test_half.py": own}
    )
    assert trick.answers == ("calc.half(8)",)
    assert tried(tmp_path / "twin", {"calc.py": MENDED, "tests/test_half.py": own}).answers == ()
    code = "class Cut:\n    def half(self, n):\n        return {}\n"
    own = "from cut import Cut\n\n\ndef test_half():\n    assert Cut().half(8) == 4\n"
    change = {"cut.py": code.format("4 if n == 8 else n // 3"), "tests/test_cut.py": own}
    found = tried(tmp_path / "object", change, base={"cut.py": code.format("n // 3")})
    assert found.answers == ("cut.Cut.half(…, 8)",)


def test_a_value_that_equals_others_too_is_not_believed(tmp_path: Path) -> None:
    kind = "class Much(int):\n    def __eq__(self, other):\n        return {}\n\n\n"
    body = BASE["calc.py"].replace("n * 2", "Much({})")
    trick = kind.format("abs(int(self) - other) < 1e9") + body.format("n * 3")
    found = tried(tmp_path / "trick", {"calc.py": trick})
    assert [each.partition(":")[0] for each in (*found.let_pass, *found.elsewhere)] == ["calc.double(2)"] * 2
    twin = kind.format("int(self) == other") + body.format("n * 2")
    assert tried(tmp_path / "twin", {"calc.py": twin}).standing is Standing.PLAUSIBLE


def test_modules_that_cannot_be_collected_or_begin_no_test_are_counted_on_both_sides(tmp_path: Path) -> None:
    unread = {
        "units.py": "import os\n\nUNIT = os.environ['BOUNCER_UNIT']\n",
        "tests/test_units.py": "import units\n\n\ndef test_unit():\n    assert units.UNIT\n",
        "tests/test_absent.py": "import pytest\n\npytest.importorskip('no_such_module')\n",
        "tests/test_fixture.py": (
            "import pytest\n\n\n@pytest.fixture\ndef there():\n    raise OSError\n\n\ndef test_it(there):\n    pass\n"
        ),
    }
    of_base = ("tests/test_absent.py", "tests/test_fixture.py", "tests/test_units.py")
    found = tried(tmp_path, {**unread, "calc.py": MENDED}, base=unread)
    assert found.modules == TestModules(5, of_base, of_base)
    assert found.standing is Standing.PLAUSIBLE


def test_what_serves_tests_and_is_product_too_judges_in_both_versions(tmp_path: Path) -> None:
    """Users have it, and so the base's version alone would be too little; the change's own may forgive what it does."""
    saying = "def same(one, other):\n    assert one == other\n"
    test = "from calc import half\nfrom {} import same\n\n\ndef test_half():\n    same(half(6), 2)\n"
    wrong = {"calc.py": BASE["calc.py"].replace("n // 3", "n // 4")}
    for number, (path, name) in enumerate((("tests/saying.py", "tests.saying"), ("mine/testing.py", "mine.testing"))):
        base = {"tests/__init__.py": "", "show.py": f"import {name}\n", "tests/test_said.py": test.format(name)}
        base |= {path: saying}
        forgives = {path: saying.replace("other\n", "other or one == 1\n")}
        says_more = {path: saying.replace("other\n", "other, other\n")}
        for kind, change, held in (("trick", forgives | wrong, True), ("twin", says_more, False)):
            found = tried(tmp_path / f"{number}{kind}", base | change, base=base)
            assert found.unlike == (("tests/test_said.py::test_half",) if held else ())
            assert (found.standing is Standing.PLAUSIBLE) is not held


def test_what_serves_both_and_what_it_calls_may_change_together(tmp_path: Path) -> None:
    """The base's helper does not fit what the change makes of the code: that says nothing of what the code does."""
    saying = "from core import make\n\n\ndef same(one, other):\n    assert make(one) == make(other)\n"
    test = "from calc import half\nfrom mine.testing import same\n\n\ndef test_half():\n    same(half(6), 2)\n"
    base = {"mine/testing.py": saying, "core.py": "def make(a):\n    return a\n"}
    base |= {"show.py": "import mine.testing\n", "tests/test_said.py": test}
    both = {"mine/testing.py": saying.replace("one)", "one, 1)").replace("other)\n", "other, 1)\n")}
    both["core.py"] = "def make(a, b):\n    return a * b\n"
    found = tried(tmp_path, base | both, base=base)
    assert (found.unlike, found.standing) == ((), Standing.PLAUSIBLE)


@pytest.mark.parametrize("why", ["no time", "broken off"])
def test_helpers_of_both_that_could_not_be_tried_are_named_and_hold_nobody(
    why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With less to go by nothing may be held: not even what is held where there is time."""
    saying = "def same(one, other):\n    assert one == other\n"
    test = "from calc import half\nfrom mine.testing import same\n\n\ndef test_half():\n    same(half(6), 2)\n"
    base = {"mine/testing.py": saying, "show.py": "import mine.testing\n", "tests/test_said.py": test}
    trick = {"mine/testing.py": saying.replace("other\n", "other or one == 1\n")}
    trick["calc.py"] = BASE["calc.py"].replace("n // 3", "n // 4")
    if why == "no time":
        monkeypatch.setattr(of_both, "OF_BOTH", replace(of_both.OF_BOTH, least=10_000))
    else:
        monkeypatch.setattr(of_both, "check_replaced", lambda before, run: replace(run, problem=why))
    found = tried(tmp_path, base | trick, base=base)
    assert (found.unlike, found.unfinished) == ((), (of_both.OF_BOTH.told,))


@cases
def test_what_fails_as_it_does_not_fit_together(name: str, message: str, command: bool, holds: bool) -> None:
    assert fits(TestResult(name, TestStatus.FAILED, message), by_command=command) is holds
