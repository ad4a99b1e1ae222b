"""Well-known packages that a report's examples import though its project does not need them. A fixed list.

Only what stands here is ever installed for a report: a name that a stranger chose may be anybody's package.
"""

from collections.abc import Iterable
from pathlib import Path

from bot.already_fixed.project import holds
from bot.already_fixed.values import Run, Seen

# How it is imported, and which distribution brings it.
_DISTRIBUTIONS = {
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "dask": "dask",
    "dateutil": "python-dateutil",
    "hypothesis": "hypothesis",
    "jinja2": "jinja2",
    "lxml": "lxml",
    "matplotlib": "matplotlib",
    "mock": "mock",
    "mpmath": "mpmath",
    "networkx": "networkx",
    "numpy": "numpy",
    "packaging": "packaging",
    "pandas": "pandas",
    "PIL": "pillow",
    "pkg_resources": "setuptools<81",  # which has it no more
    "pytest": "pytest",
    "pytz": "pytz",
    "requests": "requests",
    "scipy": "scipy",
    "setuptools": "setuptools<81",
    "six": "six",
    "sympy": "sympy",
    "yaml": "pyyaml",
}


def lacking(runs: Iterable[Run], tree: Path | None) -> tuple[str, ...]:
    """The distributions without which something could not be run, as far as they are well known; sorted.

    tree: of the program; what it holds itself is never installed in its place.
    """
    missing = {run.missing for run in runs if run.seen is Seen.CANNOT_RUN}
    missing = {name for name in missing if tree is None or not holds(tree, name)}
    return tuple(sorted({_DISTRIBUTIONS[name] for name in missing & _DISTRIBUTIONS.keys()}))
