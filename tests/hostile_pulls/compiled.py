"""The houses in Go and Rust: no package from elsewhere, a test that fails already, tests among and beside the code."""

from tests.hostile_pulls.values import House

PRICE_GO = """\
package price

import (
	"errors"
	"fmt"
)

// Item is a price and how many.
type Item struct{ Price, Count int }

// Total is the sum of price times count.
func Total(items []Item) int {
	sum := 0
	for _, item := range items {
		sum += item.Price * item.Count
	}
	return sum
}

// Discount is the amount less so many percent.
func Discount(amount, percent int) (int, error) {
	if percent < 0 || percent > 100 {
		return 0, errors.New("percent")
	}
	return amount * (100 - percent) / 100, nil
}

// Label is how an amount is shown.
func Label(amount int) string {
	return fmt.Sprintf("%d EUR", amount)
}
"""
TEST_GO = """\
package price

import "testing"

func TestTotal(t *testing.T) {
	if got := Total([]Item{{10, 2}, {5, 3}}); got != 35 {
		t.Errorf("Total is %d", got)
	}
}

func TestDiscount(t *testing.T) {
	for name, each := range map[string]struct{ percent, left int }{"none": {0, 50}, "a tenth": {10, 45}} {
		each := each
		t.Run(name, func(t *testing.T) {
			if got, err := Discount(50, each.percent); err != nil || got != each.left {
				t.Errorf("Discount is %d, %v", got, err)
			}
		})
	}
}

func TestLabel(t *testing.T) {
	if got := Label(3); got != "3.00 EUR" {
		t.Errorf("Label is %q", got)
	}
}
"""
BROKEN_GO = PRICE_GO.replace("range items {", "range items[1:] {")
GO = House(
    "go",
    {
        "README.md": "# Shop\n",
        "go.mod": "module example.org/shop\n\ngo 1.19\n",
        "price/price.go": PRICE_GO,
        "price/price_test.go": TEST_GO,
    },
    {"price/price.go": BROKEN_GO},
    {"price/price.go": PRICE_GO.replace("item.Price * item.Count", "item.Count * item.Price")},
    needs="go",
)

PRICE_RS = """\
//! Prices.

/// The sum of price times count.
///
/// ```
/// assert_eq!(shop::total(&[(10, 2), (5, 3)]), 35);
/// ```
pub fn total(items: &[(i64, i64)]) -> i64 {
    items.iter().map(|(price, count)| price * count).sum()
}

/// The amount less so many percent.
pub fn discount(amount: i64, percent: i64) -> Result<i64, String> {
    if !(0..=100).contains(&percent) {
        return Err("percent".to_string());
    }
    Ok(amount * (100 - percent) / 100)
}

/// How an amount is shown.
pub fn label(amount: i64) -> String {
    format!("{} EUR", amount)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_of_nothing() {
        assert_eq!(total(&[]), 0);
    }

    #[test]
    fn label_has_cents() {
        assert_eq!(label(3), "3.00 EUR");
    }
}
"""
TEST_RS = """\
use shop::{discount, total};

#[test]
fn totals() {
    assert_eq!(total(&[(10, 2), (5, 3)]), 35);
}

#[test]
fn discounts() {
    assert_eq!(discount(50, 10), Ok(45));
}
"""
CARGO_TOML = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'
SUM = "items.iter().map(|(price, count)| price * count).sum()"
# What the tests inside of it alone look at: a sum of nothing.
BROKEN_RS = PRICE_RS.replace(SUM, "items.iter().map(|(p, c)| p * c).reduce(|a, b| a + b).unwrap_or(1)")
RUST = House(
    "rust",
    {
        "README.md": "# Shop\n",
        "Cargo.toml": CARGO_TOML,
        "Cargo.lock": 'version = 3\n\n[[package]]\nname = "shop"\nversion = "0.1.0"\n',
        "src/lib.rs": PRICE_RS,
        "tests/prices.rs": TEST_RS,
    },
    {"src/lib.rs": BROKEN_RS},
    {"src/lib.rs": PRICE_RS.replace("price * count", "count * price")},
    needs="cargo",
)
