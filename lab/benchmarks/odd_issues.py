"""How long the input door takes over odd reports, without network: `python -m lab.benchmarks.odd_issues`.

Each is read, judged offline and decided, ten times after a first one; what is long is read in a child process, whose
start the first one pays for. The goal is 50 ms each. `decision` is the verdict, which every one of them has.
"""

import statistics
from collections.abc import Iterator

from bot.issues.decide import decide_issue
from bot.issues.facts import IssueFacts
from bot.issues.parse import parse
from bot.issues.templates import LARGEST, Template, read_templates
from bot.judges.offline.issues import OfflineJudge
from bot.policy import Policy
from bot.reports import IssueText
from bot.verdicts import Verdict
from lab.benchmarks.processes import scratch, seconds_of

_TIMES = 10
_GOAL = 50.0  # ms
_FORM = (
    "body:\n"
    + "- type: input\n  attributes: {label: Version, value: '1'}\n  validations: {required: true}\n" * 20
    + "- type: textarea\n  attributes: {label: What happens, value: 'Tell us what you see.'}\n"
)


def reports() -> Iterator[tuple[str, IssueText, dict[str, str]]]:
    """A name, the report, and the repository's templates."""
    bug = "### What happens\n\nTell us what you see.\n\n### Version\n\n_No response_\n"
    yield "invalid YAML", IssueText("It fails", bug), {"bug.yml": "body: [unclosed"}
    yield "template of 200 kB", IssueText("It fails", bug), {"bug.md": "word " * 40_000}
    yield "30 templates", IssueText("It fails", bug), {f"{n}.md": f"Tell us {n}.\n" * 500 for n in range(30)}
    yield "form with duplicated labels", IssueText("It fails", bug), {"bug.yml": _FORM}
    yield "another repository's form", IssueText("It fails", "### Salz\n\nJa\n\n### Mehl\n\n_No response_\n"), {}
    yield "one heading", IssueText("It fails", "# " + "a" * (LARGEST - 2)), {}
    yield "headings alone", IssueText("It fails", "# a\n" * (LARGEST // 4)), {}
    yield "nested headings", IssueText("It fails", "# a\n###### b\n" * (LARGEST // 14)), {}
    yield "mixed languages", IssueText("Не работает export", "导出失败 with TypeError, すみません. Gracias!"), {}
    yield "right to left", IssueText("التصدير لا يعمل", "عند الضغط على زر التصدير \u202eلا يحدث شيء" * 50), {}
    yield "code without prose", IssueText("x", "```\n" + "x = f(y)\n" * (LARGEST // 10) + "```"), {}
    yield "prose without spaces", IssueText("Fehler", "bricht" * (LARGEST // 6)), {}
    yield "ideographs without spaces", IssueText("导出", "导出失败按钮没有反应" * (LARGEST // 10)), {}
    yield "line breaks", IssueText("It fails", "\n" * (LARGEST - 1) + "x"), {}
    yield "nothing", IssueText("", ""), {}


def verdict(text: IssueText, templates: tuple[Template, ...]) -> Verdict:
    """As a look decides, with nobody exempt."""
    report = parse(text, templates)
    facts = IssueFacts(report, OfflineJudge().judge(report), "reporter", "none", False, (), "open", False)
    return decide_issue(facts, Policy())


def milliseconds(text: IssueText, files: dict[str, str]) -> tuple[str, list[float]]:
    """The decision, and how long each of the later times took."""
    decision = verdict(text, read_templates(files)).decision
    times = [seconds_of(lambda: verdict(text, read_templates(files))) * 1000 for _ in range(_TIMES)]
    return decision.value, times


def main() -> None:
    print(f"{'report':28} {'decision':12} {'median ms':>9} {'worst ms':>9}")
    slow = 0
    with scratch():
        for name, text, files in reports():
            decision, times = milliseconds(text, files)
            slow += statistics.median(times) > _GOAL
            print(f"{name:28} {decision:12} {statistics.median(times):9.1f} {max(times):9.1f}")
    print(f"\n{slow} of them over {_GOAL:.0f} ms.")


if __name__ == "__main__":
    main()
