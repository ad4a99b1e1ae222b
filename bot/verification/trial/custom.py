"""Which files are tests, or lie among them, by the custom of their language: where a command runs the tests, nothing
else tells. pytest's own custom is `is_test_file`.

Narrower than `bot.changes.kinds.is_test`, which says what a change is about: what is called a test here is taken from
the base, so a product's file that is taken for one would not be judged.
"""

import re

_FOLDERS = (
    r"^(?:specs?|integration|Test)/"
    r"|(?:^|/)(?:__tests__|__mocks__|__fixtures__|__snapshots__|tests?|e2e|cypress)/"
    r"|(?:^|/)[^/]*Tests/"  # `Tests/` of Symfony and Swift, `AppTests/` of Xcode, `App.UnitTests/` of .NET
    r"|(?:^|/)[^/]+\.(?:Test|Specs?)/"
    r"|(?:^|/)spec/.*\.rb$"
    r"|(?:^|/)src/\w+Test/"  # `src/commonTest/`, `src/integrationTest/` of Gradle
)
_NAMES = (
    r"_test\.(?:go|exs|dart|c|cc|cpp|cxx|rs|clj[cs]?|lua|erl)$|_unittest\.(?:cc|cpp|cxx)$|_SUITE\.erl$"
    r"|[._](?:test|spec)\.[cm]?[jt]sx?$|_spec\.(?:rb|cr|lua)$|\.(?:bats|t)$"
)
# The product of a Maven or Gradle project lies in `src/main`, whatever a class is called.
_CLASSES = (
    r"^(?!(?:.*/)?src/main/).*[a-z0-9](?:Tests?\.(?:java|kt|scala|groovy|cs|fs|vb|swift|php|mm?)|TestCase\.java|IT\.java|"
    r"Spec\.(?:scala|groovy|kt))$"
)
_DATA = (
    r"(?:^|/)(?:fixtures|snapshots|testdata|golden|goldens|cassettes)/.*(?<!\.go)(?<!\.rs)(?<!js)(?<!ts)(?<!sx)$"
    r"|\.(?:snap|golden)$"
)
_TEST = re.compile("|".join((_FOLDERS, _NAMES, _CLASSES, _DATA)))
_PUBLISHED = re.compile(r"^lib/.*(?<!_test)(?<!_spec)\.(?:ex|rb)$")  # helpers for other people's tests are product


def by_custom(path: str) -> bool:
    """Whether it is a test, what tests import, or what they read."""
    return bool(_TEST.search(path)) and not _PUBLISHED.match(path)
