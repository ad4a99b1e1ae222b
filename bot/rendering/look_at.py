"""What a person should look at besides what decided, as lists of strangers' names. Whoever shows it escapes them."""

from bot.verification.patch_evidence import LostKills, PatchEvidence


def look_at(patch: PatchEvidence | None) -> list[tuple[str, tuple[str, ...]]]:
    """Each with a title; those of which there is none are left out."""
    if patch is None:
        return []
    control = patch.control
    found = (
        ("Tests that end differently with its own configuration", patch.unlike),
        ("Test files or test configuration that its code wrote to", patch.written),
        ("Places where it returns the answer that a test expects", patch.answers),
        ("Tests that notice fewer defects than before", tuple(map(_lost, patch.lost_kills))),
        ("Tests that sometimes fail with it, and never without it", patch.unsteady),
        ("Its own tests that fail in the same way as other tests without it", patch.alike),
        ("Tests whose old version fails, and whose version in this change passes", patch.rewritten),
        ("Functions that Bouncer broke on purpose, and no test noticed", control.unnoticed if control else ()),
        (
            "Parts of the change that its own tests do not need",
            tuple(each.where for each in patch.hunks if not each.bears),
        ),
    )
    return [(title, names) for title, names in found if names]


def _lost(found: LostKills) -> str:
    such = f", such as {found.lost[0]}" if found.lost else ""
    return f"{found.test}: {found.killed_now} instead of {found.killed}{such}"
