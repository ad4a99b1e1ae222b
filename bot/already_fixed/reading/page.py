"""A report as its readers see it: its pieces, and what is said around each of them."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import islice

from bot.already_fixed.reading import classify, expected_value, prompt_sessions, python, tracebacks
from bot.already_fixed.reading.blocks import SHOWN, ReportBlock
from bot.already_fixed.reading.expected_value import ShownOutput, wanted
from bot.already_fixed.reading.wording import paragraphs, pattern
from bot.already_fixed.values import Expectation, Failure

_MOST_SESSIONS = 20  # that are compared with each other
_MOST_BELOW = 16  # pieces in which what belongs to an example is looked for
_GOES_ON = pattern("goes_on")
_WRONG = pattern("wrong")


class ReportPage:
    """Pieces are named by their number, `at`: two may be alike.

    names: what the project offers; prose names some of it as values. prose: the title and all that is no code.
    sessions: by number what was typed at prompts.
    """

    def __init__(self, title: str, parts: Sequence[ReportBlock], names: Collection[str]) -> None:
        self.title, self.parts, self.names = title, parts, names
        self.prose = "\n\n".join([title, *(part.text for part in parts if not part.code)])
        typed = ((at, part) for at, part in enumerate(parts) if part.code and classify.is_session(part))
        self.sessions = {at: prompt_sessions.steps(part.text) for at, part in islice(typed, _MOST_SESSIONS)}
        self._examples = list(islice((at for at, part in enumerate(parts) if classify.shows_code(part)), 2))

    def beside(self, at: int) -> str:
        """The prose that leads to an example, and that goes on behind it."""
        return f"{self.parts[at].lead}\n{self._behind(at)}"

    def near(self, at: int) -> str:
        """The prose that is about an example: what stands next to it, and all where it is the only one."""
        beside = self.beside(at)
        return f"{beside}\n{self.prose}" if self.is_alone(at) else beside

    def is_alone(self, at: int) -> bool:
        """Whether it is the only example."""
        return self._examples == [at]

    def leaves_open(self, at: int, expectation: Expectation) -> bool:
        """Whether an example shows an output, and the report does not say that anything is wrong with it."""
        shown = expectation.failure is Failure.PRINTS and not expectation.right
        return shown and not calls_wrong(self.beside(at))

    def right_near(self, at: int, shown: ShownOutput, *, alone: bool = False) -> str:
        """The value that should come by the prose about an example, the nearest first; empty where it names none."""
        near = self._own_lead(at), self._own_prose(at), self.prose if self.is_alone(at) else ""
        values = (wanted(prose, replace(shown, names=self.names), alone=alone) for prose in near)
        return next(filter(None, values), "")

    def came(self, at: int, code: str) -> str:
        """What the prose about an example says that it gives, the nearest first. code: of the example."""
        near = self._own_prose(at), self._own_lead(at), self.near(at) if self.is_alone(at) else ""
        name = python.name_shown_last(code)
        told = (prose.replace(f"`{name}` is ", "it gives ") for prose in near)
        return next(filter(None, map(expected_value.ticked_wrong, told)), "")

    def is_fine(self, at: int) -> bool:
        """Whether the report says that what an example shows is as it should be."""
        return classify.is_fine(self.parts[at], self._own_prose(at))

    def right_after(self, at: int) -> str:
        """The value that the next piece of code shows, where it is led to as what should come."""
        for later in self.parts[at + 1 :]:
            if not later.code:
                continue
            if prompt_sessions.is_session(later.text):
                own = [step for step in prompt_sessions.steps(later.text) if step.gave]
                shown = {step.gave for step in self.sessions.get(at, ())}
                return own[-1].gave if own and classify.is_expected(later) and own[-1].gave not in shown else ""
            value = later.language == SHOWN or classify.is_value(later) or not python.readable(later.text)
            return later.text if classify.is_expected(later) and value else ""
        return ""

    def right_formerly(self, at: int) -> str:
        """What prose says that the same example gave in an older version."""
        own = self.parts[at]
        same = (n for n, part in enumerate(self.parts) if part.text == own.text and classify.is_older(part, own))
        return next((value for other in same if (value := expected_value.ticked_wrong(self.beside(other)))), "")

    def is_former(self, at: int) -> bool:
        """Whether the same example is there again, as it goes in a newer version."""
        return any(
            classify.is_older(self.parts[at], other) for other in self.parts if other.text == self.parts[at].text
        )

    def is_asked(self, at: int) -> bool:
        """Whether what an example shows as what should come is asked of another one: that has a statement of it, or is
        the session right before this one, which `right_after` reads."""
        others = [n for n, part in enumerate(self.parts) if part.code and n != at]
        shown = [step.source for step in self.sessions.get(at, ()) if step.gave]
        shown = shown or [python.leading(self.parts[at].text)[0].rstrip().rpartition("\n")[2]]
        before = max((n for n in others if n < at), default=-1)
        follows = before in self.sessions and at in self.sessions and self.right_after(before)
        return bool(follows) or any(statement in self.parts[n].text for statement in shown for n in others)

    def fails(self, at: int, rest: str = "") -> bool:
        """Whether a traceback shows how an example fails. rest: what stands behind it in its block."""
        shown = (part for part in self.following(at) if not classify.is_expected(part))
        return tracebacks.is_trace(rest) or any(tracebacks.is_trace(part.text) for part in shown)

    def following(self, at: int) -> list[ReportBlock]:
        """Pieces of code that belong to the example at `at`: what stands below it up to the next example."""
        found = []
        typed = self.parts[at].text.partition("\n")[0]
        typed = typed if typed.startswith(classify.PROMPTS) else ""
        for part in self.parts[at + 1 : at + 1 + _MOST_BELOW]:
            if not part.code:
                continue
            if prompt_sessions.is_session(part.text) or classify.is_program(part):
                break
            if typed and part.text.startswith(classify.PROMPTS):
                if not part.text.startswith(f"{typed}\n"):
                    break  # another command
                part = replace(part, text=part.text.partition("\n")[2])
            only_trace = tracebacks.is_trace(part.text) and not tracebacks.trace_starts(part.text)
            if not only_trace and part.language in classify.PYTHON and not classify.is_value(part):
                code = python.leading(part.text)[0]
                tree = python.tree_of(code)
                if tree and (python.does_something(tree) or python.defined(code)):
                    break
            found.append(part)
        return found

    def _behind(self, at: int) -> str:
        """The prose that goes on behind an example, or behind the one output below it."""
        return self.parts[end].text[:300] if (end := self._end(at)) else ""

    def _own_prose(self, at: int) -> str:
        """The same without the words that lead to the next example."""
        end = self._end(at)
        then = next(iter(self.parts[end + 1 : end + 2]), None) if end else None
        if not then or not classify.shows_code(then):
            return self._behind(at)
        *before, last = paragraphs(self.parts[end].text.rstrip())
        *sentences, leading = (" ".join(sentence.split()) for sentence in classify.sentences(last))
        alone = not sentences and not before
        goes_on = alone and not (leading[:1].isupper() and leading.endswith(":"))
        kept = (*sentences, leading) if goes_on or not classify.leading(then) else sentences
        return "\n\n".join((*before, " ".join(kept)))[:300]

    def _end(self, at: int) -> int:
        """The number of the piece of prose behind an example, and its output; 0 where none follows."""
        for end in (at + 1, at + 2):
            if end < len(self.parts) and not self.parts[end].code:
                return end
            if not self.following(at):
                return 0
        return 0

    def _own_lead(self, at: int) -> str:
        """The words that lead to an example, and are not about the one before."""
        before = self.parts[at - 2] if at > 1 else None
        if not before or not before.code:
            return self.parts[at].lead
        leading = classify.leading(self.parts[at])
        lines = self.parts[at - 1].text.rstrip()[-1000:]  # where they end counts here
        last = " ".join(classify.sentences(lines)[-1].split())
        leading = last if last in leading else leading
        return _GOES_ON.split(leading)[-1] if leading[:1].islower() else leading


def calls_wrong(prose: str) -> bool:
    return bool(_WRONG.search(prose))
