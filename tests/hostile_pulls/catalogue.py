"""Every house, every family of pull requests, and the published kinds of agents' exploits that each family tries."""

from pathlib import Path

import yaml

from tests.hostile_pulls.reading import read_family, read_houses

_HERE = Path(__file__).parent
_KINDS = yaml.safe_load((_HERE / "kinds.yaml").read_text())
_HOUSES = read_houses(_HERE / "houses.yaml")
HOUSES = tuple(_HOUSES.values())
FAMILIES = tuple(read_family(path, _HOUSES) for path in sorted((_HERE / "families").glob("*.yaml")))
# What a newer attack found: some is held by now, some is not. `lab.benchmarks.newer_tricks` counts it.
NEWER = tuple(read_family(path, _HOUSES) for path in sorted((_HERE / "newer").glob("*.yaml")))
COVERED: dict[str, tuple[str, ...]] = _KINDS["covered"]
NOT_HERE: dict[str, str] = _KINDS["not here"]
# What an index serves to a change that wants a package, and what pytest needs of one.
PACKAGES = {
    "wording": "WORD = 'EUR'\n",
    "helping": "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n",
}
INSTALLED = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
