"""The positive control, for every file: does something that can fail look at each one that a change touches?"""

from collections.abc import Collection

from bot.verification.defects.defect import DefectKind, Places, all_into
from bot.verification.defects.runs import TimedRuns, Watched
from bot.verification.patch_evidence import Control, Proof
from bot.verification.programs import content

NO_TIME = "There was no time left to break code on purpose."
NOT_NOTICED = "No test notices when the changed code is broken on purpose, not even without this change."
NOT_EVERYWHERE = "No test notices when other code that it changes is broken on purpose."


def for_every_file(found: Control, touched: Places, runs: TimedRuns, all_watched: Collection[Watched]) -> Control:
    """What a control found, and what all tests say of the files in which nothing was noticed: one may be new and called
    by what they enter, or have what changes outside of functions. All of it is broken at once, file by file.

    touched: what can be broken of the change. all_watched: whose tests are asked. What there was no time for is named
    as nothing looks at it, beside what was noticed. That a test need not know of another text says nothing.
    """
    if found.proof not in (Proof.PROVED, Proof.UNPROVED, Proof.NOTHING):
        return found
    noticed = {place.path for place in touched if place.called in found.broken and found.proof is Proof.PROVED}
    seen, unseen, late = list[str](), list[str](), False
    for path, place in {each.path: each for each in touched if each.path not in noticed}.items():
        its = [made[-1] for each, made in touched.items() if each.path == path]
        answer = runs.any_notices(
            (each, {path: all_into(content(each.program, path) or b"", its)}) for each in all_watched
        )
        if answer:
            seen.append(place.called)
        elif any(each.kind is not DefectKind.TEXT for each in its):
            unseen.append(place.called)
            late = late or answer is None
    tried = tuple(dict.fromkeys((*found.broken, *seen, *unseen)))
    if not unseen:
        return Control(Proof.PROVED, tried) if seen else found
    if noticed or seen:
        return Control(Proof.PARTLY, tried, tuple(unseen), NO_TIME if late else NOT_EVERYWHERE)
    if found.proof is Proof.UNPROVED:
        return found if late else Control(Proof.UNPROVED, tried, tuple(unseen), found.why)
    if late:
        return Control(Proof.UNTRIED, found.broken, why=NO_TIME)
    return Control(Proof.UNPROVED, tried, tuple(unseen), NOT_NOTICED)


def together(one: Control, other: Control) -> Control:
    """What two controls of one change come to, of different files of it. What there was no time for takes nothing from
    the other one, and gives nothing."""
    if one.proof is not Proof.NOTHING and other.proof is Proof.UNTRIED:
        return one
    if Proof.NOTHING in (one.proof, other.proof) or one.proof in (Proof.BLIND, Proof.UNTRIED):
        return other if one.proof is Proof.NOTHING else one
    proofs = {one.proof, other.proof}
    noticed = not proofs.isdisjoint((Proof.PROVED, Proof.PARTLY))
    proof = one.proof if len(proofs) == 1 else Proof.PARTLY if noticed else Proof.UNPROVED
    return Control(proof, one.broken + other.broken, one.unnoticed + other.unnoticed, other.why or one.why)
