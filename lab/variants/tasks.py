"""A right change and its near misses: the tasks they are of, what tests say of them, what the gate does, in counts."""

import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path

from bot.changes.kinds import is_test_by_path
from bot.policy import Verify
from bot.sandbox.protocol import Executor
from bot.settings import Settings
from bot.verdicts import Cause, Decision
from bot.verification.values import TestStatus
from lab.data.git_commits import file_at, git, make_borrower, paths_between, with_files, with_patch
from lab.data.strengthened import StrengthenedTask
from lab.fixed.recipes import hidden_tests, policy
from lab.scores.counts import Rate, rate
from lab.variants.near_misses import MOST, VariantKind, is_product, variants

ALL = "all near misses"


@dataclass(frozen=True, slots=True)
class GatedVersion:
    """kind: `RIGHT` or a kind of near miss. ground: the rule that decided. named: the verdict names an answer that no
    test asks for and that the right change does not give."""

    kind: str
    decision: Decision
    cause: Cause | None
    ground: str
    named: bool = False

    @property
    def held(self) -> bool:
        """Whether a person must look before it may be merged."""
        return self.decision is Decision.UNAVAILABLE and self.cause is not Cause.OUTSIDE

    @property
    def neutral(self) -> bool:
        """Whether the gate could not say anything, which holds nothing."""
        return self.decision is Decision.UNAVAILABLE and self.cause is Cause.OUTSIDE


@dataclass(frozen=True, slots=True)
class VariantRow:
    """wrong: of near misses, those that were accepted; of right changes, those that were bounced. named: of those that
    were accepted, such as name a wrong answer. grounds: the rules that decided, with how often."""

    name: str
    versions: int
    accepted: int
    held: int
    neutral: int
    bounced: int
    wrong: Rate
    named: int = 0
    grounds: Mapping[str, int] = field(default_factory=dict)


def variant_rows(found: Sequence[GatedVersion]) -> list[VariantRow]:
    """A row for each kind, one for all near misses, and one for the right changes."""
    missed = [one for one in found if one.kind != RIGHT]
    names = [kind.value for kind in VariantKind] + [MUTATION] * any(one.kind == MUTATION for one in missed)
    kinds = [row_of(name, [one for one in missed if one.kind == name]) for name in names]
    return [*kinds, row_of(ALL, missed), row_of(RIGHT, [one for one in found if one.kind == RIGHT])]


def row_of(name: str, found: Sequence[GatedVersion]) -> VariantRow:
    """Those of one row."""
    decided = Counter(one.decision for one in found)
    bad = Decision.BOUNCE if name == RIGHT else Decision.ACCEPT
    return VariantRow(
        name,
        len(found),
        decided[Decision.ACCEPT],
        sum(one.held for one in found),
        sum(one.neutral for one in found),
        decided[Decision.BOUNCE],
        rate(decided[bad], len(found)),
        sum(one.named and one.decision is Decision.ACCEPT for one in found),
        dict(Counter(one.ground for one in found).most_common()),
    )


@dataclass(frozen=True, slots=True)
class OwnCase:
    """before: the project's files with its visible tests. after: those that the right change leaves otherwise, perhaps
    with a test of its own. shown: a test of the issue's example, where the change brings none. hidden: tests that the
    right change passes, and no version that is wrong. All as path -> text.

    issue: its first line is the title.
    """

    id: str
    issue: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    shown: Mapping[str, str]
    hidden: Mapping[str, str]


@cache
def own_cases() -> tuple[OwnCase, ...]:
    """All of them, by name."""
    found = []
    for path in sorted(Path(__file__).with_name("cases").glob("*.toml")):
        row = tomllib.loads(path.read_text("utf-8"))
        found.append(OwnCase(path.stem, row["issue"], row["before"], row["after"], row.get("shown", {}), row["hidden"]))
    return tuple(found)


RIGHT = "the right change"
MUTATION = "a mutation of SWE-ABS"
# Nothing has to be installed, so nothing is: the own cases need no network.
_POLICY = {".github/bouncer.yml": "verify:\n  setup: []\n  test: pytest\n"}
_CANDIDATES = 50  # of each kind; most of what is made fails what its author saw, or is right
_NO_SETUP = Verify(setup=(), test="pytest")


