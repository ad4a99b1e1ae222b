"""What tests say of a change, counted: a sentence for each sort of test. Which tests they are is said elsewhere."""

from bot.verification.patch_evidence import PatchEvidence

KEPT = "Every test that passes without the change passes with it."
STILL_SHOWN = "The reproduction of the issue still fails with the change."
NO_LONGER_SHOWN = "The reproduction of the issue fails without the change and passes with it."


def counted(said: PatchEvidence) -> dict[str, str]:
    """The sentence of each field of the evidence that names tests, by the field's name."""
    counts = {
        "regressions": (said.regressions, "{} {pass} without the change and no longer with it."),
        "own_failing": (said.own_failing, "{} that the change adds or edits {fail} with it."),
        "contradictions": (
            said.contradictions,
            "{} that the change edits or removes no longer {pass} in the old version.",
        ),
        "alike": (said.alike, "{} that the change adds or edits {fail} as others do without it."),
        "unsteady": (said.unsteady, "{} sometimes {fail} with the change, and never without it."),
        "rewritten": (said.rewritten, "{} {pass} only in the change's version."),
        "unlike": (said.unlike, "{} {end} differently with the change's own settings."),
        "silenced": (said.silenced, "{} that the change adds {fail} when made to run."),
        "only_tested": (said.only_tested, "{} of its own {pass} only while it is tested."),
        "repaired": (said.repaired, "{} {fail} without the change and {pass} with it."),
        "turned": ([each for each in said.turned if each.counts], "{} of its own {go} from red to green."),
    }
    return {field: _sentence(len(found), says) for field, (found, says) in counts.items() if found}


def _sentence(number: int, says: str) -> str:
    verbs = {"pass": "passes", "fail": "fails", "end": "ends", "go": "goes"}
    if number == 1:
        return says.format("1 test", **verbs)
    return says.format(f"{number} tests", **{verb: verb for verb in verbs})
