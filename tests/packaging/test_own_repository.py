"""What GitHub reads of this repository: its workflows, its policy, its forms, and who is told what it is."""

import json
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from click.testing import CliRunner

from bot.cli import main
from bot.issues.clarify import item_of
from bot.issues.decide import decide_issue
from bot.issues.facts import IssueFacts
from bot.issues.parse import parse
from bot.issues.templates import read_templates
from bot.judges.offline.issues import OfflineJudge
from bot.policy import Policy
from bot.policy_file import load
from bot.reports import IssueText
from bot.verdicts import Decision, Item

ROOT = Path(__file__).parents[2]
GITHUB, EXAMPLES = ROOT / ".github", ROOT / "deploy/action"
FORMS = GITHUB / "ISSUE_TEMPLATE"
BUG = yaml.safe_load((FORMS / "bug.yml").read_text())
ANSWERS = {
    "What happens": "`bouncer judge issue report.md` ends with `KeyError: 'title'`.",
    "Steps to reproduce": "Save a file with the one word `Broken` as report.md, then run the command.",
    "Expected result": "It prints a verdict.",
    "Version and environment": "0.1.0, Debian 12, Python 3.11.2, the built-in judge",
}


def workflow(path: Path) -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load(path.read_text())
    return found


def test_zizmor_finds_nothing_in_the_workflows(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("on: issues\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps: [{uses: actions/checkout@main}]\n")

    def audit(*paths: Path) -> int:
        command = [Path(sys.executable).with_name("zizmor"), "--offline", "--quiet", *map(str, paths)]
        return subprocess.run(command, capture_output=True, timeout=60).returncode

    assert audit(GITHUB, ROOT / "action.yml", *EXAMPLES.iterdir()) == 0
    assert audit(wrong) != 0


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ("github-issue-forms", [FORMS / "bug.yml", FORMS / "feature.yml"]),
        ("github-issue-config", [FORMS / "config.yml"]),
        ("dependabot", [GITHUB / "dependabot.yml"]),
        ("github-workflows", sorted((GITHUB / "workflows").iterdir())),
        ("github-actions", [ROOT / "action.yml"]),
    ],
)
def test_github_would_take_each_file(schema: str, paths: list[Path]) -> None:
    """By the schemas that check-jsonschema carries: GitHub publishes none."""
    text = files("check_jsonschema").joinpath(f"builtin_schemas/vendor/{schema}.json").read_text()
    validator = jsonschema_rs.validator_for(json.loads(text))
    for path in paths:
        assert not list(validator.iter_errors(yaml.load(path.read_text(), yaml.BaseLoader) if False else plain(path)))
    assert list(validator.iter_errors({"nothing": "of it"}))


def plain(path: Path) -> Any:
    """As JSON has it: YAML 1.1 reads `on` as true."""
    return {"on" if key is True else key: value for key, value in yaml.safe_load(path.read_text()).items()}


def test_every_check_runs_on_pushes_and_pull_requests_and_may_only_read() -> None:
    found = workflow(GITHUB / "workflows/test.yml")
    (job,) = found["jobs"].values()
    assert set(found[True]) == {"push", "pull_request"} and found["permissions"] == {}
    assert job["permissions"] == {"contents": "read"} and job["steps"][-1] == {"run": ".ci/run"}
    assert job["steps"][0]["with"]["persist-credentials"] is False


@pytest.mark.parametrize("example", sorted(EXAMPLES.iterdir()), ids=lambda path: path.name)
def test_the_action_judges_here_as_in_the_files_to_copy(example: Path) -> None:
    """Except for the Action itself: it is the default branch's, and has to be checked out first."""
    own, copied = workflow(GITHUB / "workflows" / example.name), workflow(example)
    for job in own["jobs"].values():
        if job["steps"][-1].get("uses") == "./":
            checkout = job["steps"].pop(0)
            assert checkout["uses"].startswith("actions/checkout@")
            assert checkout["with"] == {"persist-credentials": False}, "no ref: never the pull request's"
            job["steps"][-1]["uses"] = "OWNER/bouncer@" + "0" * 40
    assert own == copied


def test_the_policy_is_valid_and_asks_for_what_the_form_asks() -> None:
    path = GITHUB / "bouncer.yml"
    done = CliRunner().invoke(main, ["policy", "check", str(path)])
    assert done.exit_code == 0, done.output
    policy = load(path.read_bytes())
    assert policy != Policy()
    assert set(policy.issues.required_sections) == {label for label, required in fields().items() if required}


def fields() -> dict[str, bool]:
    """The form's fields by what stands above them; whether each has to be filled."""
    shown = [each for each in BUG["body"] if each["type"] != "markdown"]
    return {each["attributes"]["label"]: each.get("validations", {}).get("required", False) for each in shown}


def sent(answers: dict[str, str]) -> str:
    """What GitHub makes of the filled form."""
    return "\n\n".join(f"### {label}\n\n{answers.get(label, '_No response_')}" for label in fields())


def decision(title: str, body: str) -> Decision | None:
    texts = {path.name: path.read_text() for path in FORMS.iterdir()}
    report = parse(IssueText(title, body), templates=read_templates(texts))
    facts = IssueFacts(report, OfflineJudge().judge(report), "reporter", "none", False, (), "open", False)
    return decide_issue(facts, load((GITHUB / "bouncer.yml").read_bytes())).decision


def test_bouncer_understands_its_own_form() -> None:
    asked = {item_of(label) for label in fields()}
    assert asked >= {Item.OBSERVED, Item.STEPS, Item.EXPECTED, Item.VERSION, Item.ERROR}
    (template,) = read_templates({"bug.yml": (FORMS / "bug.yml").read_text()})
    assert template.required == {label.lower() for label, required in fields().items() if required}
    assert decision("judge issue ends with a KeyError", sent(ANSWERS)) is Decision.ACCEPT
    assert decision("It is broken", sent({})) is Decision.BOUNCE
    without = {label: answer for label, answer in ANSWERS.items() if label != "Expected result"}
    assert decision("judge issue ends with a KeyError", sent(without)) is Decision.BOUNCE


def test_a_vulnerability_is_reported_in_private() -> None:
    config = yaml.safe_load((FORMS / "config.yml").read_text())
    assert config["blank_issues_enabled"] is False
    assert "contact_links" not in config, "they would name one owner, and be wrong in a fork"
    assert "](../security/advisories/new)" in BUG["body"][0]["attributes"]["value"]
    assert "](../../security/advisories/new)" in (ROOT / "SECURITY.md").read_text()


def test_whoever_finds_it_reads_of_both_doors() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    app = yaml.safe_load((ROOT / "app.yml").read_text())
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    for said in (project["description"], app["description"], action["description"]):
        assert "issue" in said and "pull request" in said and len(said) <= 200
