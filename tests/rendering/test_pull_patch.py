"""What the comment says of a change that breaks what worked."""

from bot.github.values import Review
from bot.rendering.pull_messages import rejection_comment
from bot.verdicts import Decision
from bot.verification.evidence import Case, Verified
from bot.verification.patch_evidence import PatchEvidence, PatchFacts, Standing
from bot.verification.values import TestRun

NOTHING = TestRun((), 0.0)


def test_regressions_are_named() -> None:
    patch = PatchEvidence(Standing.IMPLAUSIBLE, ("It breaks.",), PatchFacts(NOTHING, NOTHING, NOTHING), ("t.py::`x`",))
    verified = Verified(Decision.BOUNCE, Case.EQUIVALENT, ("It breaks.",), patch=patch)
    said = rejection_comment(
        Review(1, "critic[bot]", author_is_bot=True, state="changes_requested", body="", commit="a" * 40, html_url=""),
        verified,
        None,
    )
    assert "breaks what worked before" in said
    assert "t.py::" in said
    assert "passes without this change and no longer with it" in said
