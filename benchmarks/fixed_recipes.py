"""How revisions of the reports' time are set up on this machine's Python: dependencies of the time, no tuning.

Of what Python 3.10 and 3.11 took away a few names are put back, as far as an assignment can do that; revisions that
need more do not run here and are counted as not covered.
"""

from bot.policy import Verify

_EACH = "list(map(setattr, repeat(collections), abc.__all__, map(getattr, repeat(abc), abc.__all__)))"
_NAMES = (
    f"import collections, fractions, inspect, math; from collections import abc; from itertools import repeat; {_EACH};"
    " inspect.getargspec = lambda function, full=inspect.getfullargspec: full(function)[:4]; fractions.gcd = math.gcd"
)
_PUT_BACK = (
    f"""python -c 'import sysconfig; open(sysconfig.get_path("purelib") + "/names.pth", "w").write("{_NAMES}")'"""
)
_SCIENCE = "numpy==1.23.5 pandas==1.5.3 'setuptools<66'"

# Where the code lies at the top of the tree it need not be installed to be imported.
_INSTALL = {
    "psf/requests": "pip install 'urllib3<1.27' 'chardet<5' 'charset-normalizer<3' idna certifi 'pytest<8' pytest-mock",
    "pallets/flask": "pip install -e . 'werkzeug<2.4' 'jinja2<3.2' 'click<8.2' 'pytest<8'",
    "pytest-dev/pytest": "SETUPTOOLS_SCM_PRETEND_VERSION={version} pip install -e . attrs hypothesis 'setuptools<66'",
    "pylint-dev/pylint": "pip install -e . 'pytest<8' pytest-benchmark",
    "pydata/xarray": f"pip install {_SCIENCE} scipy==1.10.1 bottleneck==1.3.7 dask==2023.3.0 'pytest<8'",
    "mwaskom/seaborn": f"pip install {_SCIENCE} matplotlib==3.6.3 scipy==1.10.1 'pytest<8'",
    "sphinx-doc/sphinx": "pip install -e . 'docutils<0.18' 'jinja2<3.1' 'setuptools<66' html5lib 'pytest<8'",
    "sympy/sympy": "pip install mpmath==1.3.0 'pytest<8'",
}
_OLD_PYTEST = "2021-08-30"  # older ones cannot rewrite assertions on Python 3.10 and later (pytest 6.2.5)


def policy(repository: str, created: str, version: str) -> Verify:
    """created: when the report's fix was proposed, ISO 8601. version: of the project at that time, or empty."""
    install = _INSTALL[repository].format(version=f"{version}.0" if version else "999.0")
    plain = repository == "pytest-dev/pytest" and created < _OLD_PYTEST
    return Verify(setup=(install, _PUT_BACK), test="pytest --assert=plain" if plain else "pytest")


REPOSITORIES = tuple(_INSTALL)
