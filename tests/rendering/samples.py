"""Verdicts to render."""

from dataclasses import replace

from bot.verdicts import (
    ChecklistItem,
    Decision,
    Effect,
    Evidence,
    IssueKind,
    Item,
    Question,
    SpecificationLabel,
    Verdict,
)


def bounce(untrusted: str = "it crashes sometimes when I press save", **difference: str) -> Verdict:
    """A bounce in which every text that may come from a stranger or a model is `untrusted`."""
    return Verdict(
        decision=Decision.BOUNCE,
        label=SpecificationLabel.VAGUE,
        probability=0.83,
        judge=difference.get("judge", "offline/1"),
        kind=IssueKind.BUG,
        reasons=("The report leaves out the expected result and steps to reproduce.",),
        checklist=(
            ChecklistItem(Item.OBSERVED, True, untrusted),
            ChecklistItem(Item.EXPECTED, False),
            ChecklistItem(Item.STEPS, False),
        ),
        questions=(
            Question(Item.STEPS, "What did you do the last time, step by step?", untrusted),
            Question(Item.EXPECTED, difference.get("question", "What should `save_all()` do instead?")),
        ),
        evidence=(
            Evidence("observed_behaviour", Effect.CLEAR, "The report says what happens.", untrusted, "body"),
            Evidence(
                "hidden_instructions", Effect.HIDDEN, "Hidden text gives instructions. It was ignored.", untrusted
            ),
            Evidence("hidden_text", Effect.HIDDEN, "1 HTML comment left out before judging.", untrusted, "body"),
            Evidence("empty_section", Effect.MISSING, "A section was left empty.", untrusted, "body"),
        ),
    )


ACCEPT = Verdict(
    decision=Decision.ACCEPT,
    label=SpecificationLabel.WELL_SPECIFIED,
    probability=0.04,
    judge="gpt-4.1 with issue-specification/2",
    kind=IssueKind.FEATURE,
    reasons=("The report says enough to act on.",),
    checklist=(ChecklistItem(Item.GOAL, True, "a dark theme"), ChecklistItem(Item.DETAILS, False)),
)


ASKS = replace(bounce(), decision=Decision.ACCEPT, reasons=("Nothing waits for it, but an answer would help: a.",))


def lacks_fact() -> Verdict:
    """Held for what the policy asks for, with the policy's own Markdown."""
    asked = Question(Item.DETAILS, "Please attach `server.log`.", markdown=True)
    lines = (ChecklistItem(Item.DETAILS, False, fact="the log"), ChecklistItem(Item.DETAILS, True, fact="mod list"))
    said = ("This repository asks for “the log” in such reports, and it is not there.",)
    return Verdict(Decision.BOUNCE, None, None, "nobody", IssueKind.BUG, said, lines, (asked,))


def unavailable(reason: str) -> Verdict:
    return Verdict(Decision.UNAVAILABLE, None, None, "nobody", None, (reason,))


UNAVAILABLE = unavailable("The budget is spent.")

# What the template of the help asks for, where there is nothing to say of it.
HELP = {"unknown": "", "elsewhere": False, "meant": "", "misplaced": False, "left_alone": "", "page": ""}
