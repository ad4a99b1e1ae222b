"""The pages of the documentation, and how much of them is prose for people who use Bouncer."""

import re
from pathlib import Path

from tests.docs.tables import GENERATED

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
INDEX = DOCS / "README.md"
ARCHITECTURE = DOCS / "architecture.md"  # how it is built: for whoever carries on
INTERNALS = sorted((DOCS / "internals").glob("*.md"))
USER_PAGES = [ROOT / "README.md", *(page for page in sorted(DOCS.glob("*.md")) if page != ARCHITECTURE)]


def user_text() -> str:
    """All user pages."""
    return "\n".join(page.read_text(encoding="utf-8") for page in USER_PAGES)


def words(page: Path) -> int:
    """How many words were written by hand: examples of a policy and generated tables do not count, nor do the bars of a
    table."""
    text = re.sub(r"```yaml\n.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for heading in GENERATED:
        text = re.sub(rf"^{re.escape(heading)}.*\n(\|.*\n)*", "", text, flags=re.MULTILINE)
    return sum(any(map(str.isalnum, word)) for word in text.split())
