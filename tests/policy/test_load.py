"""`bot.policy.load`: every state of a policy file, each problem where it stands and with its mend."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.policy import Agents, CommentRules, Only, OverrideRules, Policy, Skip
from bot.policy_choices import (
    Brief,
    Door,
    Kind,
    Language,
    Mode,
    Permission,
    ReviewRules,
    Role,
    Scope,
    Strictness,
    WhenUnavailable,
    WithoutIssue,
)
from bot.policy_file import MAX_PROBLEMS, PolicyError, Problem, load
from tests.support.cases import cases

HERE = Path(__file__).parent


def problems(text: str | bytes) -> tuple[Problem, ...]:
    with pytest.raises(PolicyError) as caught:
        load(text)
    return caught.value.problems


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# only a comment\n", "---\n", "~", "﻿", b"\xef\xbb\xbf# byte order mark\n"]
)
def test_an_empty_file_is_the_default_policy(text: str | bytes) -> None:
    assert load(text) == Policy()


def test_every_key_is_read() -> None:
    policy = load((HERE / "every_key.yml").read_text(encoding="utf-8"))
    assert policy.mode is Mode.ENFORCE
    assert policy.issues.enabled is False
    assert (policy.at(Door.ISSUES).mode, policy.at(Door.PULLS).mode) == (Mode.ADVISE, Mode.OBSERVE)
    assert policy.issues.strictness is Strictness.STRICT
    assert policy.issues.labels.needs_clarification == "more please"
    assert policy.issues.labels.agent_ready == "7"
    assert policy.issues.exempt.authors == ("octocat", "renovate[bot]", "no")
    assert policy.issues.exempt.roles == (Role.OWNER, Role.FIRST_TIMER)
    assert policy.issues.exempt.labels == ("internal", "no")
    assert policy.issues.only == Only(kinds=(Kind.BUG, Kind.DOCUMENTATION), labels=("triage",))
    assert policy.issues.required_sections == ("Steps to reproduce", "Version")
    assert policy.issues.comment == CommentRules(above="Hello **you**", below="```\na < b\n```\n", language=Language.PT)
    assert policy.issues.max_questions == 2
    assert (policy.issues.no_response.remind_after_days, policy.issues.no_response.close_after_days) == (7, 30)
    fixed = policy.issues.already_fixed
    assert (fixed.enabled, fixed.close_after_days) == (False, 14)
    assert (fixed.labels.already_fixed, fixed.labels.possibly_fixed) == ("done", "maybe")
    assert policy.issues.brief is Brief.AUTO
    assert policy.pulls.enabled is False
    assert policy.pulls.scope is Scope.ALL
    assert policy.pulls.agents == Agents(
        logins=("coder[bot]",),
        emails=("coder@acme.example",),
        lines=("Written by [Coder](https://acme.example)",),
        markers=("acme-run: …",),
        branches=("bot/",),
        labels=("agent",),
        exempt=("octocat",),
    )
    assert policy.pulls.only.base_branches == ("main", "release/**")
    assert policy.pulls.skip == Skip(titles=("[docs] *",), paths=("docs/**", ".gitignore", "app/[id]/*.md"))
    assert policy.pulls.require_linked_issue is WithoutIssue.BOUNCE
    assert policy.pulls.drafts is True
    assert policy.pulls.review is ReviewRules.FULL
    assert policy.pulls.strictness is Strictness.LENIENT
    assert policy.pulls.unavailable is WhenUnavailable.PASS
    assert policy.pulls.override == OverrideRules(role=Permission.WRITE, teams=("core_team",), sticky=True)
    assert policy.pulls.attempts == 5
    assert policy.verify.setup == ("pip install -e .[test]", "make fixtures")
    assert policy.verify.test == "pytest -q tests"
    assert (policy.verify.image, policy.verify.timeout) == ("python:3.12-slim", 600)
    assert (policy.budgets.per_repository, policy.budgets.per_author) == (10, 0)


PROBLEMS = [tuple(each.values()) for each in yaml.safe_load((HERE / "problems.yml").read_text(encoding="utf-8"))]
ODD = [
    (
        f"verify: {{setup: [{', '.join(['make'] * 21)}]}}",
        1,
        17,
        "`verify.setup` must be a list of at most 20, not a list",
    ),
    (b"mode: advise\n# caf\xe9\n", 2, 6, "the file is not UTF-8; save it as UTF-8"),
    ("mode: advise".encode("utf-16"), 1, 1, "the file is not UTF-8; save it as UTF-8"),
    ("#" * 65537, 1, 1, "the file is larger than 64 KiB; make it smaller"),
    ("a: " + "[" * 60000, 1, 23, "nested deeper than 20 levels; make it flatter"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), PROBLEMS + ODD)
def test_a_problem_says_where_and_the_mend(text: str | bytes, line: int, column: int, message: str) -> None:
    assert problems(text) == (Problem(line, column, message, ".github/bouncer.yml"),)


@cases
def test_what_is_not_yaml_says_so(text: str, line: int) -> None:
    (problem,) = problems(text)
    assert problem.line == line
    assert problem.message.startswith("this is not YAML: ")


def test_all_problems_are_told_at_once_in_order_of_place() -> None:
    found = problems("budgets: {per_author: -1}\nmode: loud\nissues:\n  enabled: 0\n  zzz: 1\n")
    assert [(problem.line, problem.column) for problem in found] == [(1, 23), (2, 7), (4, 12), (5, 3)]


def test_no_more_problems_than_github_takes_annotations() -> None:
    assert len(problems("".join(f"key{number}: 1\n" for number in range(500)))) == MAX_PROBLEMS


def test_an_alias_bomb_costs_nothing() -> None:
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 20)]
    assert problems("\n".join(lines))[0].message == "anchors are not supported; remove `&a0`"


def test_what_is_quoted_from_the_file_cannot_leave_its_code_span() -> None:
    (problem,) = problems('"`@octocat ![x](https://evil.example)\\n": 1')
    assert problem.message.startswith("unknown key `?@octocat ![x](https://evil.example)?`;")
    assert len(problems(f"mode: {'x' * 5000}")[0].message) < 200


def test_the_name_of_the_file_is_the_callers() -> None:
    with pytest.raises(PolicyError, match=r"^over/here\.yml:1:7: `mode` must be") as caught:
        load("mode: x", "over/here.yml")
    assert caught.value.problems[0].path == "over/here.yml"


_words = st.sampled_from(
    ("mode", "issues", "exempt", "authors", "advise", "yes", "1", "-1", "~", ":", "- ", "  ", "\n", "\t")
) | st.sampled_from("{}[]'\"&*!#|>?%\\@`,\x00\u2028")


@given(st.one_of(st.text(), st.binary(), st.lists(_words).map("".join), st.lists(_words).map(" ".join)))
def test_any_text_is_a_policy_or_a_policy_error_inside_the_file(text: str | bytes) -> None:
    try:
        assert isinstance(load(text), Policy)
    except PolicyError as error:
        assert error.problems
        for problem in error.problems:
            assert problem.line >= 1 and problem.column >= 1
            assert problem.message.count("`") % 2 == 0
            assert problem.message.isprintable()
