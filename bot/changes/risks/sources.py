"""Where dependencies come from, and what runs while they are installed or built. Pure."""

import re
from collections.abc import Iterator
from dataclasses import replace
from posixpath import basename
from urllib.parse import urlsplit

from bot.changes.risks.lines import LONGEST, added, first, moved, numbered
from bot.changes.risks.manifests import REDIRECTS, placed, read_package_json
from bot.changes.risks.values import Risk, called
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole

_FILES = re.compile(
    r"(?:.*/)?(?:\.npmrc|\.yarnrc(?:\.ya?ml)?|\.pnpmfile\.c?js|pip\.(?:conf|ini)|\.pypirc|\.pydistutils\.cfg|uv\.toml|\.condarc"
    r"|bunfig\.toml|nuget\.config|\.bundle/config|\.cargo/config(?:\.toml)?|\.mvn/.*|\.yarn/(?:plugins|releases)/.*|\.netrc|\.gemrc)"
)
_BUILDS = re.compile(
    r"(?:.*/)?(?:build\.rs|binding\.gyp|extconf\.rb|_build_backend\.py|hatch_build\.py|build_hooks?\.py)"
)
_SOURCE = re.compile(
    r"\s*(?:-i|--(?:extra-)?index-url|--find-links|-f|--trusted-host|--no-index|--pre-index)[\s=].*"
    r"|.*--(?:extra-)?index-url\b.*|.*\b(?:git|hg|svn|bzr)\+(?:https?|ssh|git|file)://.*"
    r"|.*@\s*(?:https?|file|ftp)://.*|\s*(?:-e\s+)?(?:https?|file|ftp)://.*|\s*(?:extra-)?index-url\s*=.*|\s*dependency_links\s*=.*"
    r"|.*[{,]\s*(?:git|url|registry|index|source)\s*=\s*['\"].*"
)
# Without it a name that only the index inside was to answer for may come from the public one.
_INDEX = re.compile(
    r"\s*(?:-i|--(?:extra-)?index-url|--find-links|-f)[\s=].*|\s*--no-index\s*|\s*(?:extra-)?index-url\s*=.*"
    r"|\[{1,2}(?:tool\.uv\.(?:sources|index)|tool\.(?:poetry|pdm)\.source|registries(?:\..{1,80})?|source(?:\..{1,80})?)\]{1,2}\s*"
    r"|.*[{,]\s*(?:index|source|registry)\s*=.*"
)
_TABLES = re.compile(
    r"tool\.uv\.(?:sources|index|pip)(?:\..*)?|tool\.poetry\.source|tool\.pdm\.source|source|source\..*|registries(?:\..*)?|patch\..*|replace"
    r"|tool\.uv\.(?:override|constraint).*"
)
_JSON_SOURCE = re.compile(
    r"\s*\"[^\"]{1,150}\"\s*:\s*\"(?:git[+:@]|https?:|file:|link:|portal:|github:|gitlab:|bitbucket:|gist:|ssh:|npm:|[\w.-]{1,80}/[\w.-]{1,80}(?:#|\"))"
)
_JSON_LISTS = re.compile(r"(?:dev|peer|optional|bundled?)?dependencies|overrides|resolutions|")
_SCRIPT = re.compile(
    r"\s*\"(?:(?:pre|post)?install|(?:pre|post)?prepare|prepublish|prepack|postpack|dependencies|(?:pre|post)-(?:install|update|autoload)\S{0,20})\""
    r"\s*:\s*[\"\[](?!\^|~|\d)"
)
_BACKEND = re.compile(
    r"\s*(?:build-backend|backend-path)\s*=.*|\s*build\s*=\s*\"[^\"]{1,200}\"\s*|\s*proc-macro\s*=\s*true.*"
)
_HOOKS = re.compile(
    r"tool\.(?:hatch\.build(?:\..*)?\.hooks|poetry\.build|pdm\.build|setuptools\.cmdclass|cibuildwheel)(?:\..*)?"
)
_SETUP = re.compile(
    r"\bcmdclass\b|\b(?:os\.(?:system|popen|exec\w*|spawn\w*)|subprocess|urlopen|urlretrieve|urllib|requests|socket|b64decode|__import__"
    r"|marshal|import_module)\b|(?<![\w.])(?:exec|eval|compile)\("
)
# A dependency or a word of that name: a text, which runs nothing.
_ONLY_NAMED = re.compile(r"(?P<quote>['\"])(?:requests|socket|urllib|marshal)[\w.<>=~!,;\[\] -]{0,200}(?P=quote)")
_GO = re.compile(r"\s*(?:replace\s+)?\S{1,200}(?:\s+v\S{1,100})?\s*=>\s*\S.*")
_GEM = re.compile(r"\s*source\s*[(]?\s*['\"].*|.*,\s*(?::?(?:git|github|path|source))(?::|\s*=>).*")
_LOCK_URL = re.compile(r"(?:git\+)?(?:https?|ssh|git|file)://[^\s\"'#?<>)\]]{1,300}|git@[\w.-]{1,100}:")
_LOCK_GIT = re.compile(
    r"\s*source\s*=\s*(?:\"git\+|\{\s*(?:git|url)\s*=).*|\s*type\s*=\s*\"(?:git|url|file|legacy)\".*|.*\"resolved\":\s*\"git.*"
)
_USUAL = frozenset(
    {
        *("registry.npmjs.org", "registry.yarnpkg.com", "pypi.org", "files.pythonhosted.org", "pypi.python.org"),
        *("index.crates.io", "rubygems.org", "proxy.golang.org", "packagist.org", "api.github.com"),
        *("opencollective.com", "github.com", "paypal.me"),
    }
)
# No bare "registry" or "build system": many a project has one of its own.
_CALLED = ("package index", "index url", "index-url", "package registry", "npm registry", "git dependency")
_CALLED_BUILD = ("build backend", "build-backend", "build-system", "install script", "postinstall script")


