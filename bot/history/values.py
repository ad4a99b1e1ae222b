"""What a search of a repository's history asks and answers. Frozen, no effects; all text comes from strangers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sought:
    """A report whose fix is looked for.

    number: the issue's number, if it has one. reported: what the report says it was seen at (a version, a commit), as
    it stands there, or empty. repository: `OWNER/NAME`, by which links to other repositories' issues are told.
    relatives: numbers of closed reports with the same symptoms, duplicates above all; what fixed one may fix this.
    own: what the project is called, its packages among it: what every report and every change may say.
    """

    title: str
    text: str
    number: int | None = None
    reported: str = ""
    repository: str = ""
    relatives: tuple[int, ...] = ()
    own: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change that may have fixed a report: a commit, or a merged pull request as its merge commit.

    commit: full SHA, reachable from the searched head and not from the reported revision.
    at: when it was committed, ISO 8601 in UTC.
    score: the probability that it fixes the report, 0 to 1, where every second report is a fixed one.
    likely: the score is beyond the cut that the search's weights set for calling a report possibly fixed.
    why: plain sentences in Bouncer's own words; the most telling first.
    names_issue: it, or the merged pull request, says that it fixes the report's number, and it changes more than tests
    and documentation. A mere reference does not count.
    released_in: the version to upgrade to: the oldest behind the reported revision from which on it stays in; `None`:
    not released yet.
    also_in: the first versions of other lines that have it, such as a back-port's, oldest first.
    reverted_by: full SHA of the commit that took it back for good.
    back_ports: full SHAs of the same change on other branches.
    members: full SHAs of the commits a merge brought; empty for a commit of its own.
    shared: how many of the report's telling words it holds, beside what the project is called.
    """

    commit: str
    subject: str
    at: str
    score: float
    why: tuple[str, ...]
    names_issue: bool
    released_in: str | None
    reverted_by: str | None
    back_ports: tuple[str, ...]
    likely: bool = False
    members: tuple[str, ...] = ()
    also_in: tuple[str, ...] = ()
    shared: int = 0


@dataclass(frozen=True, slots=True)
class Searched:
    """candidates: best first. commits: how many were searched. problem: why that is not the whole history, or empty.

    elsewhere: likely changes that lie on another branch only. reverted: likely ones that were taken back for good. Both
    best first, and never among the candidates.
    """

    candidates: tuple[Candidate, ...]
    commits: int
    problem: str = ""
    elsewhere: tuple[Candidate, ...] = ()
    reverted: tuple[Candidate, ...] = ()
