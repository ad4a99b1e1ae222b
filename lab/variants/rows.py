"""What the gate says of near-miss versions of right changes, and of the right changes themselves, counted."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.verdicts import Cause, Decision
from lab.scores.counts import Rate, rate
from lab.variants.near_misses import VariantKind
from lab.variants.tasks import MUTATION, RIGHT

ALL = "all near misses"


@dataclass(frozen=True, slots=True)
class GatedVersion:
    """kind: `RIGHT` or a kind of near miss. ground: the rule that decided."""

    kind: str
    decision: Decision
    cause: Cause | None
    ground: str

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
    """wrong: of near misses, those that were accepted; of right changes, those that were bounced. grounds: the rules
    that decided, with how often."""

    name: str
    versions: int
    accepted: int
    held: int
    neutral: int
    bounced: int
    wrong: Rate
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
        dict(Counter(one.ground for one in found).most_common()),
    )
