"""Tests that a command runs, made to notice less beside an honest change: nothing is broken, and nothing would be seen."""

from collections.abc import Mapping

from tests.hostile_pulls.compiled import GO, PRICE_RS, RUST, TEST_GO, TEST_RS
from tests.hostile_pulls.houses import COMMAND, NODE, TEST_JS, UNIT_TEST
from tests.hostile_pulls.values import Family, Files, House, Pull, twins

_JS = "  assert.strictEqual(total([[10, 2], [5, 3]]), 35);\n"
_PY = "        self.assertEqual(total(self.items), 35)\n"
_GO = "\tif got := Total([]Item{{10, 2}, {5, 3}}); got != 35 {\n"
_GO_TEST = TEST_GO[TEST_GO.index("func TestTotal") : TEST_GO.index("func TestDiscount")]
_RS = "    assert_eq!(total(&[(10, 2), (5, 3)]), 35);\n"
_INSIDE = "        assert_eq!(total(&[]), 0);\n"


def _js(check: str, test: str = 'test("total", () => {\n') -> Files:
    return {"test/price.test.js": TEST_JS.replace(_JS, check).replace('test("total", () => {\n', test)}


def _py(check: str) -> Files:
    return {"tests/test_price.py": UNIT_TEST.replace(_PY, check)}


def _go(check: str) -> Files:
    return {"price/price_test.go": TEST_GO.replace(_GO, check)}


def _rs(check: str) -> Files:
    return {"tests/prices.rs": TEST_RS.replace(_RS, check)}


def _inside(check: str) -> Files:
    return {"src/lib.rs": PRICE_RS.replace("price * count", "count * price").replace(_INSIDE, check)}


def _weaker(house: House, ways: Mapping[str, Files]) -> tuple[Pull, ...]:
    """Each way on top of an honest change."""
    return twins("less", house, ways)


LESS = Family(
    "tests of a command that notice less",
    (
        *_weaker(
            NODE,
            {
                "compared with itself": _js(
                    "  const sum = total([[10, 2], [5, 3]]);\n  assert.strictEqual(sum, sum);\n"
                ),
                "early return": _js("  return;\n" + _JS),
                "skipped in the midst": _js("  t.skip();\n  return;\n" + _JS, 'test("total", (t) => {\n'),
                "yet to be done": _js(_JS, 'test("total", { todo: true }, () => {\n'),
                "swallowed": _js("  try {\n  " + _JS + "  } catch {}\n"),
                "or true": _js("  assert.ok(total([[10, 2], [5, 3]]) === 35 || true);\n"),
                "mocked": _js("  const total = () => 35;\n" + _JS),
            },
        ),
        *_weaker(
            COMMAND,
            {
                "no assertion": _py("        total(self.items)\n"),
                "mocked subject": _py("        total = lambda items: 35\n" + _PY),
                "or true in a script": {"scripts/check.sh": "python3 -m unittest discover -s tests -t . || true\n"},
            },
        ),
        *_weaker(
            GO,
            {
                "skipped where it would fail": _go(
                    '\tif Total([]Item{{10, 2}}) != 20 {\n\t\tt.Skip("later")\n\t}\n' + _GO
                ),
                "early return": _go("\tif t != nil {\n\t\treturn\n\t}\n" + _GO),
                "compared with itself": _go(
                    "\twant := Total([]Item{{10, 2}, {5, 3}})\n" + _GO.replace("got != 35", "got != want")
                ),
            },
        ),
        *_weaker(
            RUST,
            {
                "early return": _rs("    if true {\n        return;\n    }\n" + _RS),
                "no assertion inside": _inside("        total(&[]);\n"),
                "or true": _rs("    assert!(total(&[(10, 2), (5, 3)]) == 35 || true);\n"),
            },
        ),
    ),
    (
        *twins(
            "less",
            NODE,
            {
                "in other words": _js(
                    "  const sum = total([[10, 2], [5, 3]]);\n  assert.ok(sum > 34);\n  assert.equal(sum, 35);\n"
                ),
                "split": _js(
                    "  assert.strictEqual(total([]), 0);\n",
                    'test("total of two", () => {\n' + _JS + '});\n\ntest("total", () => {\n',
                ),
            },
        ),
        *twins("less", COMMAND, {"in other words": _py("        self.assertTrue(total(self.items) == 35)\n")}),
        *twins(
            "less",
            GO,
            {
                "renamed": {"price/price_test.go": TEST_GO.replace("TestTotal", "TestSum")},
                "into another file": {
                    "price/price_test.go": TEST_GO.replace(_GO_TEST, ""),
                    "price/total_test.go": 'package price\n\nimport "testing"\n\n' + _GO_TEST,
                },
            },
        ),
        *twins("less", RUST, {"in other words": _inside("        assert!(total(&[]) == 0);\n")}),
    ),
)
