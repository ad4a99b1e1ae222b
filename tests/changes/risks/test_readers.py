"""What asks for a person by who reads a file, and by what hides in it: each trick beside its honest twin."""

from bot.changes.read import read_change
from bot.changes.risks.builds import builds
from bot.changes.risks.catalogue import MOST_WHOLE, risks_of
from bot.changes.risks.values import Holds
from bot.changes.values import FileChange
from bot.child_process import TooLong
from tests.changes.parts import diff_of
from tests.support.cases import cases


def held(files: dict[str, tuple[str, str]], there: dict[str, str]) -> set[str]:
    """The checks that ask for a person. files: before and after, new where there is nothing before."""
    new = "new file mode 100644\n--- /dev/null\n"
    diffs = {path: diff_of(path, *texts) for path, texts in files.items()}
    for path, (before, _) in files.items():
        diffs[path] = diffs[path] if before else diffs[path].replace(f"--- a/{path}\n", new)
    known = {path: (text, text) for path, text in there.items()}
    known |= {path: texts for path, texts in files.items() if texts[0]}

    def whole(file: FileChange) -> tuple[str, str] | None:
        return known.get(file.path)

    found = risks_of(read_change("".join(diffs.values())), "", "", whole)
    assert not isinstance(found, TooLong)
    return {risk.check for risk in found if risk.holds is Holds.ALWAYS}


@cases
def test_files_by_who_reads_them(path: str, before: str, after: str, check: str) -> None:
    assert held({path: (before, after)}, {}) == ({check} if check else set())


@cases
def test_code_that_a_manifest_has_started(path: str, manifest: str, text: str, holds: bool) -> None:
    assert held({path: ("A = 1\n", "A = 2\n")}, {manifest: text}) == ({"install_script"} if holds else set())


@cases
def test_packages_that_are_none_any_more(gone: str, new: str, holds: bool) -> None:
    diff = f"diff --git a/{gone} b/{gone}\ndeleted file mode 100644\nindex 000..000\n"
    if new:
        diff += f"diff --git a/{gone} b/{new}\nsimilarity index 100%\nrename from {gone}\nrename to {new}\n"
        diff = diff[diff.index("diff", 1) :]
    found = risks_of(read_change(diff), "", "", lambda file: None)
    assert not isinstance(found, TooLong)
    assert [risk.check for risk in found if risk.holds is Holds.ALWAYS] == (["packaging_changed"] if holds else [])


@cases
def test_lock_files(path: str, before: str, old: str, new: str, holds: bool) -> None:
    after = before.replace(old, new)
    assert after != before
    assert held({path: (before, after)}, {}) == ({"dependency_source"} if holds else set())


@cases
def test_what_a_new_file_stands_before(path: str, there: dict[str, str], holds: bool) -> None:
    assert ("tools_shadowed" in held({path: ("", "A = 1\n")}, there)) is holds


@cases
def test_code_that_hides_its_text(path: str, lines: str, checks: set[str]) -> None:
    assert held({path: ("x\n", f"x\n{lines}\n")}, {}) == checks


@cases
def test_code_that_hides_where_not_all_is_seen(
    around: str, line: str, moved: bool, known: bool, checks: set[str]
) -> None:
    """Where the end of one text and the beginning of the next are all that a hunk shows, what is between looks like a
    text; and of a long file not all is read."""
    above, below = around.replace("MANY", "\n" * 40_000).split("…")
    texts = f"{above}{below}", f"{above}{line.replace('MANY', chr(10) * 40_000)}\n{below}"
    diff = diff_of("shop/cart.py", *texts)
    if moved:
        told = "similarity index 90%\nrename from shop/pack.py\nrename to shop/cart.py\n--- a/shop/pack.py"
        diff = diff.replace("--- a/shop/cart.py", told)
    found = risks_of(read_change(diff), "", "", lambda file: texts if known and file.path == "shop/cart.py" else None)
    assert not isinstance(found, TooLong)
    assert {risk.check for risk in found if risk.holds is Holds.ALWAYS} == checks


def looks_at(path: str, before: str, after: str) -> bool:
    return bool(held({path: (before, after)}, {"shop/__init__.py": ""}))


@cases
def test_shapes_of_real_changes(path: str, before: str, after: str, looks: bool, why: str) -> None:
    assert looks_at(path, before, after) is looks, why


@cases
def test_shapes_of_real_changes_that_are_still_called_otherwise(
    path: str, before: str, after: str, looks: bool, why: str
) -> None:
    """Whoever mends one moves it."""
    assert looks_at(path, before, after) is not looks, why


def test_what_builds_asks_for_leaves_room_for_other_files() -> None:
    """Of many folders the manifests of a few are asked for, and each is read once."""
    files = "".join(diff_of(f"a{number}/b.py", "a = 1\n", "a = 2\n") for number in range(90))
    asked = list[str]()
    assert not [*builds(read_change(files), lambda file: asked.append(file.path))]
    assert len(asked) == len(set(asked)) < MOST_WHOLE
