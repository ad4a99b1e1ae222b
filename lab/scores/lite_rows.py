"""Both doors in a row, as on BouncerBench Lite: what a developer still has to look at (section V-B, Table IV)."""

from collections.abc import Sequence
from dataclasses import dataclass

from lab.data.patches import RecordedPatch
from lab.scores.counts import share

NONE, INPUT_ALONE, OUTPUT_ALONE, BOTH = "no bouncer", "input door alone", "output door alone", "both doors"
PERFECT = "both doors, perfect"
PUBLISHED = {  # section V-B: o4-mini at the input door, codex at the output door
    "tickets": 642,
    "held_vague": 20,
    "held_clear": 22,
    "held_wrong": 229,
    "held_right": 38,
    "left_wrong": 142,
    "left_right": 191,
}


@dataclass(frozen=True, slots=True)
class LiteRow:
    """held_vague, held_clear: tickets that the input door holds, by whether people would. held_wrong, held_right:
    patches of the others that the output door holds, by whether the hidden tests fail. left_wrong, left_right: what is
    left to look at."""

    name: str
    tickets: int
    held_vague: int
    held_clear: int
    held_wrong: int
    held_right: int
    left_wrong: int
    left_right: int

    @property
    def left(self) -> int:
        return self.left_wrong + self.left_right

    @property
    def wrong_share(self) -> float | None:
        """Of what is left, the share that is wrong."""
        return share(self.left_wrong, self.left)


def right_lost(row: LiteRow, before: LiteRow) -> float | None:
    """The share of the right patches that no longer come through."""
    return share(before.left_right - row.left_right, before.left_right)


def lite_rows(
    patches: Sequence[RecordedPatch], held_issues: Sequence[bool], held_patches: Sequence[bool]
) -> list[LiteRow]:
    """One patch a task, whose issue has a human label; whether each issue and each patch is bounced."""
    nobody = [False] * len(patches)
    vague, wrong = [patch.vague for patch in patches], [patch.wrong for patch in patches]
    doors = {
        NONE: (nobody, nobody),
        INPUT_ALONE: (held_issues, nobody),
        OUTPUT_ALONE: (nobody, held_patches),
        BOTH: (held_issues, held_patches),
        PERFECT: (vague, wrong),
    }
    return [_row(name, patches, *held) for name, held in doors.items()]


def _row(
    name: str, patches: Sequence[RecordedPatch], held_issues: Sequence[bool], held_patches: Sequence[bool]
) -> LiteRow:
    counts = dict.fromkeys(("held_vague", "held_clear", "held_wrong", "held_right", "left_wrong", "left_right"), 0)
    for patch, issue, held in zip(patches, held_issues, held_patches, strict=True):
        truth = ("vague" if patch.vague else "clear") if issue else ("wrong" if patch.wrong else "right")
        counts[f"{'held' if issue or held else 'left'}_{truth}"] += 1
    return LiteRow(name, len(patches), **counts)
