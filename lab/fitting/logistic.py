"""The one regression of the fits whose answer is yes or no."""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


def logistic(
    design: Numbers, truth: Numbers | Flags, ridge: Numbers, weight: Numbers | float = 1.0, known: Numbers | float = 0.0
) -> Numbers:
    """Coefficients of a ridge logistic regression, by Newton's method. ridge: how much each is drawn to zero. weight:
    of each row. known: log odds to which the coefficients are added."""
    solution = np.zeros(design.shape[1])
    for _ in range(100):
        chance = 1 / (1 + np.exp(-(design @ solution + known)))
        curvature = (design * (weight * chance * (1 - chance))[:, None]).T @ design + np.diag(ridge)
        step = np.linalg.solve(curvature, design.T @ (weight * (truth - chance)) - ridge * solution)
        solution = solution + np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-8:
            break
    return solution


def macro_f(truth: Flags, predicted: Flags) -> float:
    """The mean of the two classes' F1."""
    return (_f1(truth, predicted) + _f1(~truth, ~predicted)) / 2


def _f1(truth: Flags, predicted: Flags) -> float:
    total = truth.sum() + predicted.sum()
    return float(2 * (truth & predicted).sum() / total) if total else 0.0
