"""Which commands run tests: the runners of the common languages, and the verbs with which build tools do."""

import re
from posixpath import basename

from bot.pulls.trajectories.shell import ShellCommand

# Programs that do nothing but run tests.
_ALWAYS = frozenset(
    {
        *("pytest", "py.test", "tox", "nox", "unittest", "nose", "nose2", "nosetests", "trial", "stestr", "testr"),
        *("doctest", "zope-testrunner", "behave", "robot", "green", "ward", "avocado", "jest", "vitest", "mocha"),
        *("ava", "tap", "jasmine", "karma", "qunit", "uvu", "cypress", "wtr", "web-test-runner", "testcafe"),
        *("nightwatch", "ctest", "gotestsum", "ginkgo", "cargo-nextest", "rspec", "cucumber", "phpunit", "pest"),
        *("paratest", "codecept", "behat", "phpspec", "prove", "bats", "busted", "elm-test"),
    }
)
# Build tools and package managers: the verbs with which they run tests.
_VERBS: dict[str, frozenset[str]] = {
    "go": frozenset({"test"}),
    "cargo": frozenset({"test", "t", "nextest", "tarpaulin", "llvm-cov", "miri"}),
    "mvn": frozenset({"test", "verify", "integration-test", "package", "install", "deploy", "surefire:test"}),
    "gradle": frozenset({"test", "check", "build", "connectedcheck"}),
    "sbt": frozenset({"test", "testonly", "testquick"}),
    "lein": frozenset({"test", "midje"}),
    "mix": frozenset({"test", "espec"}),
    "rebar3": frozenset({"eunit", "ct", "proper"}),
    "dotnet": frozenset({"test", "vstest"}),
    "swift": frozenset({"test"}),
    "xcodebuild": frozenset({"test", "test-without-building"}),
    "flutter": frozenset({"test"}),
    "dart": frozenset({"test"}),
    "zig": frozenset({"test"}),
    "stack": frozenset({"test"}),
    "cabal": frozenset({"test"}),
    "dune": frozenset({"test", "runtest"}),
    "meson": frozenset({"test"}),
    "bazel": frozenset({"test", "coverage"}),
    "bazelisk": frozenset({"test", "coverage"}),
    "buck": frozenset({"test"}),
    "buck2": frozenset({"test"}),
    "pants": frozenset({"test"}),
    "deno": frozenset({"test"}),
    "ng": frozenset({"test", "e2e"}),
    "nx": frozenset({"test", "e2e"}),
    "lerna": frozenset({"test"}),
    "playwright": frozenset({"test"}),
    "react-scripts": frozenset({"test"}),
    "vue-cli-service": frozenset({"test:unit", "test:e2e"}),
    "rails": frozenset({"test", "test:all", "spec"}),
    "artisan": frozenset({"test"}),
    "composer": frozenset({"test", "phpunit"}),
    "hatch": frozenset({"test"}),
    "crystal": frozenset({"spec"}),
    "nimble": frozenset({"test"}),
    "forge": frozenset({"test"}),
    "hardhat": frozenset({"test"}),
    "manage.py": frozenset({"test"}),
    "django-admin": frozenset({"test"}),
    "django": frozenset({"test"}),
    "setup.py": frozenset({"test", "pytest"}),
}
# Tools whose targets and scripts a project names itself: `make test-unit`, `npm run test:ci`.
_TARGETS = frozenset(
    {"make", "gmake", "ninja", "just", "task", "rake", "invoke", "inv", "doit", "turbo", "gulp", "grunt"}
)
_PACKAGE_MANAGERS = frozenset({"npm", "yarn", "pnpm", "bun", "nx", "lerna", "turbo", "composer"})
_NOT_SCRIPTS = frozenset(
    {"install", "i", "ci", "add", "remove", "create", "info", "view", "why", "ls", "list", "publish"}
)
_REMOTE = frozenset(
    {"docker", "podman", "docker-compose", "kubectl", "ssh", "vagrant", "wsl", "tmux", "screen", "script"}
)
_INTERPRETER = re.compile(r"python[\d.]*|pypy\d?|py|node|ruby|perl|php|deno|bun|bash|sh|zsh|tsx|ts-node|Rscript|julia")

