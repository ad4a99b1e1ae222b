"""A policy file: every state of it, its published schema, and the commands that people check it with."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from bot.cli import main
from bot.policy import Agents, AskFor, CommentRules, Only, OverrideRules, Policy, Skip
from bot.policy_choices import (
    Ask,
    Brief,
    Door,
    Kind,
    Language,
    Mode,
    Permission,
    ReportSign,
    ReviewRules,
    Role,
    Scope,
    Strictness,
    WhenUnavailable,
    WithoutIssue,
)
from bot.policy_file import MAX_PROBLEMS, PolicyError, Problem, load, schema
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
    assert policy.issues.ask_for == (
        AskFor(
            fact="debug log",
            question="Please attach the debug log.",
            kinds=(Kind.BUG, Kind.QUESTION),
            when=("crash",),
            signs=(ReportSign.CODE, ReportSign.LINK),
            words=("debug.log",),
        ),
    )
    assert policy.issues.ask is Ask.NEWCOMERS
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


PUBLISHED = Path(__file__).parents[2] / "docs" / "bouncer.schema.json"
ONE_LINERS = Path(__file__).with_name("one_liners.txt")


def test_the_published_schema_is_in_step() -> None:
    assert json.loads(PUBLISHED.read_text()) == schema(), "run: make docs"


def keys(node: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, section in [("Policy", node), *node["$defs"].items()]:
        for key, value in section.get("properties", {}).items():
            referred = node["$defs"].get(value.get("$ref", "").removeprefix("#/$defs/"), {})
            yield f"{name}.{key}", {**referred, **value}


@pytest.mark.parametrize(
    ("name", "node"), list(keys(schema())), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_key_is_described_and_has_a_default(name: str, node: dict[str, Any]) -> None:
    assert node.get("description"), name
    assert "default" in node or name in ("AskFor.fact", "AskFor.question"), name


@pytest.mark.parametrize("text", ONE_LINERS.read_text(encoding="utf-8").splitlines())
def test_schema_and_reader_agree(text: str) -> None:
    valid = jsonschema_rs.validator_for(schema()).is_valid(yaml.safe_load(text))
    try:
        load(text)
    except PolicyError:
        assert not valid
    else:
        assert valid


def test_the_default_policy_is_valid() -> None:
    jsonschema_rs.validate(schema(), Policy().model_dump(mode="json"))


def bouncer(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["policy", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "bouncer.yml"


def test_a_valid_file_is_shown_with_its_defaults(file: Path) -> None:
    file.write_text("mode: enforce\n")
    result = bouncer("check", file)
    assert (result.exit_code, result.stderr) == (0, "")
    first, _, shown = result.stdout.partition("\n\n")
    assert first == f"{file}: valid. With the defaults filled in:"
    assert load(shown) == load("mode: enforce"), "what is shown is itself a valid policy"


def test_a_valid_file_as_json(file: Path) -> None:
    file.write_text("")
    result = bouncer("check", file, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "file": str(file),
        "state": "valid",
        "problems": [],
        "policy": Policy().model_dump(mode="json"),
    }


def test_an_invalid_file_names_each_place(file: Path) -> None:
    file.write_text("mode: loud\nisues: {}\n")
    result = bouncer("check", file)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        f"{file}:1:7: `mode` must be `observe`, `advise` or `enforce`, not the text `loud`",
        f"{file}:2:1: unknown key `isues`; did you mean `issues`?",
    ]


def test_an_invalid_file_as_json(file: Path) -> None:
    file.write_text("isues: {}\n")
    result = bouncer("check", file, "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout) == {
        "file": str(file),
        "state": "invalid",
        "problems": [{"line": 1, "column": 1, "message": "unknown key `isues`; did you mean `issues`?"}],
        "policy": None,
    }


def test_absent_unreadable_and_invalid_are_three_states(tmp_path: Path) -> None:
    (tmp_path / "invalid.yml").write_text("x")
    (tmp_path / "unreadable.yml").mkdir()
    states = {}
    for name in ("absent", "unreadable", "invalid"):
        result = bouncer("check", tmp_path / f"{name}.yml", "--json")
        assert result.exit_code == 2
        assert f"{name}.yml" in result.stderr
        states[name] = json.loads(result.stdout)["state"]
    assert states == {"absent": "absent", "unreadable": "unreadable", "invalid": "invalid"}


def test_schema_is_printed() -> None:
    result = bouncer("schema")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == schema()
