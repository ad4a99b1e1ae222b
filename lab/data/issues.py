"""Issues beside what people said of them, in the form of SWE-bench's annotations."""

from dataclasses import dataclass
from pathlib import Path

from lab.data.files import TO_BE_BOUNCED, DataError, label_of, read_rows, texts
from lab.scores.counts import draw

FILE = "issues_annotated.jsonl"
PUBLISHED = (
    "It holds one JSON object a line with instance_id, problem_statement and underspecified (0 to 3). The issues are "
    "of SWE-bench (huggingface.co/datasets/SWE-bench; its code is MIT, the data set states no licence), the labels "
    "OpenAI's (openai.com/index/introducing-swe-bench-verified; no licence stated)."
)


@dataclass(frozen=True, slots=True)
class AnnotatedIssue:
    """human: how underspecified people found it, 0 (clear) to 3. text: its first line is the title."""

    id: str
    human: int
    text: str


def read_issues(path: Path, only: str | None = None, limit: int | None = None) -> tuple[AnnotatedIssue, ...]:
    """All of a file whose key `only` is true, or `limit` of these drawn with a fixed seed.

    Raises `DataError`, also for labels of one class."""
    found: dict[str, AnnotatedIssue] = {}
    for where, row in read_rows(path, PUBLISHED):
        if only and row.get(only) is not True:
            continue
        name, text = texts(row, where, "instance_id", "problem_statement")
        if name in found:
            raise DataError(f"{where}: the id {name!r} is there twice. Each must be unique.")
        found[name] = AnnotatedIssue(name, label_of(row, where, "underspecified"), text)
    issues = tuple(draw(list(found.values()), limit))
    if not issues:
        raise DataError(f'{path}: "{only}" is true in no row. Is --only right?')
    if len({issue.human >= TO_BE_BOUNCED for issue in issues}) < 2:
        raise DataError(
            f"{path}: people would bounce all of these {len(issues)} issues, or none. A bouncer can only be measured "
            "on both: labels 0 or 1, and 2 or 3."
        )
    return issues
