"""What a backtest showed, as JSON, for the terminal, and as one page that needs nothing beside it."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.backtest.endings import Signal
from bot.backtest.judging import ReplayedIssue
from bot.backtest.measures import FEWEST, Agreement, IssueBacktest, PullBacktest, ReplayedPull
from bot.live.precision import CountedShare
from bot.plain_text import clean, for_terminal
from bot.policy_choices import Strictness
from bot.rendering.comment import template
from bot.rendering.issue_reasons import issue_reasons
from bot.rendering.precision import share_words
from bot.rendering.pull_reasons import reasons
from bot.rendering.words import decision_words
from bot.verdicts import Decision

NOISE = (
    "People's actions serve as labels here. They are noisy: people who label the same issues agree only moderately "
    "(published kappa 0.44 to 0.62)."
)
ASKING = "Asked: one or two questions, and nothing waits. That needs `issues.ask: always`."
SIGNALS = {
    Signal.UNCLEAR: "a maintainer asked for more",
    Signal.CLEAR: "nobody asked for more",
    Signal.NOTHING: "no action shows whether it was clear",
}


@dataclass(frozen=True, slots=True)
class BacktestView:
    """What is shown. wanted: the precision that was asked for. notes: what was left out, and why, as sentences.
    pulls: `None` where none were looked at."""

    repository: str
    judge: str
    wanted: float
    found: IssueBacktest
    notes: tuple[str, ...]
    pulls: PullBacktest | None = None


def percent(share: float | None) -> str:
    """A share for readers; a dash where it is of nothing."""
    return "-" if share is None else f"{100 * share:.0f}%"


def with_interval(part: CountedShare) -> str:
    """A share with its interval and what it is of."""
    if part.share is None or part.interval is None:
        return "-"
    low, high = part.interval
    return f"{percent(part.share)} ({percent(low)} to {percent(high)}; {part.hits} of {part.total})"


def in_short(part: CountedShare) -> str:
    """The same for a line on a terminal."""
    return f"{part.hits} of {part.total}: {share_words(part)}" if part.total else "-"


def in_two_lines(part: CountedShare) -> str:
    """The same for a narrow column of a table."""
    share, _, interval = share_words(part).partition(" ")
    return f"{share} of {part.total}\n{interval}" if part.total else "-"


def agreement(row: Agreement) -> str:
    """How often a strictness and people's actions say the same, as a sentence; empty where none says anything."""
    if not row.agreement.total:
        return ""
    kappa = "" if row.kappa is None else f"; kappa {row.kappa:.2f}"
    return f"{row.strictness.value} and people's actions agree: {with_interval(row.agreement)}{kappa}."


def proposal(view: BacktestView) -> tuple[str, str]:
    """What is proposed, as a sentence, and the policy for it."""
    found = view.found
    row = next(row for row in found.rows if row.strictness is found.chosen and row.kind == "")
    if not found.promised:
        few = row.precision.total < FEWEST
        why = (
            "people's actions show for too few of the held issues whether that was right"
            if few
            else f"no strictness reaches a precision of {percent(view.wanted)} here"
        )
        return (
            f"Start with `observe`: {why}. Bouncer then writes nothing, and `bouncer report` shows what it would hold.",
            "mode: observe\n",
        )
    lines = ["mode: advise", "issues:", f"  strictness: {found.chosen.value}"]
    if found.kinds:
        lines += ["  only:", f"    kinds: [{', '.join(found.kinds)}]"]
    of = f" for issues of the kinds {', '.join(found.kinds)}" if found.kinds else ""
    return (
        f"`{found.chosen.value}` is the strictest choice with a precision of at least {percent(view.wanted)}{of} here.",
        "\n".join(lines) + "\n",
    )


def row_json(row: Agreement) -> dict[str, Any]:
    """One strictness, over all kinds or for one."""
    parts = {
        "precision": row.precision,
        "asking": row.asking,
        "recall": row.recall,
        "false_bounces": row.false_bounces,
        "agreement": row.agreement,
    }
    judged = ("judged", "held", "asked", "left_alone", "unjudged")
    counts = (*judged, "right", "wrong", "missed", "fine", "rightly", "needlessly")
    return {
        "strictness": row.strictness.value,
        "kind": row.kind or "all",
        **{name: getattr(row, name) for name in counts},
        **{name: {"share": part.share, "interval": part.interval} for name, part in parts.items()},
        "kappa": row.kappa,
    }


