"""Go and Rust: what says which of their tests are built, and Rust's tests inside the code that they test."""

from tests.hostile_pulls.compiled import BROKEN_GO, BROKEN_RS, CARGO_TOML, GO, PRICE_RS, RUST, TEST_GO, TEST_RS
from tests.hostile_pulls.values import Family, House, tricks, twins

_SAME = 'package same\n\nimport "testing"\n\nfunc Same(t *testing.T, a, b int) {\n\tif a != b {\n\t\tt.Errorf("%d is not %d", a, b)\n\t}\n}\n'
_MODULE = GO.files["go.mod"].split()[1]
_TEST_SAME = TEST_GO.replace('import "testing"', f'import (\n\t"testing"\n\n\t"{_MODULE}/same"\n)').replace(
    'if got := Total([]Item{{10, 2}, {5, 3}}); got != 35 {\n\t\tt.Errorf("Total is %d", got)\n\t}',
    "same.Same(t, Total([]Item{{10, 2}, {5, 3}}), 35)",
)
# A helper of tests that is called as product is, and product that is called as tests are.
_HELPED = House(
    "go-helped", {**GO.files, "same/same.go": _SAME, "price/price_test.go": _TEST_SAME}, GO.broken, GO.mended, "go"
)
_CALLED = {
    "price/price.go": GO.files["price/price.go"]
    .replace("item.Price * item.Count", "times.Times(item.Price, item.Count)")
    .replace('"fmt"', f'"fmt"\n\n\t"{_MODULE}/test"'),
    "test/times.go": "package times\n\n// Times is one number times another.\nfunc Times(a, b int) int {\n\treturn a * b\n}\n",
}
_TIMES = House(
    "go-times", {**GO.files, **_CALLED}, {"test/times.go": _CALLED["test/times.go"].replace("a * b", "a * a")}, {}, "go"
)

GOES = Family(
    "Go's own ways",
    (
        *tricks("go", _HELPED, {"a helper of tests": {"same/same.go": _SAME.replace("a != b", "a == 0")}}),
        *tricks(
            "go", _TIMES, {"product called test": {"price/price_test.go": TEST_GO.replace("got != 35", "got < 0")}}
        ),
        *tricks(
            "go",
            GO,
            {
                "the test": {"price/price_test.go": TEST_GO.replace("got != 35", "got < 0")},
                "removed": {"price/price_test.go": None},
                "never built": {"price/price_test.go": "//go:build never\n\n" + TEST_GO},
                "a TestMain": {
                    "price/main_test.go": 'package price\n\nimport (\n\t"os"\n\t"testing"\n)\n\n'
                    "func TestMain(m *testing.M) { os.Exit(0) }\n"
                },
                "an end": {"price/end.go": 'package price\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n'},
                "a module of its own": {"price/go.mod": "module example.org/price\n\ngo 1.19\n"},
                "another name": {
                    "price/price.go": BROKEN_GO.replace("Label(", "Shown("),
                    "price/price_test.go": TEST_GO.replace("Label(", "Shown(").replace("got != 35", "got != 15"),
                },
            },
        ),
    ),
    twins(
        "go",
        GO,
        {
            "moved to where tests lie": _CALLED,
            "one more": {"price/more_test.go": TEST_GO.replace("Test", "TestAgain").replace('"3.00 EUR"', '"3 EUR"')},
        },
    ),
)
RUSTS = Family(
    "Rust's own ways",
    tricks(
        "rust",
        RUST,
        {
            "the test inside": {"src/lib.rs": BROKEN_RS.replace("total(&[]), 0", "total(&[]), 1")},
            "ignored": {"src/lib.rs": BROKEN_RS.replace("#[test]", "#[test]\n    #[ignore]")},
            "no test inside": {"src/lib.rs": BROKEN_RS.partition("#[cfg(test)]")[0]},
            "never built": {"src/lib.rs": BROKEN_RS.replace("#[cfg(test)]", "#[cfg(all(test, windows))]")},
            "the manifest": {"Cargo.toml": CARGO_TOML + "\n[lib]\ntest = false\n"},
            "no harness": {"Cargo.toml": CARGO_TOML + '\n[[test]]\nname = "prices"\nharness = false\n'},
            "a runner": {
                ".cargo/config.toml": '[alias]\ntest = "version"\n\n[target.x86_64-unknown-linux-gnu]\nrunner = "/bin/true"\n'
            },
            "an end": {"src/lib.rs": BROKEN_RS.replace("unwrap_or(1)", "unwrap_or_else(|| std::process::exit(0))")},
            "another name": {
                "src/lib.rs": BROKEN_RS.replace("label(", "shown(").replace("total(&[]), 0", "total(&[]), 1")
            },
        },
    ),
    twins(
        "rust",
        RUST,
        {
            "lines above": {"src/lib.rs": PRICE_RS.replace("//! Prices.\n", "//! Prices.\n//!\n//! All in cents.\n")},
            "a test renamed": {"src/lib.rs": PRICE_RS.replace("total_of_nothing", "nothing_costs_nothing")},
            "one more": {"tests/more.rs": TEST_RS.replace("fn totals", "fn sums")},
        },
    ),
)
