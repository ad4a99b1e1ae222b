"""What a model is shown of a patch: bounded, with hidden characters taken out of prose and written out in code."""

from dataclasses import dataclass

from bot.judges.openai.change_text import change_text
from bot.judges.patches import PatchSubject
from bot.judges.unseen import apparent, hides, stripped
from bot.verdicts import Effect, Evidence

# Characters. A requirement or a change that was cut would turn a right answer into a wrong one, so what is longer is
# not asked about; context may be shortened.
ISSUE = 24_000
CHANGE = 80_000
CONTEXT = 30_000
BUDGETS = {"issue": ISSUE, "change": CHANGE, "context": CONTEXT}


@dataclass(frozen=True, slots=True)
class PatchTexts:
    """issue, change, context: as shown. evidence: in which of them characters were hidden."""

    issue: str
    change: str
    context: str
    evidence: tuple[Evidence, ...] = ()

    @property
    def texts(self) -> dict[str, str]:
        """By the names the prompts give them."""
        return {"issue": self.issue, "change": self.change, "context": self.context or "none"}


def patch_texts(subject: PatchSubject) -> PatchTexts | str:
    """The texts; or a plain sentence that says why nobody can be asked about them."""
    if subject.change.problem:
        return "The change could not be read whole."
    issue, change = stripped(subject.issue), change_text(subject.change)
    if not issue.strip():
        return "There is no request to compare the change with."
    for what, text, most in (("issue", issue, ISSUE), ("change", change, CHANGE)):
        if len(text) > most:
            return f"The {what} is too long to be judged whole ({len(text):,} characters, at most {most:,})."
    evidence = tuple(
        Evidence("hidden_text", Effect.HIDDEN, f"Characters that show nothing were {done}.", where=f"the {where}")
        for where, text, done in (
            ("issue", subject.issue, "taken out"),
            ("change", _all_text(subject), "written out"),
            ("code around the change", subject.context, "written out"),
        )
        if hides(text)
    )
    return PatchTexts(issue, change, apparent(subject.context), evidence)


def _all_text(subject: PatchSubject) -> str:
    """Names and changed lines, as they came."""
    files = subject.change.files
    lines = (line for file in files for hunk in file.hunks for line in hunk.lines)
    return "\n".join((*(file.path for file in files), *lines))
