"""From a model's label of a patch to a probability that the patch is wrong: a prior, not a calibration.

No answers of models to patches are published beside what tests said of each patch, only rates for five models
(BouncerBench, Table III): how many wrong patches each bounces, and how many right ones. With the share of wrong patches
there (405 of 642) these give what a bounce and an acceptance are worth, for the average of the five. The labels of one
half cannot be told apart by them, and the rates are of another prompt than ours.
"""

from bot.verdicts import PatchLabel

# claude-3.7-sonnet, gpt-4.1, gemma3 27b, o4-mini, qwen3 32b; in percent, as published
_CAUGHT = (7.9, 8.6, 3.2, 46.2, 15.3)
_FALSE_BOUNCES = (2.5, 1.7, 1.7, 13.1, 6.3)
_WRONG = 405 / 642

# Labels that are a bounce (BouncerBench, section III-A2).
BOUNCED = frozenset({PatchLabel.BROAD_MISSING_KEY_ASPECTS, PatchLabel.INCORRECT})


def probability(label: PatchLabel) -> float:
    """That a patch with this label is wrong, as far as published rates tell."""
    caught, false = sum(_CAUGHT) / len(_CAUGHT) / 100, sum(_FALSE_BOUNCES) / len(_FALSE_BOUNCES) / 100
    if label not in BOUNCED:
        caught, false = 1 - caught, 1 - false
    return round(caught * _WRONG / (caught * _WRONG + false * (1 - _WRONG)), 2)