_TARGET = re.compile(r"(?:^|[:_./-])(?:tests?|specs?|checks?|pytest|unittests?|e2e)(?=$|[:_./-])", re.IGNORECASE)
_SCRIPT = re.compile(r"(?:^|[:_-])(?:tests?|specs?|e2e)(?:$|[:_-])", re.IGNORECASE)
_TEST_PROGRAM = re.compile(r"(?:run[_-]?)?(?:all[_-]?)?tests?(?:[_-]?(?:runner|all))?(?:\.\w{1,4})?|test\.(?:sh|py|js)")
_TEST_FILE = re.compile(r"test_[\w.-]+\.\w{1,4}|[\w.-]+(?:_test|_spec|\.test|\.spec|Test|Tests)\.\w{1,4}")
_JUST_LOOKING = frozenset({"--version", "--help", "-h", "-V", "--collect-only", "--co", "--fixtures", "--markers"})
_WITHOUT_RUNNING = {
    "cargo": ("--no-run", "--list"),
    "mvn": ("-DskipTests", "-DskipTests=true", "-Dmaven.test.skip=true", "-Dmaven.test.skip"),
    "gradle": ("--dry-run", "-m"),
    "make": ("-n", "--dry-run", "--just-print"),
    "ctest": ("-N", "--show-only"),
    "jest": ("--listTests", "--showConfig"),
    "go": ("-list",),
}
_ALIASES = {"mvnw": "mvn", "mvnd": "mvn", "gradlew": "gradle", "gmake": "make"}


def runs_tests(command: ShellCommand) -> bool:
    """Whether a simple command executes tests. Asking a runner for its version or for a list of tests does not."""
    name = _ALIASES.get(command.name, command.name)
    words = command.words[1:]
    if any(word in _JUST_LOOKING for word in words) or any(word in words for word in _WITHOUT_RUNNING.get(name, ())):
        return False
    if name in _ALWAYS:
        return True
    if _INTERPRETER.fullmatch(name) and _interpreted(name, words):
        return True
    if name in _VERBS and _verb(name, command.operands):
        return True
    if name in _PACKAGE_MANAGERS:
        return _script(command.operands)
    if name in _TARGETS:
        return any(_TARGET.search(word) and "=" not in word for word in command.operands)
    if name in _REMOTE:
        return any(basename(word) in _ALWAYS for word in command.operands)
    return "/" in command.words[0] and bool(_TEST_PROGRAM.fullmatch(name) or _TEST_FILE.fullmatch(name))


def _verb(name: str, operands: tuple[str, ...]) -> bool:
    verbs = _VERBS[name]
    for word in operands[:20]:
        verb = word.lower()
        if name == "gradle":
            verb = verb.rpartition(":")[2]  # `:core:test`
        elif name == "sbt":
            verb = (verb.split() or [""])[0].rpartition("/")[2]  # `"core/testOnly *Foo"`
        if verb in verbs or (name == "gradle" and verb.endswith("test")):
            return True
        if name not in ("mvn", "gradle", "sbt", "xcodebuild", "nx") and not word.startswith("+"):
            return False  # only the first word is the verb, `cargo run test` is none
    return False


def _script(operands: tuple[str, ...]) -> bool:
    """`npm test`, `yarn workspace api test`, `pnpm jest`; not `npm install jest`."""
    for position, word in enumerate(operands[:6]):
        if word in _NOT_SCRIPTS:
            return False
        if word in ("t", "tst") and position == 0:
            return True
        if _SCRIPT.search(word) or basename(word) in _ALWAYS:
            return True
    return False


def _interpreted(name: str, words: tuple[str, ...]) -> bool:
    """`python tests/runtests.py`, `node --test`, `ruby -Itest test/a_test.rb`, `php artisan test`."""
    if name == "node" and "--test" in words:
        return True
    for position, word in enumerate(words):
        if word in ("-c", "-e", "-"):
            return False
        if word.startswith("-"):
            continue
        program = basename(word)
        if program in _ALWAYS or _TEST_PROGRAM.fullmatch(program) or _TEST_FILE.fullmatch(program):
            return True
        return program in _VERBS and _verb(program, tuple(words[position + 1 :]))
    return False
