"""What runs on every push: CI workflows, build files and hooks. Newer versions, and another layout of YAML, are only
shown. Pure."""

import re
from collections.abc import Iterator
from posixpath import basename

import yaml

from bot.changes.kinds import kind_of
from bot.changes.risks.lines import first
from bot.changes.risks.values import Holds, Risk, called
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Hunk, Whole

LONGEST = 128 * 1024  # characters of a file that are looked at
_MOST_NUMBERS = 4  # of a version
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C takes a hundredth of the time
_FOLDERS = (
    *(".github/workflows/", ".github/actions/", ".gitea/workflows/", ".forgejo/workflows/", ".circleci/"),
    *(".gitlab/ci/", ".buildkite/", ".woodpecker/", ".azure-pipelines/", ".azure/", ".teamcity/", ".semaphore/"),
    *(".travis/", ".ci/"),
)
_WORKFLOW = re.compile(
    r"\.?gitlab-ci.*\.ya?ml|\.travis\.yml|\.?appveyor\.ya?ml|\.cirrus\.(?:ya?ml|star)|azure-pipelines.*\.ya?ml"
    r"|bitbucket-pipelines\.yml|cloudbuild\.(?:ya?ml|json)|jenkinsfile.*|.*\.jenkinsfile|\.drone\.(?:ya?ml|star)"
    r"|buildspec.*\.ya?ml|wercker\.yml|action\.ya?ml|\.woodpecker\.ya?ml|\.scrutinizer\.yml|\.semaphore\.yml"
)
_STEERS_TESTS = frozenset(
    {"makefile", "gnumakefile", "justfile", "taskfile.yml", "taskfile.yaml", "rakefile", "noxfile.py", "tox.ini"}
)
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
    plain = file.plain and not file.executable
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
    elif kind_of(file.path) is FileKind.CI and name not in _STEERS_TESTS and not name.endswith(".mk"):
        names = (*called(file.path, _FIXED), *_BUILD, *_CALLED)
        yield Risk("ci_changed", "It changes how the project is built.", file.path, first(file), names)


_VERSION = re.compile(
    r"v?(?P<numbers>\d{1,6}(?:\.\d{1,6}){0,3})"
    r"(?:[.-]?(?P<stage>a|b|rc|alpha|beta|dev|post)[.-]?(?P<count>\d{1,6}))?"
)
_STAGES = {"dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "rc": 3, None: 4, "post": 5}

Version = tuple[tuple[int, ...], int, int]  # numbers, stage, number within that stage


def not_older(before: str, after: str) -> bool:
    """Whether the second of two versions is as new as the first, or newer. What is none for certain is not: a commit,
    also a short one, may be anybody's. Nor is a tag of fewer numbers, which may move on: `v4` after `v4.1`."""
    old, new = _version(before), _version(after)
    if old is None or new is None:
        return False
    return old[0] <= new[0] and _padded(old) <= _padded(new)


def _version(text: str) -> Version | None:
    match = _VERSION.fullmatch(text)
    if match is None or (match["stage"] and "." not in match["numbers"]):  # `12a3456` is a short commit
        return None
    numbers = tuple(map(int, match["numbers"].split(".")))
    return numbers, _STAGES[match["stage"]], int(match["count"] or 0)


def _padded(version: Version) -> Version:
    """With as many numbers as there may be, so that 1.0 is newer than 1.0.0a1."""
    numbers, stage, count = version
    return (*numbers, *(0 for _ in range(_MOST_NUMBERS - len(numbers)))), stage, count


def only_layout(before: str, after: str) -> bool:
    """Whether two texts of a YAML file say the same to whatever reads them. What is in doubt is no yes.

    Two questions, and both must say so. The lines: nothing but blank lines, lines that are a comment and blanks at the
    end of lines differ. The file: a reader of YAML finds the same in it, so that no such line stands in a script or a
    text of several lines, ends one, or breaks the file.
    """
    if max(len(before), len(after)) > LONGEST or before == after:
        return False
    if _said_lines(before) != _said_lines(after):
        return False
    told = _events(before)
    return told is not None and told == _events(after)


def _said_lines(text: str) -> list[str]:
    """The lines that say something, with their indentation. A line that goes on over its end stays as it stands."""
    bare = (line if line.rstrip().endswith("\\") else line.rstrip(" \t") for line in text.split("\n"))
    return [line for line in bare if line and not _is_comment(line)]


def _is_comment(line: str) -> bool:
    """What is printed holds no sign that another reader takes for the end of the line."""
    text = line.lstrip(" ")
    return text.startswith("#") and not text.startswith("#!") and not text.endswith("\\") and text.isprintable()


def _events(text: str) -> list[tuple[object, ...]] | None:
    """All that a reader of YAML is told, in order; `None` where it is none. Aliases are left as they are, so a small
    file stays small."""
    try:
        return [_placeless(event) for event in yaml.parse(text, Loader=_Loader)]
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _placeless(event: yaml.Event) -> tuple[object, ...]:
    """An event without its place in the file."""
    said = (getattr(event, name, None) for name in ("anchor", "tag", "implicit", "value", "style", "explicit"))
    return (type(event).__name__, *said)
