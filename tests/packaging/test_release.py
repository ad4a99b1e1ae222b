"""The project's own workflows, the scripts that the release calls, and the Dockerfile as hadolint reads it."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.cases import cases

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").iterdir())
WORKFLOW, AUDIT = ROOT / ".github/workflows/release.yml", ROOT / ".github/workflows/audit.yml"
URL = "https://github.example.com/acme/bouncer"
BASE, BUILT, TAGGED = "a" * 64, "b" * 64, "registry.example.com/bouncer:1.2.3"

# Stands for docker: notes what it is asked, and says digests.
ENGINE = """#!/bin/sh
echo "$*" >> {log}
case "$1 $2 $5" in
"image inspect "*python*) echo "{base}" ;;
"image inspect "*) echo "{built}" ;;
esac
"""


@pytest.fixture(scope="module")
def jobs() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(WORKFLOW.read_text())["jobs"]
    return loaded


def steps(jobs: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in jobs.values() for step in job["steps"]]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_by_commit_and_its_version_stands_beside(workflow: Path) -> None:
    used = re.findall(r"uses: ((?!\./).*)", workflow.read_text())
    assert used or workflow.name == "bouncer-trigger.yml"
    assert [line for line in used if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []


def test_each_job_may_do_only_what_it_does(jobs: dict[str, Any]) -> None:
    assert yaml.safe_load(WORKFLOW.read_text())["permissions"] == {}
    assert {name: job["permissions"] for name, job in jobs.items()} == {
        "test": {"contents": "read"},
        "image": {"contents": "read", "packages": "write", "id-token": "write"},
        "package": {"contents": "read", "id-token": "write", "attestations": "write"},
        "pypi": {"id-token": "write"},
        "notes": {"contents": "write"},
    }
    assert "secrets." not in WORKFLOW.read_text(), "nothing is stored"


def test_nothing_is_released_before_the_tests_passed(jobs: dict[str, Any]) -> None:
    assert {name: job.get("needs") for name, job in jobs.items()} == {
        **{"test": None, "image": "test", "package": "image", "pypi": "package", "notes": "pypi"}
    }
    runs = [step["run"] for step in jobs["test"]["steps"] if "run" in step]
    assert runs[-2:] == [".ci/run", "CI=true make test-postgresql"], "on both databases"
    assert all("continue-on-error" not in one and "if" not in one for one in (*steps(jobs), *jobs.values()))


def test_a_checkout_keeps_no_credentials(jobs: dict[str, Any]) -> None:
    checkouts = [step for step in steps(jobs) if "checkout" in step.get("uses", "")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_dependencies_are_audited_each_week_and_where_a_pin_changes() -> None:
    """A pull request's own files are read as data alone: nothing of it is installed or run."""
    workflow: dict[Any, Any] = yaml.safe_load(AUDIT.read_text())
    on = workflow[True]  # YAML's `on`
    assert set(on) == {"schedule", "pull_request"} and len(on["schedule"]) == 1
    assert (ROOT / "constraints.txt").exists() and "constraints.txt" in on["pull_request"]["paths"]
    (job,) = workflow["jobs"].values()
    assert (workflow["permissions"], job["permissions"]) == ({}, {"contents": "read"})
    assert job["steps"][0]["with"] == {"persist-credentials": False}
    tool, audit = (step["run"] for step in job["steps"] if "run" in step)
    assert re.fullmatch(r"python -m pip install pip-audit==[\d.]+", tool)
    assert audit.split() == [
        *("pip-audit", "--strict", "--requirement", "constraints.txt", "--no-deps", "--disable-pip"),
        *("--progress-spinner", "off"),
    ]
    assert all("continue-on-error" not in one and "if" not in one for one in (*job["steps"], job))
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert job["strategy"]["matrix"]["python"][0] == asked.removeprefix(">=")


def test_what_is_run_parses_and_takes_names_of_others_from_variables_alone(jobs: dict[str, Any]) -> None:
    for step in steps(jobs):
        if "run" in step:
            assert "${{" not in step["run"], "a tag's name would become part of the program"
            subprocess.run(["bash", "-n", "-c", step["run"]], check=True)


def test_nothing_is_built_before_it_has_the_tags_version(jobs: dict[str, Any]) -> None:
    for job, build in (("image", "scripts/release-image"), ("package", "hatchling build")):
        runs = [step.get("run", "") for step in jobs[job]["steps"]]
        (prepared,) = [
            place for place, run in enumerate(runs) if run.startswith('scripts/prepare-release "$GITHUB_REF_NAME"')
        ]
        (built,) = [place for place, run in enumerate(runs) if build in run]
        assert prepared < built


@cases
def test_a_pre_release_does_not_become_the_latest_release(
    jobs: dict[str, Any], tmp_path: Path, tag: str, early: bool
) -> None:
    gh = tmp_path / "gh"
    gh.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    gh.chmod(0o755)
    run = jobs["notes"]["steps"][-1]["run"]
    known = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "GITHUB_REF_NAME": tag, "GITHUB_REPOSITORY": "acme/bouncer"}
    done = subprocess.run(
        ["bash", "-e", "-c", run], env=known, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        *("release", "create", tag),
        *(["--prerelease"] if early else []),
        *("--repo", "acme/bouncer", "--verify-tag", "--notes-file", "notes.md", "dist/*", "./*.spdx.json"),
    ]


