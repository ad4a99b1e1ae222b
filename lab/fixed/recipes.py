"""How revisions of the reports' time are set up on this machine's Python: as their manifests say, no tuning.

Dependencies are those of their time (`bot.already_fixed.revisions.moments`). Of what Python 3.10 and 3.11 took away a
few names are put back, as far as an assignment can do that; revisions that need more do not run here and are counted
as not covered. Tests that were hidden from a change's author run in the sandbox, on one commit.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from bot.already_fixed.revisions import RevisionSource, tree
from bot.policy import Verify
from bot.sandbox.protocol import Executor
from bot.settings import Settings
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.prepare import Setup, prepare
from bot.verification.testing.run import run_suite
from bot.verification.values import Origin, Program, TestResult, TestStatus

_EACH = "list(map(setattr, repeat(collections), abc.__all__, map(getattr, repeat(abc), abc.__all__)))"
_NAMES = (
    f"import collections, fractions, inspect, math; from collections import abc; from itertools import repeat; {_EACH};"
    " inspect.getargspec = lambda function, full=inspect.getfullargspec: full(function)[:4]; fractions.gcd = math.gcd"
)
_PUT_BACK = (
    f"""python -c 'import sysconfig; open(sysconfig.get_path("purelib") + "/names.pth", "w").write("{_NAMES}")'"""
)
_OWN = "SETUPTOOLS_SCM_PRETEND_VERSION_FOR_{name}={version} pip install -e . pytest"
_NAMELESS = "SETUPTOOLS_SCM_PRETEND_VERSION={version} pip install -e . attrs hypothesis"

# Where the code lies at the top of the tree it need not be installed to be imported.
_INSTALL = {
    "psf/requests": "pip install urllib3 chardet charset-normalizer idna certifi pytest pytest-mock",
    "pallets/flask": _OWN,
    "pytest-dev/pytest": _NAMELESS,
    "pylint-dev/pylint": f"{_OWN} pytest-benchmark",
    "pydata/xarray": f"{_OWN} scipy bottleneck dask",
    "mwaskom/seaborn": f"{_OWN} scipy",
    "sphinx-doc/sphinx": f"{_OWN} html5lib",
    "sympy/sympy": "pip install mpmath pytest",
}
_OLD_PYTEST = "2021-08-30"  # older ones cannot rewrite assertions on Python 3.10 and later (pytest 6.2.5)


def policy(repository: str, created: str, version: str) -> Verify:
    """created: when the report's fix was proposed, ISO 8601. version: of the project at that time, or empty."""
    name = repository.partition("/")[2].upper()
    install = _INSTALL[repository].format(name=name, version=f"{version}.0" if version else "999.0")
    return Verify(setup=(install, _PUT_BACK), test="pytest --assert=plain" if created < _OLD_PYTEST else "pytest")


REPOSITORIES = tuple(_INSTALL)


SECONDS = 600.0
FIXED, NOT_FIXED, NOTHING = "fixed", "not fixed", "nothing"


def says(results: Collection[TestResult]) -> str:
    """`fixed` where all of them pass, `not fixed` where one does not, `nothing` without any."""
    if not results:
        return NOTHING
    return FIXED if all(result.status is TestStatus.PASSED for result in results) else NOT_FIXED


def hidden_tests(
    directory: Path,
    sha: str,
    owner: str,
    policy: Verify,
    files: Mapping[str, bytes],
    tests: Sequence[str],
    executor: Executor,
    settings: Settings,
) -> tuple[TestResult, ...]:
    """What they said; none where nothing could be run.

    directory: git's. owner: whose environments may be shared. files: laid over the commit's. tests: as pytest names
    them; without any, all of the commit's.
    """
    with tree(RevisionSource(directory, sha), sha) as place:
        prepared = prepare(Setup(executor, policy, settings, Origin(owner)), Program(place, {}))
        if isinstance(prepared, EnvironmentProblem):
            return ()
        with prepared:
            suite = prepared.suite(prepared.base, files, tuple(tests))
            run = run_suite(executor, prepared.base.program, suite, seconds=SECONDS)
    return () if run.problem else run.results
