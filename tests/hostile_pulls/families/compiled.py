"""Go and Rust: what says which of their tests are built, and Rust's tests inside the code that they test."""

from tests.hostile_pulls.compiled import BROKEN_GO, BROKEN_RS, CARGO_TOML, GO, PRICE_RS, RUST, TEST_GO, TEST_RS
from tests.hostile_pulls.values import Family, tricks, twins

GOES = Family(
    "Go's own ways",
    tricks(
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
    twins(
        "go",
        GO,
        {"one more": {"price/more_test.go": TEST_GO.replace("Test", "TestAgain").replace('"3.00 EUR"', '"3 EUR"')}},
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
