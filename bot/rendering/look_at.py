"""What a person should look at besides what decided, as lists of strangers' names. Whoever shows it escapes them."""

from bot.verification.patch_evidence import LostKills, PatchEvidence


def look_at(patch: PatchEvidence | None) -> list[tuple[str, tuple[str, ...]]]:
    """Each with a title; those of which there is none are left out."""
    if patch is None:
        return []
    control = patch.control
    found = (
        ("Tests that end otherwise with its own configuration", patch.unlike),
        ("What its code wrote to that judges it", patch.written),
        ("Where it gives a test's own answer", patch.answers),
        ("Tests that notice fewer defects than before", tuple(map(_lost, patch.lost_kills))),
        ("Tests that fail with it at times, and never without", patch.unsteady),
        ("Tests of its own that fail as others do without it", patch.alike),
        ("Tests that fail as the base has them, and pass in its own version", patch.rewritten),
        ("Broken on purpose, and no test noticed", control.unnoticed if control else ()),
        (
            "Pieces of the change without which no test of its own turns red",
            tuple(each.where for each in patch.hunks if not each.bears),
        ),
    )
    return [(title, names) for title, names in found if names]


def _lost(found: LostKills) -> str:
    such = f", such as {found.lost[0]}" if found.lost else ""
    return f"{found.test}: {found.killed_now} instead of {found.killed}{such}"
