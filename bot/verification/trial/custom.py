"""Which files are tests, or lie among them, by the custom of their language: where a command runs the tests, nothing
else tells. pytest's own custom is `is_test_file`.

Narrower than `bot.changes.kinds.is_test`, which says what a change is about: what is called a test here is taken from
the base, so a product's file that is taken for one would not be judged.
"""

import re

_FOLDERS = (
    r"^(?:specs?|integration|Test)/"
    r"|(?:^|/)(?:__tests__|__mocks__|__fixtures__|__snapshots__|tests?|e2e|cypress)/"
    r"|(?:^|/)(?:unit_?tests?|unittests|testsuite|selftests?|\w+[_-]tests)/"
    r"|(?:^|/)[^/]*Tests/"  # `Tests/` of Symfony and Swift, `AppTests/` of Xcode, `App.UnitTests/` of .NET
    r"|(?:^|/)[^/]+\.(?:Test|Specs?)/|(?:^|/)[^/]+\.Tests\.[^/]+/"
    r"|^x?t/"  # of Perl, with `t/lib/`
    r"|^features/(?:bootstrap|steps|step_definitions|support)/|^features/environment\.py$"  # of Behat, behave, Cucumber
    r"|(?:^|/)spec/.*\.rb$"
    # `src/commonTest/`, `src/integrationTest/`, `src/testFixtures/` of Gradle, `src/it/` of Maven and sbt
    r"|(?:^|/)src/(?:\w+Test|test[A-Z]\w*|it)/"
)
_NAMES = (
    r"_test\.(?:go|exs|dart|c|cc|cpp|cxx|rs|clj[cs]?|lua|erl)$|_unittest\.(?:cc|cpp|cxx)$|_SUITE\.erl$"
    r"|[._](?:test|spec)\.[cm]?[jt]sx?$|_spec\.(?:rb|cr|lua)$|\.(?:bats|t|feature|robot)$"
)
_CLASSES = (
    r"[a-z0-9](?:Tests?\.(?:java|kt|scala|groovy|cs|fs|vb|swift|php|mm?)|TestCase\.java|IT\.java|"
    r"Spec\.(?:scala|groovy|kt))$"
)
_DATA = (
    r"(?:^|/)(?:fixtures|snapshots|testdata|golden|goldens|cassettes)/.*(?<!\.go)(?<!\.rs)(?<!js)(?<!ts)(?<!sx)$"
    r"|\.(?:snap|golden)$"
)
_TEST = re.compile("|".join((_FOLDERS, _NAMES, _CLASSES, _DATA)))
# Helpers for other people's tests are product, and so is what Maven and Gradle build, whatever a package is called.
_PUBLISHED = re.compile(r"^lib/.*(?<!_test)(?<!_spec)\.(?:ex|rb|pm)$|(?:^|/)src/main/")


def by_custom(path: str) -> bool:
    """Whether it is a test, what tests import, or what they read."""
    return bool(_TEST.search(path)) and not _PUBLISHED.search(path)
