"""`bot.policy.load`: every state of a policy file, each problem where it stands and with its mend."""

import pytest
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
    policy = load(
        """\
version: 1
mode: enforce
issues:
  enabled: false
  mode: advise
  strictness: strict
  labels: {needs_clarification: more please, agent_ready: "7"}
  exempt:
    authors: [octocat, "renovate[bot]", no]
    roles: [owner, first_timer]
    labels: [internal, no]
  only: {kinds: [bug, documentation], labels: [triage]}
  required_sections: [Steps to reproduce, Version]
  comment:
    language: pt
    above: Hello **you**
    below: |
      ```
      a < b
      ```
  max_questions: 2
  no_response: {remind_after_days: 7, close_after_days: 30}
  already_fixed: {enabled: false, labels: {already_fixed: done, possibly_fixed: maybe}, close_after_days: 14}
  brief: auto
pulls:
  enabled: false
  mode: observe
  scope: all
  agents: {logins: ["coder[bot]"], branches: [bot/], labels: [agent], exempt: [octocat]}
  only: {base_branches: [main, release/**]}
  skip: {titles: ["[docs] *"], paths: [docs/**, .gitignore, "app/[id]/*.md"]}
  require_linked_issue: bounce
  drafts: true
  review: full
  strictness: lenient
  unavailable: pass
  override: {role: write, teams: [core_team], sticky: true}
  attempts: 5
verify:
  setup: ["pip install -e .[test]", "make fixtures"]
  test: pytest -q tests
  image: python:3.12-slim
  timeout: 600
budgets: {per_repository: 10, per_author: 0}
"""
    )
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
        logins=("coder[bot]",), branches=("bot/",), labels=("agent",), exempt=("octocat",)
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


