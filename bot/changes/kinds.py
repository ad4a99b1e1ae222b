"""What a file is for, told from its path alone. Pure.

The first rule that fits decides: what runs on every push comes before what tests, and that before what is written. A
path cannot tell everything, so no kind is a hiding place: for `bot.changes.meaning` an edit of any kind is meaningful
until it has seen otherwise.
"""

import re
from pathlib import PurePosixPath

from bot.changes.values import FileKind

_LONGEST = 4096  # characters of a path, as on Linux

_CI_FOLDERS = (".github/workflows/", ".github/actions/", ".circleci/", ".buildkite/", ".gitlab/ci/", ".woodpecker/")
_CI_NAMES = frozenset(
    {
        *("action.yml", "action.yaml", ".gitlab-ci.yml", ".travis.yml", "appveyor.yml", ".appveyor.yml", ".cirrus.yml"),
        *("azure-pipelines.yml", "bitbucket-pipelines.yml", "cloudbuild.yaml", "jenkinsfile", ".drone.yml"),
        *("buildspec.yml", "codecov.yml", ".codecov.yml", ".pre-commit-config.yaml", "tox.ini", "noxfile.py"),
        *("makefile", "gnumakefile", "justfile", "rakefile", "dockerfile", "containerfile", "cmakelists.txt"),
        *("meson.build", "compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml", "taskfile.yml"),
    }
)
_CI_SUFFIXES = (".dockerfile", ".mk", ".cmake")
_LOCKS = frozenset(
    {
        *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"),
        *("deno.lock", "poetry.lock", "pdm.lock", "uv.lock", "pylock.toml", "pipfile.lock", "conda-lock.yml"),
        *("pixi.lock", "cargo.lock", "go.sum", "go.work.sum", "gemfile.lock", "composer.lock", "mix.lock"),
        *("pubspec.lock", "packages.lock.json", "podfile.lock", "package.resolved", "flake.lock"),
        *("gradle.lockfile", "cartfile.resolved"),
    }
)
_MANIFESTS = frozenset(
    {
        *("pyproject.toml", "setup.py", "setup.cfg", "pipfile", "environment.yml", "environment.yaml"),
        *("constraints.txt", "package.json", "pnpm-workspace.yaml", "bower.json", "deno.json", "cargo.toml", "go.mod"),
        *("go.work", "gemfile", "composer.json", "pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle"),
        *("gradle.properties", "libs.versions.toml", "mix.exs", "rebar.config", "pubspec.yaml", "podfile"),
        *("package.swift", "packages.config", "directory.packages.props", "directory.build.props", "build.sbt"),
        *("conanfile.py", "conanfile.txt", "vcpkg.json", "flake.nix", "project.clj", "deps.edn", ".gitmodules"),
    }
)
_MANIFEST = re.compile(
    r"(?:[\w.-]*[-_.])?requirements(?:[-_.][\w.-]*)?\.(?:txt|in)|[\w.-]+\.(?:gemspec|[cfv][bs]?proj)"
)
_REQUIREMENTS = "requirements"  # a folder of them

_TEST_FOLDERS = frozenset({"tests", "__tests__", "e2e", "__snapshots__", "__mocks__", "testdata"})
_PACKAGES = frozenset({"test", "spec", "specs"})  # folders of tests, and names of packages
_TEST_NAME = re.compile(  # `FooTest.java`, `foo_test.go`, `foo.spec.ts`; a stem ends before the last dot
    r"test_.*\.py|.*[._-](?:test|tests|spec)\.\w{1,5}|(?:conftest|tests?)\.py|.*\.snap|test[-_]helper\.\w{1,5}"
)
_TEST_CLASS = re.compile(
    r".*[a-z0-9](?:Test|Tests|TestCase|Spec|IT)\.(?:java|kt|scala|groovy|cs|fs|swift|php)|Test[A-Z]\w*\.java"
)

_GENERATED = re.compile(
    r".*(?:_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h|gw\.go)|\.min\.(?:js|css|mjs)|\.(?:js|css)\.map|\.g\.dart|\.freezed\.dart"
    r"|\.designer\.cs|\.g\.cs|\.generated\.\w{1,5}|_generated\.\w{1,5}|\.bundle\.js)|zz_generated\..*"
)
_GENERATED_FOLDERS = frozenset({"node_modules", "__generated__"})

_DOCUMENTATION_SUFFIXES = frozenset(
    {".md", ".rst", ".adoc", ".asciidoc", ".mdx", ".txt", ".tex", ".rdoc", ".pod", ".org"}
)
_DOCUMENTATION_NAMES = re.compile(
    r"(?:readme|changelog|changes|history|news|license|licence|copying|notice|authors|contributors|contributing|citation"
    r"|security|code_of_conduct|maintainers|credits|thanks|todo)(?:\..*)?"
)
# Names of what nobody reads but people; of the others only at the root of the repository.
_FOR_PEOPLE = re.compile(
    r"(?:readme|changelog|license|licence|copying|authors|contributors|contributing|code_of_conduct)\.(?:md|rst)"
)
_DOCUMENTATION_FOLDERS = frozenset({"doc", "docs", "documentation", "changelog.d", "newsfragments"})

