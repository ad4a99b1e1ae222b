"""What the lines of a diff say about its tests, in several languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.demands import Demands, demands
from bot.changes.read import read_change
from tests.changes.parts import change_of
from tests.support.properties import patient

PATH = "tests/test_a.py"
ONE = "def test_one():\n    assert f(1) == 1\n"
TWO = "def test_two():\n    assert f(2) == 2\n"
HERE = (PATH,)


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        (PATH, ONE, ONE + TWO, Demands(added=HERE)),
        (PATH, ONE + TWO, ONE, Demands(removed=HERE)),
        (PATH, ONE, "@pytest.mark.skip\n" + ONE, Demands(skipped=HERE)),
        (PATH, ONE, "@pytest.mark.xfail(reason='x')\n" + ONE, Demands(skipped=HERE)),
        (PATH, ONE, "@unittest.skipIf(X, 'x')\n" + ONE, Demands(skipped=HERE)),
        (PATH, ONE, ONE + "@pytest.mark.skipif(X)\n" + TWO, Demands(added=HERE)),  # a new test may have its reasons
        (PATH, ONE + "    assert g()\n", ONE, Demands(fewer=HERE)),
        (PATH, ONE, ONE.replace("    assert", "    # assert"), Demands(fewer=HERE)),
        (PATH, ONE, ONE.replace(" == 1", ""), Demands(looser=HERE)),
        (PATH, ONE, ONE.replace("f(1) == 1", "f(1) is not None"), Demands(looser=HERE)),
        (PATH, ONE, ONE.replace("f(1) == 1", "True"), Demands(looser=HERE)),
        (PATH, "self.assertEqual(a, b)\n", "self.assertAlmostEqual(a, b)\n", Demands(looser=HERE)),
        (PATH, "self.assertEqual(a, b)\n", "self.assertTrue(a)\n", Demands(looser=HERE)),
        (PATH, "with pytest.raises(KeyError):\n", "with pytest.raises(Exception):\n", Demands(looser=HERE)),
        (PATH, ONE, ONE.replace("== 1", "== 3"), Demands()),  # another value is not a weaker one
        (PATH, ONE, ONE + "    assert g() is not None\n", Demands()),
        (PATH, ONE, ONE.replace("f(1)", "f( 1 )"), Demands()),
        ("src/a.py", ONE + TWO, ONE, Demands()),
        ("a.test.js", "it('adds', () => {\n", "it.skip('adds', () => {\n", Demands(skipped=("a.test.js",))),
        (
            "a.test.js",
            "it('adds', () => {\n",
            "xit('adds', () => {\n",
            Demands(removed=("a.test.js",), skipped=("a.test.js",)),
        ),
        ("a.test.js", "test('a', f)\ntest('b', f)\n", "test('a', f)\n", Demands(removed=("a.test.js",))),
        ("a.test.js", "expect(a).toBe(1)\n", "expect(a).toBeTruthy()\n", Demands(looser=("a.test.js",))),
        ("a.test.js", "expect(a).toThrow(E)\n", "expect(a).toThrow()\n", Demands(looser=("a.test.js",))),
        (
            "a_test.go",
            "func TestA(t *testing.T) {\n",
            "func TestA(t *testing.T) {\n\tt.Skip()\n",
            Demands(skipped=("a_test.go",)),
        ),
        ("tests/a.rs", "#[test]\nfn a() {\n", "#[test]\n#[ignore]\nfn a() {\n", Demands(skipped=("tests/a.rs",))),
        (
            "CartTest.java",
            "@Test\nvoid testA() {\n",
            "@Disabled\n@Test\nvoid testA() {\n",
            Demands(skipped=("CartTest.java",)),
        ),
    ],
)
def test_demands(path: str, before: str, after: str, expected: Demands) -> None:
    assert demands(change_of((path, before, after))) == expected


def test_a_moved_test_is_not_gone() -> None:
    assert demands(change_of((PATH, ONE + TWO, ONE), ("tests/test_b.py", "x = 1\n", "x = 1\n" + TWO))) == Demands()


def test_a_deleted_file_of_tests() -> None:
    diff = f"diff --git a/{PATH} b/{PATH}\ndeleted file mode 100644\n--- a/{PATH}\n+++ /dev/null\n@@ -1,2 +0,0 @@\n"
    diff += "".join(f"-{line}\n" for line in ONE.splitlines())
    assert demands(read_change(diff)) == Demands(removed=HERE)


@pytest.mark.parametrize(
    ("old", "new", "hidden"),
    [
        ("test_a.py", "olden.txt", True),
        ("tests/test_a.py", "tests/a.py", True),
        ("__tests__/a.js", "src/a.js", True),
        ("tests/test_a.py", "tests/unit/test_a.py", False),
        ("src/a.py", "src/b.py", False),
    ],
)
def test_a_test_renamed_out_of_sight(old: str, new: str, hidden: bool) -> None:
    diff = f"diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n"
    assert demands(read_change(diff)) == Demands(renamed=(new,) if hidden else ())


@patient
@given(st.text(), st.text())
def test_any_text(before: str, after: str) -> None:
    if before != after:
        demands(change_of((PATH, before, after)))
