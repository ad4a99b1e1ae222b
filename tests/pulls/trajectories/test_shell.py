"""Command lines as the simple commands they run."""

import pytest

from bot.pulls.trajectories.shell import MOST_COMMANDS, ShellCommand, pipelines


def commands(line: str) -> list[ShellCommand]:
    return [command for pipeline in pipelines(line) for command in pipeline]


def words(line: str) -> list[str]:
    return [" ".join(command.words) for command in commands(line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pytest -q", ["pytest -q"]),
        ("cd api && pytest -q", ["pytest -q"]),
        ("a; b\nc & d || e", ["a", "b", "c", "d", "e"]),
        ("A=1 B='2 3' pytest", ["pytest"]),
        ("env -u HOME A=1 pytest", ["pytest"]),
        ("timeout -k 5 60s pytest -x", ["pytest -x"]),
        ("time nice -n 5 nohup pytest", ["pytest"]),
        ("sudo -u nobody make test", ["make test"]),
        ("python -m pytest tests", ["pytest tests"]),
        ("python3.11 -X dev -m unittest -v", ["unittest -v"]),
        ("python -m coverage run -m pytest", ["pytest"]),
        ("coverage run --source=x script.py", ["script.py"]),
        ("uv run --with hypothesis pytest", ["pytest"]),
        ("poetry run python -m pytest", ["pytest"]),
        ("bundle exec rspec", ["rspec"]),
        ("npx --yes jest", ["jest"]),
        ("find . -name '*.py' | xargs -n 1 grep foo", ["find . -name *.py", "grep foo"]),
        ('bash -lc "cd x && go test ./..."', ["go test ./..."]),
        ("bash -o pipefail -c 'make check | tee log'", ["make check", "tee log"]),
        ("sh run.sh -c x", ["sh run.sh -c x"]),
        ("if true; then pytest; else echo no; fi", ["true", "pytest", "echo no"]),
        ("for f in *.py; do (cat $f); done", ["cat $f"]),
        ("f() { pytest; }; [ -d x ] && f", ["pytest", "f"]),
        ("cat <<A | grep x > y && ls\nz\nA", ["cat", "grep x", "ls"]),
        ("! grep foo bar", ["grep foo bar"]),
        ('grep "a && b | c" file', ["grep a && b | c file"]),
        (r"grep \; x", ["grep ; x"]),
        ("echo a # pytest", ["echo a"]),
        ("# pytest\nls", ["ls"]),
        ("echo $(git log -1)", ["echo $(git log -1)", "git log -1"]),
        ("git -C /x --no-pager log", ["git log"]),
        ("pytest 2>&1 | tail -5", ["pytest", "tail -5"]),
        ("pytest 'unclosed && ls", ["pytest"]),
        ("", []),
        ("cd somewhere", []),
        ("A=1", []),
    ],
)
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
    assert (one.writes, one.appends) == (("x",), False)
    assert (two.writes, two.appends) == (("y",), True)
    assert three.writes == ("z",)


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