# Written in prose, but read by coding agents as orders.
_AGENTS = frozenset(
    {"agents.md", "claude.md", "gemini.md", "copilot-instructions.md", ".cursorrules", ".windsurfrules"}
)
_CONFIGURATION_SUFFIXES = frozenset(
    {
        *(".yml", ".yaml", ".toml", ".ini", ".cfg", ".conf", ".json", ".jsonc", ".json5", ".properties", ".env"),
        *(".xml", ".plist", ".config", ".tf", ".tfvars", ".hcl", ".nix", ".service", ".editorconfig"),
    }
)
_CODE_SUFFIXES = frozenset(
    {
        *(".py", ".pyi", ".pyx", ".pxd", ".ipynb", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"),
        *(".vue", ".svelte", ".astro", ".go", ".rs", ".java", ".kt", ".kts", ".scala", ".sc", ".groovy", ".clj"),
        *(".cljs", ".edn", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".m", ".mm"),
        *(".cu", ".cuh", ".cs", ".fs", ".fsx", ".vb", ".rb", ".erb", ".php", ".phtml", ".swift", ".dart", ".lua"),
        *(".pl", ".pm", ".r", ".jl", ".ex", ".exs", ".erl", ".hrl", ".hs", ".ml", ".mli", ".elm", ".nim", ".zig", ".v"),
        *(".sv", ".vhd", ".f", ".f90", ".f95", ".for", ".ada", ".adb", ".asm", ".s", ".sh", ".bash", ".zsh", ".fish"),
        *(".ps1", ".bat", ".cmd", ".awk", ".sql", ".graphql", ".gql", ".proto", ".thrift", ".html", ".htm", ".xhtml"),
        *(".css", ".scss", ".sass", ".less", ".j2", ".jinja", ".jinja2", ".hbs", ".ejs", ".haml", ".slim", ".pug"),
        *(".mako", ".tmpl", ".tpl", ".sol", ".wgsl", ".glsl", ".vert", ".frag", ".hlsl", ".metal", ".el", ".lisp"),
        *(".scm", ".rkt", ".vim", ".cob", ".pas", ".d"),
    }
)


def kind_of(path: str) -> FileKind:
    """What the file is for. Every text is a path; what fits no rule, and no file system, is `OTHER`."""
    if len(path) > _LONGEST:
        return FileKind.OTHER
    if _is_ci(path):
        return FileKind.CI
    if is_test(path):
        return FileKind.TEST
    file = PurePosixPath(path.lower())
    name, suffix, folders = file.name, file.suffix, frozenset(file.parts[:-1])
    if name in _LOCKS:
        return FileKind.LOCK
    if name in _MANIFESTS or _MANIFEST.fullmatch(name) or (_REQUIREMENTS in folders and suffix in (".txt", ".in")):
        return FileKind.DEPENDENCIES
    if name in _AGENTS:
        return FileKind.CONFIGURATION
    if folders & _GENERATED_FOLDERS or _GENERATED.fullmatch(name):
        return FileKind.GENERATED
    if suffix in _DOCUMENTATION_SUFFIXES or (_DOCUMENTATION_NAMES.fullmatch(name) and _holds_no_orders(suffix)):
        return FileKind.DOCUMENTATION
    if folders & _DOCUMENTATION_FOLDERS and (suffix in (".html", ".htm", ".css") or _holds_no_orders(suffix)):
        return FileKind.DOCUMENTATION
    if suffix in _CODE_SUFFIXES:
        return FileKind.CODE
    if suffix in _CONFIGURATION_SUFFIXES or name.startswith("."):
        return FileKind.CONFIGURATION
    return FileKind.OTHER


def is_test(path: str) -> bool:
    """Whether the file is a test, or stands with the tests.

    A Python package may be called `test` or `spec` and be part of the product, so there only the file's own name
    counts.
    """
    file = PurePosixPath(path)
    folders = [part.lower() for part in file.parts[:-1]]
    if (
        not _TEST_FOLDERS.isdisjoint(folders)
        or _TEST_NAME.fullmatch(file.name.lower())
        or _TEST_CLASS.fullmatch(file.name)
    ):
        return True
    return bool(folders) and not _PACKAGES.isdisjoint(folders[:1] if file.suffix.lower() == ".py" else folders)


def may_be_read(path: str) -> bool:
    """Whether a program may read the file although it is written like documentation: a word list, a prompt, a template.

    Documentation lies in a folder for it at the root, lies at the root itself, or is called `README.md` and the like.
    What lies in a package beside its code is read by that, whatever the folder is called. Where it lies is not enough:
    `bot.changes.mentions` says whether a program names it.
    """
    file = PurePosixPath(path.lower())
    if is_documentation_folder(path):
        return False
    if len(file.parts) == 1:
        return file.suffix == ".txt" and not _DOCUMENTATION_NAMES.fullmatch(file.name)
    return not _FOR_PEOPLE.fullmatch(file.name)


def is_documentation_folder(path: str) -> bool:
    """Whether the file lies in a folder at the root that is for documentation."""
    return path.partition("/")[0].lower() in _DOCUMENTATION_FOLDERS and "/" in path


def is_code(path: str) -> bool:
    """Whether the name ends as a program's does."""
    return PurePosixPath(path.lower()).suffix in _CODE_SUFFIXES


def _is_ci(path: str) -> bool:
    lowered = path.lower()
    name = lowered.rpartition("/")[2]
    return (
        lowered.startswith(_CI_FOLDERS)
        or (name in _CI_NAMES and not is_test(path))
        or name.startswith("dockerfile.")
        or name.endswith(_CI_SUFFIXES)
    )


def _holds_no_orders(suffix: str) -> bool:
    return suffix not in _CODE_SUFFIXES and suffix not in _CONFIGURATION_SUFFIXES
