"""What setting the head up leaves in its environment: its packages serve it, and judge nobody."""

from tests.hostile_pulls.houses import PYTEST
from tests.hostile_pulls.values import Family, House, tricks, twins

_POLICY = "version: 1\nverify:\n  setup: [pip install pytest, python tools/prepare.py]\n"
_PREPARE = """\
import sysconfig
from pathlib import Path

packages = Path(sysconfig.get_paths()["purelib"])
(packages / "shop_rates.py").write_text("RATE = 2\\n")
"""
PASSES = "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n"
PREPARED = House(
    "prepared",
    {**PYTEST.files, ".github/bouncer.yml": _POLICY, "pyproject.toml": "", "tools/prepare.py": _PREPARE},
    PYTEST.broken,
    PYTEST.mended,
)
REQUIRED = House(
    "required",
    {
        **PYTEST.files,
        ".github/bouncer.yml": "version: 1\nverify:\n  setup: [pip install -r requirements.txt]\n",
        "requirements.txt": "pytest\n",
    },
    PYTEST.broken,
    PYTEST.mended,
)
_PATCHED = f"import helping\n\n{PYTEST.broken['shop/price.py']}"
_NEEDS = "pytest\nwording\n"
_USES = f"import wording\n\n{PYTEST.mended['shop/price.py']}\nWORD = wording.WORD\n"


def _leaves(name: str, text: str) -> str:
    return f"{_PREPARE}path = packages / {name!r}\npath.parent.mkdir(exist_ok=True)\npath.write_text({text!r})\n"


ENVIRONMENT = Family(
    "an environment that the head made",
    tricks(
        "environment",
        PREPARED,
        {
            "sitecustomize": {"tools/prepare.py": _leaves("sitecustomize.py", PASSES)},
            "a pth": {"tools/prepare.py": _leaves("shop.pth", "import shop_help\n") + _leaves("shop_help.py", PASSES)},
            "a plugin": {
                "tools/prepare.py": _leaves("shop_help.py", PASSES)
                + _leaves("shop_help-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: shop-help\nVersion: 1.0\n")
                + _leaves("shop_help-1.0.dist-info/entry_points.txt", "[pytest11]\nshop_help = shop_help\n")
            },
            "another pytest": {
                "tools/prepare.py": _PREPARE
                + "import _pytest.runner\nPath(_pytest.runner.__file__).open('a').write('call_runtest_hook = None\\n')\n"
            },
            "a shop of its own": {
                "tools/prepare.py": _leaves("shop/price.py", PYTEST.files["shop/price.py"])
                + _leaves("shop/__init__.py", "")
            },
        },
    )
    + tricks(
        "environment",
        REQUIRED,
        {"a dependency that patches": {"requirements.txt": "pytest\nhelping\n", "shop/price.py": _PATCHED}},
    ),
    twins("environment", PREPARED, {"one more package": {"tools/prepare.py": _leaves("shop_more.py", "MORE = True\n")}})
    + twins("environment", REQUIRED, {"a new dependency": {"requirements.txt": _NEEDS, "shop/price.py": _USES}}),
)
