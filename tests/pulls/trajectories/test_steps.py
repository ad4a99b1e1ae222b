"""What command lines were for."""

from bot.pulls.trajectories.steps import place, steps_of
from bot.pulls.trajectories.values import StepKind
from tests.support.cases import cases


@cases
def test_what_a_line_is_for(line: str, kind: StepKind) -> None:
    kinds = {step.kind for step in steps_of(line, "")}
    assert kind in kinds
    assert kinds <= {
        kind,
        StepKind.OTHER,
        *([StepKind.EDIT] if ">" in line else []),
        *([StepKind.READ] if "|" in line else []),
    }


@cases
def test_which_file(line: str, paths: list[str]) -> None:
    assert [step.path for step in steps_of(line, "/repo")] == paths


@cases
def test_which_part_is_read(line: str, part: str) -> None:
    (step,) = steps_of(line, "")
    assert (step.kind, step.path, step.part) == (StepKind.READ, "a.py", part)


def test_a_patch_in_a_here_document_is_an_edit_of_its_files() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** Add File: b.py\n+y = 1\n*** End Patch"
    steps = steps_of(f"cd src && apply_patch <<'EOF'\n{patch}\nEOF", "/repo")
    assert [(step.kind, step.path) for step in steps] == [
        (StepKind.EDIT, "/repo/src/a.py"),
        (StepKind.EDIT, "/repo/src/b.py"),
    ]


def test_several_commands_on_one_line_are_several_steps() -> None:
    kinds = [step.kind for step in steps_of("sed -i s/a/b/ a.py && pytest && git log -1", "")]
    assert kinds == [StepKind.EDIT, StepKind.TEST, StepKind.OTHER]


def test_a_script_that_writes_files_may_have_changed_any() -> None:
    (step,) = steps_of("python - <<'EOF'\nfrom pathlib import Path\nPath('a').write_text('x')\nEOF", "")
    assert (step.kind, step.path) == (StepKind.EDIT, "")


@cases
def test_paths_are_written_one_way(cwd: str, path: str, expected: str) -> None:
    assert place(cwd, path) == expected


def test_a_path_that_is_too_long_is_none() -> None:
    assert place("/repo", "a" * 1000) == ""
