"""Entries for `issues.ask_for`, learnt from what a project's maintainers asked reporters for. Pure.

Nothing learnt holds anything: a maintainer of the project adopts an entry by writing it into the policy. How a fact is
seen is widened until few reports that nobody had to ask about lack it, so that what is held by mistake stays below
`MOST_WRONG` of the threads that it is learnt from. Whether that lasts, later threads show (`figures`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.backtest.endings import Signal
from bot.backtest.judging import ReplayedIssue
from bot.backtest.threads import FACTS, AskedFact, PastThread, sentences_about
from bot.backtest.values import RepositoryPast
from bot.issues.asked_for import is_needed, is_there
from bot.live.precision import wilson
from bot.plain_text import as_words, clean
from bot.policy import AskFor, Policy
from bot.policy_choices import Kind, ReportSign
from bot.verdicts import Decision

MOST_WRONG = 0.05  # of the reports that nobody had to ask about
FEWEST_ASKED = 3  # threads in which a fact was asked for; fewer are chance
MOST_FACTS = 5  # that are proposed
_MOST_SIGNS = 4
_MOST_EXAMPLES = 3
_MOST_WORDS = 12  # of the project's own that are shown
_SHORTEST, _LONGEST = 15, 200  # characters of a question
_ALIKE = 1 / 3  # of the words of two questions, from which on they are the same


@dataclass(frozen=True, slots=True)
class FactCount:
    """How often a fact was asked for. asked: threads; answered, led_on: those of them where the reporter wrote again,
    and where it was fixed or done then. kinds: of which kind they are. templates: which of them they were written
    in. question: the maintainers' sentence that is most like their others. examples: the newest threads, with the
    sentence."""

    fact: str
    asked: int
    answered: int
    led_on: int
    kinds: dict[str, int]
    templates: dict[str, int]
    question: str
    examples: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class LearntFact:
    """want: the proposed entry. right, wrong: reports that it would have held about which maintainers asked, and did
    not."""

    want: AskFor
    right: int
    wrong: int


def count_facts(threads: Sequence[PastThread]) -> tuple[FactCount, ...]:
    """The most asked first."""
    counts = (_count(fact, threads) for fact in FACTS)
    return tuple(sorted((each for each in counts if each.asked), key=lambda each: -each.asked))


def learn(threads: Sequence[PastThread], *, surer: bool = True) -> tuple[LearntFact, ...]:
    """The entries that go together, the surest first. surer: only those by which a maintainer surely asked more often
    than about any report; else all that keep `MOST_WRONG`, which shows what the limit alone is worth."""
    known = [thread for thread in threads if thread.signal is not Signal.NOTHING]
    unclear = sum(thread.signal is Signal.UNCLEAR for thread in known)
    least = unclear / len(known) if surer and known else 0.0
    left, allowed = known, int(MOST_WRONG * (len(known) - unclear))
    counts = {fact: _count(fact, threads) for fact in FACTS}
    facts = [fact for fact, count in counts.items() if count.asked >= FEWEST_ASKED]
    chosen: list[LearntFact] = []
    while facts and len(chosen) < MOST_FACTS:
        tried = [(_score(want, left, allowed), fact, want) for fact in facts for want in _ways(fact, counts[fact])]
        best, fact, want = max(tried, key=lambda each: each[0])
        if best <= least:
            break
        want = _narrowed(want, left, allowed)
        held = [thread for thread in left if lacks(want, thread)]
        chosen.append(_learnt(want, held))
        left = [thread for thread in left if thread not in held]
        allowed -= chosen[-1].wrong
        facts.remove(fact)
    return tuple(chosen)


def lacks(want: AskFor, thread: PastThread) -> bool:
    """Whether an entry would hold a report, without a judge's view."""
    return is_needed(want, thread.kind, thread.told) and not is_there(want, thread.told)


def _score(want: AskFor, threads: Sequence[PastThread], allowed: int) -> float:
    """The lower end of how often a maintainer asked where it holds; 0 where it holds too many by mistake."""
    held = Counter(thread.signal for thread in threads if lacks(want, thread))
    right, wrong = held[Signal.UNCLEAR], held[Signal.CLEAR]
    return wilson(right, right + wrong)[0] if right >= FEWEST_ASKED and wrong <= allowed else 0.0


def _narrowed(want: AskFor, threads: Sequence[PastThread], allowed: int) -> AskFor:
    """With further signs by which it is seen, as long as each makes it surer."""
    while len(want.signs) < _MOST_SIGNS:
        wider = [
            want.model_copy(update={"signs": (*want.signs, sign)}) for sign in ReportSign if sign not in want.signs
        ]
        best = max(wider, key=lambda each: _score(each, threads, allowed))
        if _score(best, threads, allowed) <= _score(want, threads, allowed):
            break
        want = best
    return want


