"""Every test that needs a database runs on either kind, and what is said of that is so."""

from pathlib import Path

import pytest

from tests.support.databases import NEEDED_BY, ON_POSTGRESQL

ROOT = Path(__file__).parents[2]
# Files that speak of SQLite without a database of the tests: they tell addresses, or use none of `bot.storage`.
SPEAKING = {"tests/packaging/test_container.py", "tests/docs/test_databases.py", "tests/support/sqlite.py"}


def test_a_file_of_sqlites_is_opened_only_where_a_test_is_about_sqlite() -> None:
    for path in (ROOT / "tests").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "sqlite:///" in text and str(path.relative_to(ROOT)) not in SPEAKING:
            assert "mark.sqlite(" in text, f"{path}: ask for `databases`, or say @pytest.mark.sqlite(why)"


def test_a_test_that_asks_for_a_database_is_marked(request: pytest.FixtureRequest) -> None:
    needing = [item for item in request.session.items if NEEDED_BY.intersection(getattr(item, "fixturenames", ()))]
    assert all(item.get_closest_marker("database") for item in needing)
    about = [item for item in request.session.items if item.get_closest_marker("sqlite")]
    assert all((item.get_closest_marker("skip") is not None) == ON_POSTGRESQL for item in about)
