"""`python -m tests.hostile_pulls.coverage`: which published kinds of exploits are tried here, by how many tricks."""

from collections.abc import Iterator

from tests.hostile_pulls.catalogue import COVERED, FAMILIES, NOT_HERE


def lines() -> Iterator[str]:
    """One for each kind of TRACE's, then the families that no kind names."""
    tricks = {family.name: len(family.hostile) for family in FAMILIES}
    for kind, families in COVERED.items():
        yield f"{kind}: {sum(tricks[name] for name in families)} tricks ({', '.join(families)})"
    for kind, why in NOT_HERE.items():
        yield f"{kind}: none ({why})"
    ours = sorted(set(tricks) - {name for families in COVERED.values() for name in families})
    yield f"in no published kind: {sum(tricks[name] for name in ours)} tricks ({', '.join(ours)})"
    kinds = len(COVERED) + len(NOT_HERE)
    yield f"{len(COVERED)} of {kinds} kinds, {sum(tricks.values())} tricks of {len(tricks)} families"


if __name__ == "__main__":
    print("\n".join(lines()))
