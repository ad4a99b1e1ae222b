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
# Build tools and package managers with what stands behind them, without options: the verb with which they run tests.
_VERBS = re.compile(
    r"""(?:
    (?: go | dotnet | swift | xcodebuild | flutter | dart | zig | stack | cabal | dune | meson | bazel | bazelisk
      | buck2? | pants | deno | ng | playwright | react-scripts | rails | artisan | hatch | nimble | forge | hardhat
      | manage\.py | django-admin | django | setup\.py | bun | lein | mix ) [ ]
      (?: test | e2e | runtest | coverage | pytest | t )
    | cargo [ ] (?: \+\S+ [ ] )? (?: test | t | nextest | tarpaulin | llvm-cov | miri )
    | (?: rebar3 | crystal | rails | mix ) [ ] (?: spec | espec | eunit | ct | proper )
    | mvn [ ] (?: \S+ [ ] )*? (?: test | verify | integration-test | package | install | deploy | surefire:test )
    | gradle [ ] (?: \S+ [ ] )*? (?: \S*: )? (?: \S*test | check | build )
    | sbt [ ] (?: \S+ [ ] )*? (?: \S*/ )? test (?: only | quick )?
    | (?: npm | yarn | pnpm | bun | nx | lerna | turbo | composer ) [ ]
      (?! (?: install | i | ci | add | remove | create | info | view | why | ls | list | publish ) \b )
      (?: (?: \S+ [ ] )*? (?: \S*[:_-] )? (?: tests? | specs? | e2e | jest | vitest | mocha | phpunit ) (?: [:_-] \S* )?
        | t (?: st )? )
    | (?: make | ninja | just | task | rake | invoke | inv | doit | gulp | grunt ) [ ] (?: \S+ [ ] )*?
      (?: [^ =]*[:_./-] )? (?: tests? | specs? | checks? | pytest | unittests? | e2e ) (?: [:_./-] [^ =]* )?
    ) (?: [ ] | \Z)""",
    re.VERBOSE | re.IGNORECASE,
)
_REMOTE = ("docker", "podman", "docker-compose", "kubectl", "ssh", "vagrant", "wsl", "tmux", "screen", "script")
_INTERPRETER = re.compile(r"python[\d.]*|pypy\d?|py|node|ruby|perl|php|deno|bun|bash|sh|zsh|tsx|ts-node|Rscript|julia")
_TEST_PROGRAM = re.compile(
    r"(?:run[_-]?)?(?:all[_-]?)?tests?(?:[_-]?(?:runner|all))?(?:\.\w{1,4})?"
    r"|test_[\w.-]+\.\w{1,4}|[\w.-]+(?:_test|_spec|\.test|\.spec|Test|Tests)\.\w{1,4}"
)
_JUST_LOOKING = re.compile(
    r"--(?:version|help|collect-only|co|fixtures|markers|no-run|list|dry-run|just-print|show-only|listTests|showConfig)"
    r"|-[hVN]|-list|-DskipTests(?:=true)?|-Dmaven\.test\.skip(?:=true)?"
)
_ALIASES = {"mvnw": "mvn", "mvnd": "mvn", "gradlew": "gradle", "gmake": "make"}


def runs_tests(command: ShellCommand) -> bool:
    """Whether a simple command executes tests. Asking a runner for its version or for a list of tests does not."""
    name = _ALIASES.get(command.name, command.name)
    if any(_JUST_LOOKING.fullmatch(word) for word in command.words[1:]) or (name == "make" and "-n" in command.words):
        return False
    operands = command.operands
    if name in _ALWAYS or _has_verb(name, operands) or (name == "node" and "--test" in command.words):
        return True
    if _INTERPRETER.fullmatch(name) and operands and not {"-c", "-e", "-"} & set(command.words):
        return runs_tests(ShellCommand((f"./{operands[0]}", *operands[1:])))
    if name in _REMOTE:
        return any(basename(word) in _ALWAYS for word in operands)
    return "/" in command.words[0] and bool(_TEST_PROGRAM.fullmatch(name))


def _has_verb(name: str, operands: tuple[str, ...]) -> bool:
    first = (word[:100] for word in operands[:6])
    return bool(_VERBS.match(" ".join([name, *first])))