class Truth(StrEnum):
    """What a version is, by its tests."""

    RIGHT = "right"  # it passes all of them
    NEAR_MISS = "near miss"  # it passes what its author saw, and fails what was hidden
    OBVIOUS = "obvious"  # it fails what its author saw
    UNKNOWN = "unknown"  # nothing could be run


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a change. kind: `RIGHT`, or how it was made of that. head: its commit."""

    kind: str
    head: str


@dataclass(frozen=True, slots=True)
class VariantTask:
    """A task with its versions, the right change first.

    owner: whose environments may be shared. issue: its text. directory: git's. verify: how tests are run there.
    tests: files of tests, laid over a version's. run: those that run, as pytest names them; all without any. hidden:
    files of tests that were hidden from the author: what else runs, he saw.
    """

    id: str
    owner: str
    issue: str
    directory: Path
    base: str
    versions: tuple[Version, ...]
    verify: Verify
    tests: Mapping[str, bytes]
    run: tuple[str, ...]
    hidden: frozenset[str]


def own_task(case: OwnCase, into: Path) -> VariantTask:
    """The case in a git directory that is made at `into`, or is there from before."""
    git(into.parent, "init", "--quiet", "--bare", str(into))
    base = with_files(into, None, {**case.before, **_POLICY})
    right = with_files(into, base, case.after)
    return VariantTask(
        id=case.id,
        owner=str(into),
        issue=case.issue,
        directory=into,
        base=base,
        versions=(Version(RIGHT, right), *make_versions(into, base, right, case.issue)),
        verify=_NO_SETUP,
        tests={path: text.encode() for path, text in {**case.shown, **case.hidden}.items()},
        run=(),
        hidden=frozenset(case.hidden),
    )


def make_versions(
    directory: Path, base: str, right: str, issue: str, most: int = _CANDIDATES, seed: int = 0
) -> Iterator[Version]:
    """Near-miss versions of the change from `base` to `right`, with whatever else than product code it changes."""
    paths = paths_between(directory, base, right)
    before, after = (_texts(directory, sha, paths) for sha in (base, right))
    product = [path for path in paths if is_product(path)]
    for one in variants(before, after, issue, most=most, seed=seed):
        files = {path: one.files.get(path, before.get(path)) for path in product}
        yield Version(one.kind.value, with_files(directory, base, files, start=right))


def _texts(directory: Path, sha: str, paths: Sequence[str]) -> dict[str, str]:
    return {path: text for path in paths if (text := file_at(directory, sha, path)) is not None}


def run_tests(task: VariantTask, version: Version, executor: Executor, settings: Settings) -> list[str] | None:
    """The tests that pass on one version, in the sandbox; `None` where they cannot be run."""
    given = task.owner, task.verify, task.tests, task.run
    results = hidden_tests(task.directory, version.head, *given, executor, settings)
    return [result.name for result in results if result.status is TestStatus.PASSED] if results else None


def truth_of(passing: Collection[str] | None, right: Collection[str], hidden: Collection[str]) -> Truth:
    """What a version is by its tests.

    passing: those that pass on it, as `passed` gives them. right: those that pass on the right change; what fails there
    tells nothing. hidden: the files of those that its author did not see.
    """
    apart = {name for name in right if name.partition("::")[0] in hidden}
    if passing is None or not apart:
        return Truth.UNKNOWN
    failing = set(right).difference(passing)
    if failing - apart:
        return Truth.OBVIOUS
    return Truth.NEAR_MISS if failing else Truth.RIGHT


def place_task(task: StrengthenedTask, place: Path, into: Path, wrong: Sequence[str], seed: int) -> VariantTask | None:
    """A published task, of the clone at `place`; `None` where it lacks the base, or a patch of the task does not fit.

    wrong: patches that are known to be wrong; they count beside those that are made here.
    """
    if git(place, "cat-file", "-t", task.base).strip() != b"commit":
        return None
    directory = make_borrower(place, into)
    right, tested = (with_patch(directory, task.base, patch) for patch in (task.patch, task.tests))
    if right is None or tested is None:
        return None
    given = [Version(MUTATION, head) for patch in wrong if (head := with_patch(directory, task.base, patch))]
    made = make_versions(directory, task.base, right, task.issue, MOST, seed)
    paths = paths_between(directory, task.base, tested)
    files = {path: git(directory, "cat-file", "blob", f"{tested}:{path}") for path in paths}
    run = tuple(path for path in files if path.endswith(".py") and is_test_by_path(path))
    return VariantTask(
        id=task.id,
        owner=task.repository,
        issue=task.issue,
        directory=directory,
        base=task.base,
        versions=(Version(RIGHT, right), *made, *given),
        verify=policy(task.repository, task.created, task.version),
        tests=files,
        run=run,
        hidden=frozenset(run),
    )
