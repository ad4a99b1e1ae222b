"""What runs on every push: CI workflows, build files and hooks. Pure."""

import re
from collections.abc import Iterator
from posixpath import basename

from bot.changes.kinds import kind_of
from bot.changes.risks.lines import first
from bot.changes.risks.values import Holds, Risk, Whole, called
from bot.changes.values import Change, FileChange, FileKind

_FOLDERS = (
    *(
        ".github/workflows/",
        ".github/actions/",
        ".gitea/workflows/",
        ".forgejo/workflows/",
        ".circleci/",
        ".gitlab/ci/",
    ),
    *(".buildkite/", ".woodpecker/", ".azure-pipelines/", ".azure/", ".teamcity/", ".semaphore/", ".travis/", ".ci/"),
)
_WORKFLOW = re.compile(
    r"\.?gitlab-ci.*\.ya?ml|\.travis\.yml|\.?appveyor\.ya?ml|\.cirrus\.(?:ya?ml|star)|azure-pipelines.*\.ya?ml"
    r"|bitbucket-pipelines\.yml|cloudbuild\.(?:ya?ml|json)|jenkinsfile.*|.*\.jenkinsfile|\.drone\.(?:ya?ml|star)"
    r"|buildspec.*\.ya?ml|wercker\.yml|action\.ya?ml|\.woodpecker\.ya?ml|\.scrutinizer\.yml|\.semaphore\.yml"
)
_STEERS_TESTS = re.compile(r"(?:gnu)?makefile|.*\.mk|justfile|taskfile\.ya?ml|rakefile|noxfile\.py|tox\.ini")
_HOOKS = ".pre-commit-config.yaml"
_VERSION = re.compile(r"\s*(?:-\s+)?(?:rev:\s*\S{1,80}|additional_dependencies:.{0,300}|#.*|autoupdate_\w+:.*)?\s*")
_CALLED = ("ci", "github actions", "github action", "workflow", "workflows", "pipeline", "github workflow")
_BUILD = ("docker", "dockerfile", "container image", "build file", "cmake", "meson")


def ci(change: Change, _whole: Whole) -> Iterator[Risk]:
    """`ci_changed`."""
    for file in change.files:
        for path in {file.path, file.old_path or file.path}:
            if runs_on_push(path):
                yield Risk("ci_changed", "It changes what CI runs.", path, first(file), (*called(path), *_CALLED))
                break
        else:
            yield from _build(file)


def runs_on_push(path: str) -> bool:
    """Whether a CI service reads the file as its orders."""
    lowered = path.lower()
    return lowered.startswith(_FOLDERS) or bool(_WORKFLOW.fullmatch(basename(lowered)))


def _build(file: FileChange) -> Iterator[Risk]:
    name = basename(file.path.lower())
    if name == _HOOKS:
        bumps = all(_VERSION.fullmatch(text) for hunk in file.hunks for text in (*hunk.added, *hunk.removed))
        holds = Holds.NEVER if bumps and file.hunks else Holds.ALWAYS
        say = (
            "It changes versions of the hooks that run before a commit."
            if bumps
            else "It changes the hooks that run before a commit."
        )
        yield Risk("ci_changed", say, file.path, first(file), ("pre-commit", *called(file.path), *_CALLED), holds)
    elif kind_of(file.path) is FileKind.CI and not _STEERS_TESTS.fullmatch(name):
        names = (*called(file.path), *_BUILD, *_CALLED)
        yield Risk("ci_changed", "It changes how the project is built.", file.path, first(file), names)
