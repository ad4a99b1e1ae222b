"""Which issues the name of a branch names. Pure.

People call a branch by the issue: `1234-rows` (GitHub's own button), `ann/1234_rows`, `fix-12`, `rows-issue12`. Most
other numbers there are versions (`python-312`), dates, standards (`sha-256`), counts (`patch-2`) or robots' numbers.
"""

import re

_LONGEST = 300  # characters of a name that are read
_END = r"(?![^/_-])"
_YEAR = rf"(?!(?:19|20)\d\d{_END})"
_NUMBER = rf"([1-9]\d{{0,6}}){_END}"
_TOLD = re.compile(rf"(?<![a-z])(?:issues?|bugs?|gh|ticket)[/_-]?#?{_NUMBER}", re.ASCII | re.I)
_SAID = re.compile(
    rf"#{_NUMBER}|(?<![a-z])(?:fix(?:es)?|bugfix|hotfix|feat|feature|close[sd]?|resolve[sd]?)[/_-]?{_YEAR}{_NUMBER}",
    re.ASCII | re.I,
)
_FIRST = re.compile(rf"(?:^|/){_YEAR}{_NUMBER}(?![/_-]\d)", re.ASCII)  # of a part; a date goes on with a number
_BEHIND = re.compile(rf"(?<=[a-z])[_-]{_YEAR}([1-9]\d{{3,5}}){_END}(?![/_-]\d)", re.ASCII)
_COUNT = 100  # a smaller number, where no word says what it is, is rather a count: `fix-2`, `32-bit`
_NEAR = 300  # or a quarter of the pull request's: how much older an issue is that no word leads to


def issues_in(branch: str, pull: int | None = None) -> tuple[int, ...]:
    """The numbers, the surest first. pull: the branch's pull request, older than which they are.

    Behind a word that says nothing of issues a number counts only where it is near that (`latex_10723` of 10760).
    """
    name = branch[:_LONGEST]
    told, said, first, behind = (
        [int(match[match.lastindex or 0]) for match in pattern.finditer(name)]
        for pattern in (_TOLD, _SAID, _FIRST, _BEHIND)
    )
    near = pull - max(_NEAR, pull // 4) if pull else 0
    said = [number for number in said if number >= min(near, _COUNT)]
    first = [number for number in first if number >= min(pull / 2 if pull else _COUNT, _COUNT)]
    behind = [number for number in behind if pull and number >= near]
    return tuple(dict.fromkeys(number for number in (*told, *first, *said, *behind) if not pull or number < pull))
