"""When Bouncer may speak of a fix that nothing ran for: the one rule in front of everything public. Pure.

A search always has a first: one has to be it. So its place alone says nothing of a report, and a wrong word in public
costs a reporter's trust. Who asks (`/bouncer fixed`, `bouncer fixed`) is told each candidate with its place and doubts.
"""

from collections.abc import Sequence

from bot.history.values import Candidate
from bot.plain_text import count_of

MARGIN = 3.0  # how many times the score of the next one the first must have
SHARED = 2  # telling words of the report, beside the project's name
LONG_ENOUGH = 100  # commits that were ranked; among fewer no word is rare, and somebody is first by chance
LEAST = 0.05  # the score of a candidate that is told to who asks


def guess(candidates: Sequence[Candidate], commits: int) -> Candidate | None:
    """The change that may be named as the fix though nothing that ran shows it; `None` for silence.

    candidates: best first. commits: how many were ranked.
    """
    first = next(iter(_standing(candidates)), None)
    return first if first and not doubts(first, candidates, commits) else None


def doubts(candidate: Candidate, candidates: Sequence[Candidate], commits: int) -> tuple[str, ...]:
    """Why nothing is said of a candidate in public, as sentences; empty where it is the one to be named."""
    standing = _standing(candidates)
    place = rank(candidate, candidates)
    close = place == 1 and len(standing) > 1 and candidate.score < MARGIN * standing[1].score
    alike = candidate.names_issue or candidate.shared >= SHARED
    ranked = f"{count_of(commits, 'commit')} {'was' if commits == 1 else 'were'} ranked"
    told = (
        (candidate.reverted_by is not None, "It was reverted."),
        (place > 1, f"It is only number {place}."),
        (not candidate.likely, "Its score is below what counts as likely."),
        (close, "The next candidate comes close to it."),
        (not alike, "It shares little more than the project's name with the report."),
        (commits < LONG_ENOUGH, f"Only {ranked}, so its place says little."),
    )
    return tuple(sentence for holds, sentence in told if holds)


def rank(candidate: Candidate, candidates: Sequence[Candidate]) -> int:
    """Its place among the candidates that were not taken back, from 1; 0 where it is none of them."""
    return next((at for at, each in enumerate(_standing(candidates), 1) if each.commit == candidate.commit), 0)


def _standing(candidates: Sequence[Candidate]) -> list[Candidate]:
    """By score: what running proved may lead the candidates, whatever its score is."""
    return sorted((each for each in candidates if each.reverted_by is None), key=lambda each: -each.score)
