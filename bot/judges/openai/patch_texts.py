"""What a model is shown of a patch: bounded, with hidden characters taken out of prose and written out in code.

A change is a diff of what people write, and one line for everything else.
"""

from dataclasses import dataclass

from bot.changes.values import Change, FileChange, FileKind, FileStatus
from bot.judges.fence import apparent, hides, stripped
from bot.judges.openai.asking import why_too_long
from bot.judges.patches import PatchSubject
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
    if why := why_too_long({"issue": issue, "change": change}, BUDGETS):
        return why
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


_NOT_WRITTEN = frozenset({FileKind.GENERATED, FileKind.LOCK})


def change_text(change: Change) -> str:
    """Every file with what happened to it; unseen characters written out. Names stay on one line."""
    return "\n".join(_file(file) for file in change.files) or "It changes no file."


def _file(file: FileChange) -> str:
    came = f" from {_name(file.old_path)}" if file.old_path and file.old_path != file.path else ""
    head = f"{file.status} {file.kind} file {_name(file.path)}{came}"
    if why := _not_shown(file):
        return f"{head} ({why}, {file.added} lines added, {file.removed} removed; not shown)"
    hunks = (
        f"@@ -{hunk.old_start} +{hunk.new_start} @@\n" + "\n".join(apparent(line) for line in hunk.lines)
        for hunk in file.hunks
    )
    return "\n".join((head, *hunks))


def _not_shown(file: FileChange) -> str:
    if file.binary:
        return "binary"
    if file.link:
        return "a symbolic link"
    if file.submodule:
        return "a submodule"
    if file.status is FileStatus.DELETED and file.kind is not FileKind.TEST:
        return "deleted whole"
    return file.kind.value if file.kind in _NOT_WRITTEN else ""


def _name(path: str) -> str:
    return apparent(path).replace("\n", "\\n").replace("\t", "\\t")