MESSAGES = [
    (
        "issues:\n  required_sections: Version\n",
        2,
        22,
        "`issues.required_sections` must be a list, not the text `Version`; write one entry a line, each after `- `",
    ),
    (
        "pulls: {only: {base_branches: ['my branch']}}",
        1,
        32,
        "`pulls.only.base_branches[0]` must not be the text `my branch`; "
        "write a branch's name, in which `*` is anything up to the next `/` and `**` anything",
    ),
    (
        "pulls: {skip: {titles: [' chore']}}",
        1,
        25,
        "`pulls.skip.titles[0]` must not be the text ` chore`; write one line without spaces at its ends",
    ),
    (
        "pulls:\n  skip:\n    paths:\n      - ./docs\n",
        4,
        9,
        "`pulls.skip.paths[0]` must not be the text `./docs`; "
        "write a path from the repository's root such as `docs/**`, without `/`, `./` or `!` before it",
    ),
    (
        "issues: {only: {kinds: [bugs]}}",
        1,
        25,
        "`issues.only.kinds[0]` must be `bug`, `feature`, `question` or `documentation`, not the text `bugs`; "
        "did you mean `bug`?",
    ),
    (
        "issues: {comment: {above: 'a <b>c</b>'}}",
        1,
        27,
        "`issues.comment.above` must not be the text `a <b>c</b>`; write Markdown without HTML or addresses in `<>`",
    ),
    (
        "issues:\n  comment:\n    below: |\n      ~~~\n      x\n",
        3,
        12,
        "`issues.comment.below` must close the code block that it opens, or it swallows the rest",
    ),
    (
        "issues:\n  comment:\n    language: german\n",
        3,
        15,
        "`issues.comment.language` must be `report`, `en`, `de`, `es`, `fr`, `id`, `it`, `ja`, `ko`, `nl`, `pl`, `pt`, "
        "`ru`, `tr`, `uk`, `vi` or `zh`, not the text `german`",
    ),
    (
        "issues: {comment: {language: DE}}",
        1,
        30,
        "`issues.comment.language` must be `report`, `en`, `de`, `es`, `fr`, `id`, `it`, `ja`, `ko`, `nl`, `pl`, `pt`, "
        "`ru`, `tr`, `uk`, `vi` or `zh`, not the text `DE`; did you mean `de`?",
    ),
    (
        "pulls: {mode: loud}",
        1,
        15,
        "`pulls.mode` must be `observe`, `advise` or `enforce`, not the text `loud`",
    ),
    (
        "issues:\n  mode: Observe\n",
        2,
        9,
        "`issues.mode` must be `observe`, `advise` or `enforce`, not the text `Observe`; did you mean `observe`?",
    ),
    # text, line, column, message
    ("isues:\n", 1, 1, "unknown key `isues`; did you mean `issues`?"),
    (
        "mode: advise\nissues:\n  strictnes: x\n",
        3,
        3,
        "unknown key `strictnes` in `issues`; did you mean `strictness`?",
    ),
    ("issues: {max-questions: 2}", 1, 10, "unknown key `max-questions` in `issues`; did you mean `max_questions`?"),
    ("1: 2", 1, 1, "unknown key `1`; known keys are `version`, `mode`, `issues`, `pulls`, `verify` and `budgets`"),
    (
        "<<: {mode: advise}",
        1,
        1,
        "unknown key `<<`; known keys are `version`, `mode`, `issues`, `pulls`, `verify` and `budgets`",
    ),
    (
        "mode: Advise",
        1,
        7,
        "`mode` must be `observe`, `advise` or `enforce`, not the text `Advise`; did you mean `advise`?",
    ),
    ("mode: on", 1, 7, "`mode` must be `observe`, `advise` or `enforce`, not the text `on`"),
    ("mode: true", 1, 7, "`mode` must be `observe`, `advise` or `enforce`, not `true`"),
    ("mode:", 1, 6, "`mode` must be `observe`, `advise` or `enforce`, not empty"),
    ("version: 2", 1, 10, "`version` must be `1`, not `2`"),
    ("version: '1'", 1, 10, "`version` must be `1`, not the text `1`; write it without quotes"),
    ("issues:\n", 1, 8, "`issues` must be a mapping of keys, not empty; give it a value or remove the key"),
    ("issues: [enabled]", 1, 9, "`issues` must be a mapping of keys, not a list"),
    (
        "issues:\n  enabled: yes\n",
        2,
        12,
        "`issues.enabled` must be `true` or `false`, not the text `yes`; write `true`",
    ),
    ("issues: {enabled: Off}", 1, 19, "`issues.enabled` must be `true` or `false`, not the text `Off`; write `false`"),
    ("issues: {enabled: 1}", 1, 19, "`issues.enabled` must be `true` or `false`, not `1`"),
    ("issues: {max_questions: 9}", 1, 25, "`issues.max_questions` must be at most 3, not `9`"),
    ("issues: {max_questions: 1.5}", 1, 25, "`issues.max_questions` must be a whole number, not `1.5`"),
    (
        "issues: {max_questions: '2'}",
        1,
        25,
        "`issues.max_questions` must be a whole number, not the text `2`; write it without quotes",
    ),
    (
        "issues:\n  labels:\n    needs_clarification: 12\n",
        3,
        26,
        "`issues.labels.needs_clarification` must be text, not `12`; write it in quotes",
    ),
    (
        "issues: {labels: {agent_ready: ''}}",
        1,
        32,
        "`issues.labels.agent_ready` must be at least 1 character long, not empty text",
    ),
    (
        "issues: {labels: {agent_ready: ready, within_reach: Ready}}",
        1,
        53,
        "`issues.labels.within_reach` must differ from `agent_ready`; give it another name",
    ),
    (
        "issues: {labels: {within_reach: Already-Fixed}}",
        1,
        9,
        "`issues.already_fixed` must name labels that differ from those of `issues.labels`",
    ),
    (
        "issues: {labels: {agent_ready: Needs-Clarification}}",
        1,
        32,
        "`issues.labels.agent_ready` must differ from `needs_clarification`; give it another name",
    ),
    (
        "issues: {already_fixed: {labels: {possibly_fixed: Already-Fixed}}}",
        1,
        51,
        "`issues.already_fixed.labels.possibly_fixed` must differ from `already_fixed`; give it another name",
    ),
    (
        "issues: {labels: {agent_ready: Possibly-fixed}, already_fixed: {enabled: false}}",
        1,
        64,
        "`issues.already_fixed` must name labels that differ from those of `issues.labels`",
    ),
    (
        "issues:\n  labels: {agent_ready: Already-Fixed}",
        2,
        3,
        "`issues.already_fixed` must name labels that differ from those of `issues.labels`",
    ),
    (
        "issues: {already_fixed: {labels: {already_fixed: possibly-fixed}}}",
        1,
        34,
        "`issues.already_fixed.labels.possibly_fixed` must differ from `already_fixed`; give it another name",
    ),
    (
        "issues: {brief: auto}",
        1,
        17,
        "`issues.brief` must be `off` as long as `issues.labels.agent_ready` names no label",
    ),
    (
        "issues: {already_fixed: {close_after_days: 0}}",
        1,
        44,
        "`issues.already_fixed.close_after_days` must be at least 1, not `0`",
    ),
    (
        "issues:\n  exempt:\n    authors: octocat\n",
        3,
        14,
        "`issues.exempt.authors` must be a list, not the text `octocat`; write one entry a line, each after `- `",
    ),
    (
        "issues:\n  exempt:\n    authors:\n      - good\n      - '@octocat'\n",
        5,
        9,
        "`issues.exempt.authors[1]` must not be the text `@octocat`; "
        "write a login as GitHub shows it, without @, such as `octocat` or `renovate[bot]`",
    ),
    (
        "issues: {no_response: {remind_after_days: 9, close_after_days: 9}}",
        1,
        64,
        "`issues.no_response.close_after_days` must be more than `remind_after_days`; give people time to answer",
    ),
    (
        "verify: {setup: pip install .}",
        1,
        17,
        "`verify.setup` must be a list, not the text `pip install .`; write one entry a line, each after `- `",
    ),
    (
        "verify: {test: ' '}",
        1,
        16,
        "`verify.test` must not be the text ` `; "
        "write one command line; several go into a list of `setup` or a script of the repository",
    ),
    (
        f"verify: {{setup: [{', '.join(['make'] * 21)}]}}",
        1,
        17,
        "`verify.setup` must be a list of at most 20, not a list",
    ),
    (
        "verify: {image: --privileged}",
        1,
        17,
        "`verify.image` must not be the text `--privileged`; "
        "write an image as `docker pull` takes it, such as `python:3.12-slim`",
    ),
    (
        "pulls: {scope: agent}",
        1,
        16,
        "`pulls.scope` must be `agents` or `all`, not the text `agent`; did you mean `agents`?",
    ),
    (
        "pulls: {require_linked_issue: true}",
        1,
        31,
        "`pulls.require_linked_issue` must be `bounce`, `advise` or `description`, not `true`",
    ),
    (
        "pulls: {agents: {branches: ['bot/*']}}",
        1,
        29,
        "`pulls.agents.branches[0]` must not be the text `bot/*`; "
        "write how the branch's name begins, such as `bot/`, without patterns",
    ),
    (
        "pulls: {override: {teams: [Core Team]}}",
        1,
        28,
        "`pulls.override.teams[0]` must not be the text `Core Team`; "
        "write the team's slug as in its address, such as `core` of `github.com/orgs/acme/teams/core`",
    ),
    (
        "pulls: {override: {role: read}}",
        1,
        26,
        "`pulls.override.role` must be `triage`, `write`, `maintain` or `admin`, not the text `read`",
    ),
    ("pulls: {attempts: 6}", 1, 19, "`pulls.attempts` must be at most 5, not `6`"),
    ("verify: {timeout: 0}", 1, 19, "`verify.timeout` must be at least 1, not `0`"),
    ("verify: {rounds: 6}", 1, 18, "`verify.rounds` must be at most 5, not `6`"),
    ("verify: {blind_judges: -1}", 1, 24, "`verify.blind_judges` must be at least 0, not `-1`"),
    ("- mode: advise", 1, 1, "a policy is a mapping of keys, such as `mode: advise`"),
    ("advise", 1, 1, "a policy is a mapping of keys, such as `mode: advise`"),
    ("mode: advise\nmode: observe\n", 2, 1, "the key `mode` is already given on line 1; keep one of them"),
    ("issues: {enabled: true, enabled: true}", 1, 25, "the key `enabled` is already given on line 1; keep one of them"),
    ("mode: &m advise", 1, 7, "anchors are not supported; remove `&m`"),
    ("mode: *m", 1, 7, "aliases are not supported; write the value out here"),
    ("mode: !!str advise", 1, 7, "tags are not supported; remove `tag:yaml.org,2002:str`"),
    (
        "mode: !!python/name:os.system x",
        1,
        7,
        "tags are not supported; remove `tag:yaml.org,2002:python/name:os.system`",
    ),
    ("mode: advise\n---\nmode: observe\n", 2, 1, "a second document starts here; keep only one"),
    ("issues:\n\tenabled: true\n", 2, 1, "a tab is used for indentation; use spaces"),
    ("issues:\n  exempt:\n  \tauthors: []\n", 3, 3, "a tab is used for indentation; use spaces"),
    ("? [a]\n: b", 1, 3, "a key must be a plain word"),
    ("mode: \x01", 1, 7, "a control character is not allowed; remove it"),
    ("mode: advise\nx: \x07", 2, 4, "a control character is not allowed; remove it"),
    ('mode: "\\ud800"', 1, 7, "this escape is not a character"),
    (b"mode: advise\n# caf\xe9\n", 2, 6, "the file is not UTF-8; save it as UTF-8"),
    ("mode: advise".encode("utf-16"), 1, 1, "the file is not UTF-8; save it as UTF-8"),
    ("#" * 65537, 1, 1, "the file is larger than 64 KiB; make it smaller"),
    ("a: " + "[" * 60000, 1, 23, "nested deeper than 20 levels; make it flatter"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), MESSAGES)
def test_a_problem_says_where_and_the_mend(text: str | bytes, line: int, column: int, message: str) -> None:
    assert problems(text) == (Problem(line, column, message, ".github/bouncer.yml"),)


@pytest.mark.parametrize(
    ("text", "line"),
    [("issues: {enabled: true", 1), ("mode: a: b", 1), ("mode: 'x", 1), ("a: 1\nb\n", 3), ("a: @x", 1)],
)
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
