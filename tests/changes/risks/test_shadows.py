"""New files that are loaded where something else was: each way, and what only looks like it."""

from bot.changes.read import read_change
from bot.changes.risks.shadows import takers
from bot.changes.values import FileChange
from tests.changes.parts import change_of
from tests.support.cases import cases

NEW = "diff --git a/{0} b/{0}\nnew file mode 100644\n--- /dev/null\n+++ b/{0}\n@@ -0,0 +1 @@\n+{1}\n"
MOVED = "diff --git a/{0} b/{1}\nsimilarity index 100%\nrename from {0}\nrename to {1}\n"


class Tree:
    """Files that a change leaves alone."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def whole(self, file: FileChange) -> tuple[str, str] | None:
        text = self.files.get(file.path)
        return None if text is None else (text, text)

    def mentions(self, texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        assert texts
        lines = ((path, line) for path, text in self.files.items() for line in text.split("\n"))
        return tuple((path, line) for path, line in lines if any(text in line for text in texts))


@cases
def test_what_is_loaded_instead(path: str, text: str, files: dict[str, str], held: bool) -> None:
    tree = Tree(files)
    found = list(takers(read_change(NEW.format(path, text)), tree.whole, tree.mentions))
    assert [(risk.check, risk.path, risk.line) for risk in found] == [("tools_shadowed", path, 1)] * held


@cases
def test_what_moves_takes_nobodys_place(before: str, after: str, files: dict[str, str]) -> None:
    tree = Tree(files)
    assert list(takers(read_change(MOVED.format(before, after)), tree.whole, tree.mentions)) == []


def test_where_nobody_can_say_who_has_a_name_it_may_be_anybodys() -> None:
    new = read_change(NEW.format("yaml.py", "load = None"))
    too_many = takers(new, lambda file: None, lambda texts: None if "import yaml" in texts else ())
    assert [risk.path for risk in too_many] == ["yaml.py"]
    assert list(takers(new, lambda file: None, lambda texts: None)) == [], "then nothing of the tree can be read"


def test_a_function_that_was_there_is_not_new() -> None:
    asked = Tree({"lib/draw.sh": ". plugins/shuf.sh\n. plugins/help.sh\nshuf -n 1"})
    edited = change_of(("plugins/shuf.sh", "shuf () {\n:\n}\n", "shuf() {\n:\n}\n"))
    assert list(takers(edited, asked.whole, asked.mentions)) == []
    added = change_of(("plugins/help.sh", "x\n", "x\nshuf() {\n"))
    assert [risk.line for risk in takers(added, asked.whole, asked.mentions)] == [2]