def test_every_file_that_is_called_is_there(jobs: dict[str, Any]) -> None:
    called = {name for step in steps(jobs) for name in re.findall(r"(?:scripts|\.ci)/[\w-]+", step.get("run", ""))}
    assert called == {"scripts/prepare-release", "scripts/release-image", ".ci/run"}
    assert all(os.access(ROOT / name, os.X_OK) for name in called)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("scripts/prepare-release", "scripts/release-image", "pyproject.toml", "README.md", "Dockerfile"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-11-24)\n\n- First.\n\n## 0.0.1\n"
    )
    (tmp_path / "bot/sandbox").mkdir(parents=True)
    return tmp_path


def script(checkout: Path, name: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [checkout / "scripts" / name, *arguments],
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], **environment},
    )


def test_a_release_is_prepared_and_its_version_is_the_tags(checkout: Path) -> None:
    done = script(checkout, "prepare-release", "v0.1.0", URL)
    assert (done.returncode, done.stdout, done.stderr) == (0, "- First.\n", "")
    project = tomllib.loads((checkout / "pyproject.toml").read_text())["project"]
    assert project["urls"]["Homepage"] == URL
    assert project["urls"]["Changelog"] == f"{URL}/blob/v0.1.0/CHANGELOG.md"
    before = tomllib.loads((ROOT / "pyproject.toml").read_text())
    after = tomllib.loads((checkout / "pyproject.toml").read_text())
    del after["project"]["urls"]
    assert (before["project"].pop("version"), after["project"].pop("version")) == ("0.0.0.dev0", "0.1.0")
    assert after == before, "nothing else changes"
    assert "start from a clean checkout" in script(checkout, "prepare-release", "v0.1.0", URL).stderr
    assert f"pip install {project['name']}`" in (ROOT / "docs/installation.md").read_text()


def test_the_readme_of_a_release_leads_to_the_repository_from_anywhere(checkout: Path) -> None:
    script(checkout, "prepare-release", "v0.1.0", URL)
    before, after = (place.joinpath("README.md").read_text() for place in (ROOT, checkout))
    links = re.findall(r"\]\(([^)]+)\)", after)
    assert links and all(link.startswith("https://") for link in links)
    assert f"]({URL}/blob/v0.1.0/docs/installation.md)" in after
    assert f'srcset="{URL}/raw/v0.1.0/docs/pictures/demo-dark.svg"' in after
    assert f'src="{URL}/raw/v0.1.0/docs/pictures/demo-light.svg"' in after
    assert after.replace(f"{URL}/blob/v0.1.0/", "").replace(f"{URL}/raw/v0.1.0/", "") == before


@cases
def test_what_is_no_release_is_refused_and_nothing_written(
    tag: str, url: str, changelog: str | None, said: str, checkout: Path
) -> None:
    if changelog:
        (checkout / "CHANGELOG.md").write_text(changelog)
    done = script(checkout, "prepare-release", tag, url)
    assert done.returncode == 1
    assert said in done.stderr and done.stderr.count("\n") == 1
    assert (checkout / "pyproject.toml").read_text() == (ROOT / "pyproject.toml").read_text()


def engine(checkout: Path, built: str) -> Path:
    path = checkout / "engine"
    text = ENGINE.format(log=checkout / "log", base=f"docker.io/library/python@sha256:{BASE}", built=built)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_the_image_is_built_on_a_base_by_digest_and_its_own_digest_is_kept(checkout: Path) -> None:
    built = f"registry.example.com/bouncer@sha256:{BUILT}"
    done = script(checkout, "release-image", TAGGED, ENGINE=str(engine(checkout, built)))
    assert done.returncode == 0, done.stderr
    assert (checkout / "bot/sandbox/image").read_text() == f"{built}\n"
    (build,) = [line for line in (checkout / "log").read_text().splitlines() if line.startswith("build ")]
    assert f"--build-arg PYTHON_IMAGE=docker.io/library/python@sha256:{BASE} " in build
    assert f"image.base.digest=sha256:{BASE} " in build
    assert "image.version=1.2.3 " in build
    named = re.findall(r"^(?:push|tag) .*|(?<=--tag )\S+", (checkout / "log").read_text(), re.MULTILINE)
    assert named == [TAGGED, f"push {TAGGED}"], "no `latest`, which a pre-release would move"


def test_an_image_without_a_digest_is_no_release(checkout: Path) -> None:
    (checkout / "bot/sandbox/image").write_text("bouncer\n")
    done = script(checkout, "release-image", "x/bouncer:1", ENGINE=str(engine(checkout, "<no value>")))
    assert done.returncode == 1
    assert "does not say the digest of x/bouncer:1" in done.stderr
    assert (checkout / "bot/sandbox/image").read_text() == "bouncer\n"


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    done = subprocess.run(["hadolint", "Dockerfile"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