def _ways(fact: AskedFact, count: FactCount) -> Iterator[AskFor]:
    """Entries for one fact: for all kinds about which it was asked, or for one; seen by its own signs, or by another
    one besides."""
    kinds = tuple(kind for kind in Kind if kind.value in count.kinds) or (Kind.BUG,)
    for some in dict.fromkeys((kinds, *((kind,) for kind in kinds))):
        for extra in ((), *((sign,) for sign in ReportSign if sign not in fact.signs)):
            signs = (*fact.signs, *extra)
            yield AskFor(
                fact=fact.fact,
                question=count.question,
                kinds=some,
                signs=signs,
                words=fact.words,
            )


def _learnt(want: AskFor, held: Sequence[PastThread]) -> LearntFact:
    signals = Counter(thread.signal for thread in held)
    return LearntFact(want, signals[Signal.UNCLEAR], signals[Signal.CLEAR])


def _count(fact: AskedFact, threads: Sequence[PastThread]) -> FactCount:
    asked = [thread for thread in threads if fact.fact in thread.asked]
    return FactCount(
        fact=fact.fact,
        asked=len(asked),
        answered=sum(thread.outcome.answered for thread in asked),
        led_on=sum(thread.led_on for thread in asked),
        kinds=dict(Counter(thread.kind.value for thread in asked)),
        templates=dict(Counter(thread.template for thread in asked if thread.template)),
        question=_question(fact, asked),
        examples=tuple((thread.number, sentences_about(fact, thread)[0]) for thread in asked[::-1][:_MOST_EXAMPLES]),
    )


def own_words(threads: Sequence[PastThread]) -> tuple[tuple[str, int], ...]:
    """What stands in this project's questions again and again and belongs to no fact of `FACTS`: for a maintainer to
    look at, who knows which of these a report can lack."""
    known = {word for fact in FACTS for each in fact.asked for word in each.split()}
    counts = Counter(word for thread in threads for word in thread.own if word not in known and len(word) > 2)
    return tuple(each for each in counts.most_common(_MOST_WORDS) if each[1] >= FEWEST_ASKED)


def _question(fact: AskedFact, asked: Sequence[PastThread]) -> str:
    """The maintainers' sentence that has most in common with their others, if they ask so in more threads than one;
    what is asked once is about that report, and the fact's own question goes for all."""
    every = [
        (thread.number, set(as_words(text).split()), text)
        for thread in asked
        for each in sentences_about(fact, thread)
        if (text := _plain(each))
    ]
    found: list[tuple[float, str]] = []
    for number, words, text in every:
        alike = [_shared(words, other) for at, other, _ in every if at != number]
        if max(alike, default=0.0) >= _ALIKE:
            found.append((sum(alike), text))
    return max(found)[1] if found else fact.question


def _shared(words: set[str], other: set[str]) -> float:
    return len(words & other) / len(words | other)


def _plain(sentence: str) -> str:
    """As a line of Markdown in which nothing is alive; empty where it is no question for anybody else."""
    bare = " ".join(word for word in clean(sentence).split() if "://" not in word and "@" not in word)
    line = "".join(character for character in bare if character not in "<>[]()!`*_#|~").strip(" -:;,")
    return line if _SHORTEST <= len(line) <= _LONGEST else ""


def split(past: RepositoryPast, share: float) -> tuple[RepositoryPast, RepositoryPast]:
    """The older issues, to learn from, and the later ones, to see whether it lasts. share: of the older ones."""
    newest = sorted(past.issues, key=lambda issue: issue.at, reverse=True)
    cut = len(newest) - int(len(newest) * share)
    return replace(past, issues=tuple(newest[cut:])), replace(past, issues=tuple(newest[:cut]))


def with_learnt(policy: Policy, learnt: Iterable[LearntFact]) -> Policy:
    """The policy with what is proposed beside what it asks for already."""
    before = policy.issues.ask_for
    names = {want.fact.casefold() for want in before}
    added = tuple(each.want for each in learnt if each.want.fact.casefold() not in names)
    issues = policy.issues.model_copy(update={"ask_for": (*before, *added)})
    return policy.model_copy(update={"issues": issues})


@dataclass(frozen=True, slots=True)
class LaterFigures:
    """What a policy would have done with later reports. right, wrong: held, and maintainers asked for more, or did not.
    unclear, clear: all about which they asked, or did not."""

    held: int
    right: int
    wrong: int
    unclear: int
    clear: int


def figures(judged: Iterable[ReplayedIssue], policy: Policy) -> LaterFigures:
    """Of those whose first text is known."""
    known = [each for each in judged if each.verdicts and each.issue.text_known]
    held = {each.issue.number: each.verdicts[policy.issues.strictness].decision is Decision.BOUNCE for each in known}
    signals = Counter((held[each.issue.number], each.outcome.signal) for each in known)
    right, wrong = signals[True, Signal.UNCLEAR], signals[True, Signal.CLEAR]
    return LaterFigures(
        sum(held.values()),
        right,
        wrong,
        right + signals[False, Signal.UNCLEAR],
        wrong + signals[False, Signal.CLEAR],
    )
