"""What runs on every push: CI workflows, build files and hooks. Pure."""

import re
from collections.abc import Iterator
from posixpath import basename

from bot.changes.kinds import kind_of
from bot.changes.risks.layout import only_layout
from bot.changes.risks.lines import first
from bot.changes.risks.values import Holds, Risk, Whole, called
from bot.changes.risks.versions import not_older
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Hunk

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
_BUMP = re.compile(  # by versions: a commit may be anybody's, also under the name of the real project
    r"(?P<what>\s*(?:-\s+)?(?:uses:\s*[\"']?[\w.-]{1,100}/[\w./-]{1,200}@|rev:\s*[\"']?))"
    r"(?P<version>[\w.-]{1,40})[\"']?\s*"
)
# No bare "ci", "workflow" or "pipeline": a report tells where it was seen, and many a project has pipelines of its own.
_CALLED = (
    *(f"{what}{many}" for what in ("ci workflow", "ci pipeline", "ci job", "github workflow") for many in ("", "s")),
    *("github actions", "github action", "ci configuration", "ci config", "ci/cd workflow", "ci/cd pipeline"),
)
_BUILD = ("container image", "docker image", "build file")
_FIXED = re.compile(  # last parts of paths by which a service or a build tool knows its orders
    rf"{_WORKFLOW.pattern}|\.pre-commit-config\.yaml|(?:.*\.)?(?:dockerfile|containerfile)|docker-compose\.ya?ml"
    r"|cmakelists\.txt|meson\.build"
)


def ci(change: Change, whole: Whole) -> Iterator[Risk]:
    """`ci_changed`."""
    for file in change.files:
        path = next(filter(runs_on_push, (file.path, file.old_path or "")), "")
        if path:
            say, holds = _weighed(file, whole, "It changes what CI runs.")
            yield Risk("ci_changed", say, path, first(file), (*called(path, _FIXED), *_CALLED), holds)
        else:
            yield from _build(file, whole)


def _weighed(file: FileChange, whole: Whole, say: str) -> tuple[str, Holds]:
    """What to say of orders that are changed, and whether it asks for a person. say: where it does."""
    if only_newer(file):
        return "It takes newer versions of what CI runs already.", Holds.NEVER
    texts = whole(file) if may_be_layout(file) else None
    if texts and only_layout(*texts):
        return "It changes only comments and layout of what CI runs.", Holds.NEVER
    return say, Holds.ALWAYS


def may_be_layout(file: FileChange) -> bool:
    """Whether the whole file may show that only its comments and its layout change."""
    named = runs_on_push(file.path) or basename(file.path.lower()) == _HOOKS
    plain = not (file.binary or file.link or file.submodule or file.executable)
    return named and plain and file.status is FileStatus.MODIFIED and file.path.lower().endswith((".yml", ".yaml"))


def only_newer(file: FileChange) -> bool:
    """Whether all it changes is versions of actions or hooks that were there, none of them to an older one."""
    return file.status is FileStatus.MODIFIED and bool(file.hunks) and all(map(_is_bump, file.hunks))


def _is_bump(hunk: Hunk) -> bool:
    if len(hunk.added) != len(hunk.removed):
        return False
    pairs = zip(map(_BUMP.fullmatch, hunk.removed), map(_BUMP.fullmatch, hunk.added), strict=True)
    return all(
        old and new and old["what"] == new["what"] and not_older(old["version"], new["version"]) for old, new in pairs
    )


def runs_on_push(path: str) -> bool:
    """Whether a CI service reads the file as its orders."""
    lowered = path.lower()
    return lowered.startswith(_FOLDERS) or bool(_WORKFLOW.fullmatch(basename(lowered)))


def _build(file: FileChange, whole: Whole) -> Iterator[Risk]:
    name = basename(file.path.lower())
    if name == _HOOKS:
        say, holds = _weighed(file, whole, "It changes the hooks that run before a commit.")
        yield Risk(
            "ci_changed", say, file.path, first(file), ("pre-commit", *called(file.path, _FIXED), *_CALLED), holds
        )
    elif kind_of(file.path) is FileKind.CI and not _STEERS_TESTS.fullmatch(name):
        names = (*called(file.path, _FIXED), *_BUILD, *_CALLED)
        yield Risk("ci_changed", "It changes how the project is built.", file.path, first(file), names)
