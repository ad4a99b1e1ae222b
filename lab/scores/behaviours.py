"""What agents do on the way to holding back from code that is right already: FixedBench, section 3.3 and appendix D."""

from collections.abc import Sequence
from dataclasses import dataclass

from lab.scores.abstention import AgentAnswer, Behaviour
from lab.scores.counts import Rate, rate

# Of Sonnet-4.6's traces with the prompt Issue, on code that is right (section 3.3): the share of those that held back,
# and of the others, percent; `None` where the paper prints it only as a picture.
PUBLISHED = {
    Behaviour.CHECK_HISTORY: (63.8, 31.4),
    Behaviour.REALIZES_FIXED: (90.8, 25.7),
    Behaviour.REPRODUCED_BEFORE: (49.2, 30.0),
    Behaviour.ADD_TEST: (69.2, 41.4),
    Behaviour.UNRELATED_FIX: (None, 87.1),
    Behaviour.NO_OP_EDIT: (None, 47.1),
}


@dataclass(frozen=True, slots=True)
class BehaviourRow:
    """How many traces show it: of the answers that hold back, and of those that change code."""

    agent: str
    state: str
    prompt: str
    behaviour: Behaviour
    abstained: Rate
    edited: Rate


def behaviour_rows(answers: Sequence[AgentAnswer]) -> list[BehaviourRow]:
    """For each agent, state and prompt, of the traces that somebody looked at; both scenarios together."""
    groups: dict[tuple[str, str, str], list[AgentAnswer]] = {}
    for one in answers:
        if one.behaviours is not None:
            groups.setdefault((one.agent, one.state, one.prompt), []).append(one)
    return [
        BehaviourRow(*group, behaviour, *(_shown(mine, behaviour, held) for held in (True, False)))
        for group, mine in groups.items()
        for behaviour in Behaviour
    ]


def _shown(answers: Sequence[AgentAnswer], behaviour: Behaviour, abstained: bool) -> Rate:
    some = [one.behaviours or () for one in answers if one.abstained is abstained]
    return rate(sum(behaviour in each for each in some), len(some))
