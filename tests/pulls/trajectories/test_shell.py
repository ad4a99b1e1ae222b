"""Command lines as the simple commands they run."""

from bot.pulls.trajectories.shell import MOST_COMMANDS, ShellCommand, pipelines
from tests.support.cases import cases


def commands(line: str) -> list[ShellCommand]:
    return [command for pipeline in pipelines(line) for command in pipeline]


def words(line: str) -> list[str]:
    return [" ".join(command.words) for command in commands(line)]


@cases
def test_what_a_line_runs(line: str, expected: list[str]) -> None:
    assert words(line) == expected


def test_a_here_document_belongs_to_its_command_and_is_no_command() -> None:
    line = "cat > a.py <<'EOF'\npytest\nEOF\npython a.py"
    assert commands(line) == [
        ShellCommand(("cat",), ("a.py",), stdin="pytest\n"),
        ShellCommand(("python", "a.py")),
    ]


def test_a_shell_runs_its_here_document() -> None:
    assert words("bash <<EOF\npytest\nEOF") == ["pytest"]


def test_where_the_output_goes() -> None:
    one, two, three = commands("a > x; b >> y 2> errors; c &> z")
    assert (one.writes, two.writes, three.writes) == (("x",), ("y",), ("z",))


def test_the_directory_a_command_runs_in() -> None:
    assert [command.cwd for command in commands("a; cd x; b; cd y; c; cd /z; d")] == ["", "x", "x/y", "/z"]


def test_what_is_piped_belongs_together() -> None:
    names = [[command.name for command in pipeline] for pipeline in pipelines("a | b 2>&1 |& c && d; e || f | g")]
    assert names == [["a", "b", "c"], ["d"], ["e"], ["f", "g"]]


def test_a_shell_in_a_shell_is_followed_only_so_far() -> None:
    line = "pytest"
    for _ in range(10):
        line = "bash -c " + "'" + line.replace("'", "'\\''") + "'"
    assert all(command.name == "bash" for command in commands(line))


def test_commands_are_bounded() -> None:
    assert len(commands("echo a; " * 1_000)) == MOST_COMMANDS