def sources(change: Change, whole: Whole) -> Iterator[Risk]:
    """`dependency_source`, `install_script`."""
    for file in change.files:
        path = file.path.lower()
        if _FILES.fullmatch(path):
            yield replace(_source(file, first(file)), names=(*called(file.path, _FILES), *_CALLED))
        elif _BUILDS.fullmatch(path):
            yield replace(_script(file, first(file)), names=(*called(file.path, _BUILDS), *_CALLED_BUILD))
        elif file.status is FileStatus.DELETED:
            continue
        elif basename(path) == "setup.py":
            yield from _in_setup(file)
        elif file.kind is FileKind.LOCK:
            yield from _in_lock(file)
        elif file.kind is FileKind.DEPENDENCIES:
            yield from _in_manifest(file, whole)


def _source(file: FileChange, line: int) -> Risk:
    return Risk("dependency_source", "It changes where dependencies come from.", file.path, line, _CALLED)


def _script(file: FileChange, line: int) -> Risk:
    say = "It changes what runs while the project is installed or built."
    return Risk("install_script", say, file.path, line, _CALLED_BUILD)


def _in_setup(file: FileChange) -> Iterator[Risk]:
    known = moved(file)
    for number, text in added(file):
        if not known(text) and _SETUP.search(_ONLY_NAMED.sub("''", text)):
            yield _script(file, number)
            return


def _in_manifest(file: FileChange, whole: Whole) -> Iterator[Risk]:
    """The first of each kind."""
    name = basename(file.path.lower())
    told = read_package_json(file, whole) if name == "package.json" else None
    if told is not None:
        comes, runs = told
        yield from [_source(file, first(file))] * comes + [_script(file, first(file))] * runs
        return
    known = moved(file)
    found: dict[str, Risk] = {}
    for line in placed(file, whole):
        text = line.text
        if not text.strip() or known(text) or text.lstrip().startswith(("#", "//")):
            continue
        if name.endswith(".json"):
            comes = bool(_JSON_LISTS.fullmatch(line.key) and _JSON_SOURCE.match(text)) or line.key in REDIRECTS
            runs = bool(_SCRIPT.match(text)) and line.key in ("scripts", "")
        elif name in ("go.mod", "go.work"):
            comes, runs = bool(_GO.fullmatch(text)), False
        elif "gem" in name:
            comes, runs = bool(_GEM.fullmatch(text)), False
        else:
            comes = bool(_SOURCE.fullmatch(text)) and not _is_link(text, line.table)
            comes = comes or bool(_TABLES.fullmatch(line.table))
            runs = bool(_BACKEND.fullmatch(text)) or bool(_HOOKS.fullmatch(line.table))
        if comes:
            found.setdefault("source", _source(file, line.number))
        if runs:
            found.setdefault("script", _script(file, line.number))
    if (gone := _index_gone(file)) is not None:
        found.setdefault("source", _source(file, gone))
    yield from found.values()


def _index_gone(file: FileChange) -> int | None:
    """The line at which an index or a package's own source was taken out; one that moved is there still."""
    there = frozenset(text.strip() for hunk in file.hunks for text in hunk.added)
    gone = ((number, text) for number, mark, text in numbered(*file.hunks) if mark == "-" and text.strip() not in there)
    return next((number for number, text in gone if _INDEX.fullmatch(text[:LONGEST])), None)


def _is_link(text: str, table: str) -> bool:
    """An address for readers: of the project's pages, a badge, a funding page."""
    return table in ("project.urls", "tool.poetry.urls", "urls") or table.startswith(
        ("tool.towncrier", "tool.commitizen")
    )


def _in_lock(file: FileChange) -> Iterator[Risk]:
    """A host that the file did not name before, or a source that is no index."""
    before = frozenset(host for hunk in file.hunks for line in hunk.lines if line[:1] != "+" for host in _hosts(line))
    kept = "\n".join(line for hunk in file.hunks for line in hunk.lines if line[:1] != "+")
    for number, mark, text in numbered(*file.hunks):
        if mark != "+":
            continue
        strange = any(host not in before and host not in _USUAL for host in _hosts(text))
        bare = _LOCK_GIT.fullmatch(text)
        if strange or (bare and text.split("#")[0].split("?")[0].strip() not in kept):
            yield _source(file, number)
            return


def _hosts(text: str) -> Iterator[str]:
    for match in _LOCK_URL.finditer(text[:2_000]):
        try:
            yield (urlsplit(match[0]).hostname or "").lower()
        except ValueError:
            yield ""
