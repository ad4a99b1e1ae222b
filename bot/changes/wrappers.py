"""Programs that only run another one, one table, and the command that they run."""

import re
from posixpath import basename

# Programs that run another one: the word behind which it stands (empty: at once), how many words of their own stand
# before it, and their options that take a value.
_WRAPPERS: dict[str, tuple[str, int, str]] = {
    "env": ("", 0, "-u -C --chdir --unset"),
    "sudo": ("", 0, "-u -g"),
    "timeout": ("", 1, "-s -k --signal --kill-after"),
    "gtimeout": ("", 1, "-s -k --signal --kill-after"),
    "nice": ("", 0, "-n"),
    "ionice": ("", 0, "-c -n"),
    "nohup": ("", 0, ""),
    "command": ("", 0, ""),
    "exec": ("", 0, ""),
    "time": ("", 0, "-f -o"),
    "stdbuf": ("", 0, "-i -o -e"),
    "xvfb-run": ("", 0, "-s -n -e -f --server-args"),
    "xargs": ("", 0, "-n -I -P -L -d -a -s"),
    "npx": ("", 0, "-p --package"),
    "bunx": ("", 0, ""),
    "uvx": ("", 0, "--from --with -p --python --index-url"),
    "dotenv": ("", 0, "-f -e"),
    "cross-env": ("", 0, ""),
    "uv": (
        "run",
        0,
        "--with --group --extra -p --python --project --directory --package --no-group --only-group --with-requirements"
        " --with-editable --env-file --index-url --resolution",
    ),
    "poetry": ("run", 0, "-C --directory -P --project"),
    "pipenv": ("run", 0, ""),
    "pdm": ("run", 0, "-p --project"),
    "hatch": ("run", 0, "-e --env"),
    "rye": ("run", 0, ""),
    "pixi": ("run", 0, "-e --environment --manifest-path"),
    "conda": ("run", 0, "-n --name -p --prefix"),
    "mamba": ("run", 0, "-n --name -p --prefix"),
    "micromamba": ("run", 0, "-n --name -p --prefix"),
    "coverage": ("run", 0, "--source --rcfile --omit --include --context --data-file --concurrency --debug"),
    "slipcover": ("", 0, "--source --omit --out"),
    "c8": ("", 0, "-r --reporter"),
    "nyc": ("", 0, "-r --reporter"),
    "retry": ("", 0, ""),
    "dbus-run-session": ("", 0, ""),
    "pipx": ("run", 0, "--spec --python"),
    "bundle": ("exec", 0, ""),
    "pnpm": ("exec", 0, "--filter -F -C --dir"),
    "yarn": ("exec", 0, ""),
    "npm": ("exec", 0, ""),
    "python": ("-m", 0, ""),
}


def inner_command(words: tuple[str, ...]) -> tuple[str, ...]:
    """What a command runs; the command itself where it runs no other."""
    name = re.sub(r"^(?:python[\d.]*|py)$", "python", basename(words[0])) if words else ""
    plain = words
    if words[:3] == ("uv", "tool", "run"):
        name, plain = "uvx", words[2:]
    elif name == "python":  # `-m` perhaps behind other letters
        plain = tuple("-m" if re.fullmatch(r"-[A-Zbs]+m", word) else word for word in words)
    verb, own, valued = _WRAPPERS.get(name, (None, 0, ""))
    if verb is None or len(words) < 2 or (verb and not _stands_first(verb, plain)):
        return words
    return behind_options(plain[plain.index(verb) + 1 if verb else 1 :], valued, own)


def _stands_first(verb: str, words: tuple[str, ...]) -> bool:
    return verb in words[1:8] and (words[1] == verb or words[1].startswith("-")) and words[1] != "-c"


def behind_options(words: tuple[str, ...], valued: str, own: int = 0) -> tuple[str, ...]:
    """valued: the options that take a word. own: how many words more are the program's own."""
    position = 0
    while position < len(words):
        word = words[position]
        if word == "-m":  # `coverage run -m pytest`
            return words[position + 1 :]
        if word in valued.split():
            position += 1
        elif not word.startswith("-"):
            if not own:
                break
            own -= 1
        position += 1
    return words[position:]
