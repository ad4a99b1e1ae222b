"""What is printed about the published kinds of exploits is true of the families."""

from tests.hostile_pulls.catalogue import COVERED, FAMILIES, NOT_HERE
from tests.hostile_pulls.coverage import lines


def test_each_kind_and_each_family_is_told() -> None:
    told = "\n".join(lines())
    assert all(f"{kind}: " in told for kind in [*COVERED, *NOT_HERE])
    assert all(family.name in told for family in FAMILIES)
    assert ": 0 tricks" not in told
    assert f"{sum(len(family.hostile) for family in FAMILIES)} tricks of {len(FAMILIES)} families" in told
