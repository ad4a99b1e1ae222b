from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verification.testing.inside.short import LONGEST_MESSAGE, LONGEST_NAME
from bot.verification.testing.runners import LARGEST, MOST_TESTS, ToldTests, of_junit, read_runners
from bot.verification.values import TestStatus
from tests.support.cases import cases

BOMB = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><testsuite><testcase name="&c;"/></testsuite>"""
OUTSIDE = b"""<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&f;"/></testsuite>"""
NO_REPORT = "the report of the tests cannot be read"


def read_junit(content: bytes) -> ToldTests:
    return read_runners([(of_junit, content)])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", NO_REPORT),
        (b"\x00\xff\x89PNG", NO_REPORT),
        (b"<testsuite>", NO_REPORT),
        (b'<?xml version="1.0" encoding="no-such"?><testsuite/>', NO_REPORT),
        (BOMB, NO_REPORT),
        (OUTSIDE, NO_REPORT),
        (b"<html/>", NO_REPORT),
        (b"<testsuite>" + b" " * LARGEST + b"</testsuite>", "the report of the tests is larger than 16 MiB"),
        (
            b"<testsuite>" + b"<testcase/>" * (MOST_TESTS + 1) + b"</testsuite>",
            f"the report of the tests has more than {MOST_TESTS} tests",
        ),
    ],
)
def test_what_is_no_report_is_a_problem(content: bytes, problem: str) -> None:
    junit = read_junit(content)
    assert junit.problem == problem
    assert junit.results == ()


@cases
def test_a_case_has_the_status_of_its_worst_mark(case: str, status: TestStatus) -> None:
    (result,) = read_junit(
        f"<testsuites><testsuite tests='7' failures='9'>{case}</testsuite></testsuites>".encode()
    ).results
    assert result.status is status
    assert result.name == "a"
    assert result.message in ("", "m")


def test_names_that_occur_again_stay_apart_and_missing_attributes_do_no_harm() -> None:
    report = b"""<testsuite><testcase classname="c" name="a" time="0.5"/><testcase classname="c" name="a" time="nan"/>
    <testcase time="-3"/><testcase file="f.js" name="b" time="soon"/></testsuite>"""
    results = read_junit(report).results
    assert [result.name for result in results] == ["c a", "c a (2)", "unnamed", "f.js b"]
    assert [result.seconds for result in results] == [0.5, 0, 0, 0]


def test_long_texts_are_cut() -> None:
    report = f"<testsuite><testcase name='{'n' * 9000}'><failure message='{'m' * 9000}'/></testcase></testsuite>"
    (result,) = read_junit(report.encode()).results
    assert len(result.name) <= LONGEST_NAME
    assert len(result.message) <= LONGEST_MESSAGE


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_nothing_raises(content: bytes) -> None:
    junit = read_junit(content)
    assert junit.results == () or not junit.problem


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), max_size=30),
            st.sampled_from(["", "failure", "error", "skipped"]),
        )
    )
)
def test_every_case_is_one_result_with_a_name_of_its_own(cases: list[tuple[str, str]]) -> None:
    body = "".join(
        f"<testcase name={quoteattr(name)}>{f'<{mark}/>' if mark else ''}</testcase>" for name, mark in cases
    )
    results = read_junit(f"<testsuite>{body}</testsuite>".encode()).results
    assert [result.status.value for result in results] == [
        {"": "passed", "failure": "failed"}.get(mark, mark) for _, mark in cases
    ]