def backtest_json(view: BacktestView) -> dict[str, Any]:
    """The whole result."""
    found = view.found
    return {
        "repository": view.repository,
        "judge": view.judge,
        "issues": found.issues,
        "skipped": found.skipped,
        "text_unknown": found.text_unknown,
        "rows": [row_json(row) for row in found.rows],
        "chosen": found.chosen.value,
        "wanted_precision": view.wanted,
        "reached": found.promised,
        "endings_of_held": {ending.value: count for ending, count in found.endings.items()},
        "doubtful": [_case(each, found.chosen) for each in found.doubtful],
        "spoken_to": [_case(each, found.chosen) for each in found.listed],
        "calls": found.usage.calls,
        "money": found.usage.money,
        "notes": list(view.notes),
        "pulls": _pulls_json(view.pulls) if view.pulls else None,
        "policy": proposal(view)[1],
    }


def _pulls_json(pulls: PullBacktest) -> dict[str, Any]:
    return {
        "people": pulls.people,
        "executed": pulls.executed,
        "left_out": dict(Counter(clean(each.left_out, 200) for each in pulls.judged if each.left_out)),
        "figures": row_json(pulls.agreement) if pulls.executed else None,
        "cases": [_pull_case(each) for each in pulls.judged if not each.left_out],
        "doubtful": [_pull_case(each) for each in pulls.doubtful],
    }


def _pull_case(each: ReplayedPull) -> dict[str, Any]:
    result = each.result
    verdict = result.verdict if result else None
    return {
        "number": each.pull.proposal.number,
        "title": clean(each.pull.proposal.title, 120),
        "url": each.pull.url if each.pull.url.startswith(("https://", "http://")) else "",
        "verdict": decision_words(verdict.decision, verdict.cause, would=True) if verdict else "not judged",
        "why": clean(" ".join(reasons(result)), 300) if result else "",
        "agent": clean(each.agent, 200),
        "ending": each.pull.ending.value,
        "risks": [clean(risk, 200) for risk in each.risks],
        "seconds": round(each.seconds, 1),
    }


def backtest_page(view: BacktestView) -> str:
    """HTML without scripts and without anything from elsewhere. All that people wrote is escaped."""
    found = view.found
    sentence, policy = proposal(view)
    page: str = _page().render(
        view=view,
        rows=[row for row in found.rows if row.kind == ""],
        agreements=[said for row in found.rows if row.kind == "" and (said := agreement(row))],
        kinds=[row for row in found.rows if row.kind and row.strictness is found.chosen],
        doubtful=[_case(each, found.chosen) for each in found.doubtful],
        spoken_to=[_case(each, found.chosen) for each in found.listed],
        asking=ASKING,
        endings=sorted(found.endings.items(), key=lambda item: -item[1]),
        most=max(found.endings.values(), default=1),
        proposal=sentence.replace("`", ""),
        policy=policy,
        pulls=_pulls_json(view.pulls) if view.pulls else None,
        counted=view.pulls.agreement if view.pulls and view.pulls.executed else None,
        noise=NOISE,
    )
    return page


def backtest_text(view: BacktestView, table: str) -> str:
    """For the terminal. table: of the strictnesses, as it is shown there."""
    sentence, policy = proposal(view)
    text = template("backtest.txt.j2", agreement=agreement, in_short=in_short, noise=NOISE, asking=ASKING).render(
        view=view,
        table=table.rstrip("\n"),
        told=backtest_json(view),
        endings=sorted(view.found.endings.items(), key=lambda item: -item[1]),
        sentence=sentence,
        policy=policy,
    )
    return for_terminal(text)


def _case(each: ReplayedIssue, strictness: Strictness) -> dict[str, Any]:
    verdict = each.verdicts[strictness]
    return {
        "number": each.issue.number,
        "title": clean(each.issue.title, 120),
        "url": each.issue.url if each.issue.url.startswith(("https://", "http://")) else "",
        "verdict": "held" if verdict.decision is Decision.BOUNCE else "asked" if verdict.asks else "accepted",
        "why": clean(" ".join(issue_reasons(verdict)), 300),
        "people": SIGNALS[each.outcome.signal],
        "ending": each.outcome.ending.value,
        "answered": each.outcome.answered,
    }


@cache
def _page() -> Any:
    environment = Environment(loader=PackageLoader("bot.rendering"), undefined=StrictUndefined, autoescape=True)
    environment.filters |= {"percent": percent, "with_interval": with_interval}
    return environment.get_template("backtest.html.j2")
