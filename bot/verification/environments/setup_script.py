"""Runs inside the sandbox: carries out the setup's command lines and leaves in /results what tests will need.

    /results/env     becomes /env: `venv`, `code` of test files (see code_script.py), `node` (each `node_modules`, as in
                     the tree), and the stores of go and cargo
    /results/made    files that setup added to the program's own tree, such as compiled modules

The way out is the proxy's unix socket, which tools cannot use; so a port on this sandbox's own loopback leads to it.
Exit status: 0, the number of the line that failed, or 125 when no environment could be begun. Given as text to
whatever Python is there: standard library only.
"""

import asyncio
import collections
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import zipfile

ENV = pathlib.Path("/results/env")
MADE = pathlib.Path("/results/made")
WORK = pathlib.Path("/work")
NODE = ENV / "node"
FINAL = "/env"
BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
MOST_MADE = 64 * 1024 * 1024  # bytes
NOT_MADE = {"node_modules", "__pycache__", ".git", ".eggs", "build", "target", ".pytest_cache"}
PINS = "/tmp/pins.txt"  # noqa: S108
UV = pathlib.Path("/tmp/uv")  # noqa: S108
COMMANDS = pathlib.Path("/tmp/commands")  # noqa: S108
# What builds packages, since builds from before PEP 660 make no links to the tree; and what runs tests with all that it
# needs: a pytest from before 7.2 was never meant for Python 3.11, one from before 6.2 not for the harness.
MAY_BE_YOUNGER = (
    *("setuptools", "setuptools-scm", "wheel", "flit", "flit-core", "poetry", "poetry-core"),
    *("hatchling", "hatch-vcs", "cython"),
    *("pytest", "pluggy", "iniconfig", "py", "packaging", "typing-extensions", "tomli", "attrs"),
)
ALWAYS_THERE = "2023-10-02"  # until Python 3.12 every new environment held setuptools, and programs relied on that
PINNING = "/tmp/pins.py"  # noqa: S108
PACKAGE = r"[A-Za-z0-9][\w.-]*(?:\[[\w., -]*\])?"
VERSION = r"[ \t]*={2,3}[ \t]*\w[\w.!+*-]*(?![ \t]*[\w.!+*,-])"
PIN = re.compile(rf"(?m)(^[ \t]*{PACKAGE}){VERSION}")
PINNED_WORD = re.compile(rf"((?<=[\s'\"]){PACKAGE}){VERSION}")
INSTALL = re.compile(r"""\b(?:pip[\d.]*|uv)(?:\s+-\S+)*\s+install\b(?:'[^']*'|"[^"]*"|[^'";&|\n])*""")
NAMED = re.compile(r"""(?:^|[\s'"])(?:(cd)\s+|(?:-[rc]|--requirement|--constraint)[\s=]?[ \t]*)['"]?([^\s'"&;|]+)""")
HASH = re.compile(r"(?:\s{0,9}\\\n)?\s{0,99}--hash=\S+")
TAIL = 16_000  # bytes of output that are told of a failure
# Code in C of before this Python seldom fits it: what cannot be built is taken as young as this Python is, and built
# only where that does not help either.
PIP = r"""#!/bin/sh
while :; do
    {uv} pip "$@" 2>{told} && exit
    code=$? younger=
    [ "$CC" = false ] || break
    failed=$(grep -o 'Failed to build `[A-Za-z0-9._-]*==' {told} | tr -d '`=' | sed 's/.* //' | sort -u)
    for name in $failed; do
        grep -q "^\"$name\" =" {config} || {{ echo "\"$name\" = \"{known}\"" >>{config}; younger=1; }}
    done
    [ "$younger" ] || {{ [ "$failed" ] || break; unset CC; }}
done
cat {told} >&2
exit $code
"""


def main() -> None:
    plan = json.loads(sys.argv[1])
    ENV.mkdir(parents=True)
    before, modules_before = {str(path) for path in files()}, set(node_modules())
    environment = {**os.environ, **tools(), **plan["variables"], **way_out()}
    if plan["loose"]:
        drop_pins(plan["setup"])
    make_history(plan["tags"], environment)
    make_manager(*plan["manager"])
    environment["PATH"] = f"{COMMANDS}:{ENV}/venv/bin:{environment['PATH']}"
    if plan["python"]:
        make_venv(ENV / "venv")
        environment["VIRTUAL_ENV"] = str(ENV / "venv")
        if plan["as_of"]:
            environment.update(back_in_time(plan["as_of"], environment))
    pathlib.Path(PINNING).write_text("" if plan["loose"] else plan["pins"])
    for number, line in enumerate(plan["setup"], 1):
        if PINS in line:
            carry_out(f"{line.rpartition('&& ')[0] or 'true '}&& python {PINNING} >{PINS}", environment)
        code, told = carry_out(line_without_pins(line) if plan["loose"] else line, environment)
        if code:
            sys.stdout.buffer.write(told)
            sys.exit(min(number, 100))
    if plan["python"]:
        compile_packages(environment)
        (COMMANDS / "code.py").write_text(plan["code"])
        carry_out(f"python -I {COMMANDS}/code.py {WORK} {ENV}/code", environment)  # where there is no pytest, nothing
    keep_node_modules(modules_before)
    keep_made(before)
    point_scripts_at(ENV / "venv/bin")


def without_pins(text: str) -> str:
    """Requirements, each on its line, that ask for the same in whichever version."""
    return PIN.sub(r"\1", HASH.sub("", text))


def line_without_pins(line: str) -> str:
    """The same for the words that an installer is given."""
    return INSTALL.sub(lambda found: PINNED_WORD.sub(r"\1", HASH.sub("", found[0])), line)


def drop_pins(setup: "list[str]") -> None:
    """Of files of requirements, in this copy of the tree: those that setup names, those that these name, and those that
    are called so. Others, such as a template of a header, compare."""
    there = set(files())
    waiting = [path for line in setup for path in files_in(line, WORK)]
    for path in there:
        called = any(word in part for part in path.parts[-2:] for word in ("requirements", "constraints"))
        waiting += [path] if called and path.suffix in (".txt", ".in") else []
    for path in waiting:
        if path in there and path.stat().st_size < 1_000_000:  # else it is data
            there.remove(path)
            text = path.read_text(errors="surrogateescape")
            waiting += files_in(text, path.parent)
            path.write_text(without_pins(text), errors="surrogateescape")


def files_in(text: str, folder: pathlib.Path) -> "collections.abc.Iterator[pathlib.Path]":
    """What follows `-r` and `-c` in a line of a shell or in a file that lies there."""
    for moves, name in NAMED.findall(text):
        place = pathlib.Path(os.path.normpath(folder / name))
        if moves:
            folder = place
        else:
            yield place


def compile_packages(environment: "dict[str, str]") -> None:
    """Once here, not in each of the many runs to come, which may write nothing. What is kept has other times of
    modification, so the bytecode does not ask for them; nobody changes the sources any more."""
    packages = ENV / "venv/lib/python3*/site-packages"
    carry_out(f"python -m compileall -q -f -x /pip/ --invalidation-mode unchecked-hash {packages}", environment)


def make_history(tags: "list[str]", environment: "dict[str, str]") -> None:
    """What builds a package may ask git for its version, and finds the tags that lie before the commit, the nearest on
    it. Where there is a history, or no git, all stays as it is."""
    if (WORK / ".git").exists() or not shutil.which("git"):
        return

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=WORK, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
        return done.stdout.decode().strip()

    git("init", "--quiet", "--template=")
    nothing, before = git("mktree"), list[str]()
    for tag in tags[:-1]:
        commit = git("commit-tree", nothing, "-m", "before", *before)
        git("update-ref", f"refs/tags/{tag}", commit)
        before = ["-p", commit]
    git("add", "--all", "--force")
    git("update-ref", "HEAD", git("commit-tree", git("write-tree"), "-m", "the base", *before))
    for tag in tags[-1:]:
        git("update-ref", f"refs/tags/{tag}", "HEAD")


def make_manager(name: str, call: str) -> None:
    """The project's pnpm or yarn, for what calls it by its name, as builds and scripts do."""
    COMMANDS.mkdir()
    if name != "npm":
        write_script(COMMANDS / name, f'#!/bin/sh\nexec env {call} "$@"\n')


def write_script(place: pathlib.Path, text: str) -> None:
    place.write_text(text)
    place.chmod(0o755)


def tools() -> "dict[str, str]":
    stores = {"GOMODCACHE": str(ENV / "go"), "GOFLAGS": "-modcacherw", "CARGO_HOME": str(ENV / "cargo")}
    pip = ("PIP_NO_INPUT", "PIP_NO_CACHE_DIR", "PIP_NO_COMPILE", "PIP_DISABLE_PIP_VERSION_CHECK", "PIP_USE_PEP517")
    quiet = dict.fromkeys((*pip, "CI"), "1")
    quiet.update(dict.fromkeys(map("npm_config_".__add__, ("audit", "fund", "update_notifier")), "false"))
    who = {f"GIT_{role}_{part}": "base" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    quiet.update({**who, "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"})
    trust = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
    bundle = dict.fromkeys((*trust, "CARGO_HTTP_CAINFO"), BUNDLE) if pathlib.Path(BUNDLE).exists() else {}
    return {**stores, **quiet, **bundle}


def carry_out(line: str, environment: "dict[str, str]") -> "tuple[int, bytes]":
    """The exit status, and the end of what it printed."""
    with tempfile.TemporaryFile() as said:
        code = subprocess.call(
            ["/bin/sh", "-c", line], cwd=WORK, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said
        )
        said.seek(max(0, said.seek(0, os.SEEK_END) - TAIL))
        return code, said.read()


def back_in_time(moment: str, environment: "dict[str, str]") -> "dict[str, str]":
    """`pip` becomes uv's, for which what was published after the moment is not there.

    What builds packages and runs tests must know this Python, so it may be as young as that; Python's minor releases
    come out in October (PEP 602). There is no compiler: code in C of before this Python seldom fits it, and fails at
    once, not after minutes; then `PIP` takes it as young as that, too.
    """
    code, told = carry_out(f"pip install --quiet --retries 1 --target {UV} uv", environment)
    if code:
        sys.stdout.buffer.write(told)
        sys.exit(125)
    known = max(moment, f"{2011 + sys.version_info.minor}-12-01T00:00:00Z")
    config = UV / "uv.toml"
    younger = (f'"{name}" = "{known}"\n' for name in MAY_BE_YOUNGER)
    config.write_text("[exclude-newer-package]\n" + "".join(younger))
    write_script(COMMANDS / "pip", PIP.format(uv=UV / "bin/uv", told=UV / "told", config=config, known=known))
    uv = {"UV_EXCLUDE_NEWER": moment, "UV_CONFIG_FILE": str(config), "UV_PYTHON_DOWNLOADS": "never"}
    uv.update({"UV_CACHE_DIR": str(UV / "cache"), "UV_LINK_MODE": "copy"})
    compiler = {"CC": "false"} if moment < known else {}
    found = {**uv, **compiler}
    if moment < ALWAYS_THERE:
        carry_out("pip install --quiet setuptools", {**environment, **found})
    return found


# The way out


def way_out() -> "dict[str, str]":
    """Variables that lead tools to the proxy; none where setup has no way out."""
    if not pathlib.Path("/run/proxy.sock").exists():
        return {}
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    threading.Thread(target=lambda: asyncio.run(pass_on(listener)), daemon=True).start()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    names = ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "npm_config_proxy", "npm_config_https_proxy")
    yarn = ("YARN_HTTP_PROXY", "YARN_HTTPS_PROXY")  # since its version 2 it heeds no others
    return {**dict.fromkeys((*names, *yarn), address), "NO_PROXY": "", "no_proxy": ""}


async def pass_on(listener: socket.socket) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError), contextlib.closing(writer):
            source, sink = await asyncio.open_unix_connection("/run/proxy.sock")
            with contextlib.closing(sink):
                await asyncio.gather(pump(reader, sink), pump(source, writer))

    async with await asyncio.start_server(serve, sock=listener):
        await asyncio.Event().wait()


async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while chunk := await source.read(65536):
        sink.write(chunk)
        await sink.drain()
    sink.write_eof()


# What is kept


def make_venv(place: pathlib.Path) -> None:
    """As `python -m venv` makes it, in a tenth of the time: pip is unpacked rather than installed and compiled."""
    bare = subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], capture_output=True)
    wheels = pip_wheels()
    if bare.returncode or not wheels:
        sys.stdout.write("this Python cannot make virtual environments; on Debian install python3-venv\n")
        sys.exit(125)
    (packages,) = place.glob("lib/python3*/site-packages")
    with zipfile.ZipFile(wheels[-1]) as wheel:
        wheel.extractall(packages)
    for name in ("pip", "pip3"):
        run_pip = "import sys\nfrom pip._internal.cli.main import main\nsys.exit(main())\n"
        write_script(place / "bin" / name, f"#!{place}/bin/python\n{run_pip}")


def pip_wheels() -> list[pathlib.Path]:
    """The pip that comes with this Python. Debian 13 and Fedora keep it apart from ensurepip."""
    try:
        import ensurepip
    except ImportError:
        return []
    apart = sysconfig.get_config_var("WHEEL_PKG_DIR")
    places = [pathlib.Path(ensurepip.__file__).parent / "_bundled", *([pathlib.Path(apart)] if apart else [])]
    return sorted(wheel for place in places for wheel in place.glob("pip-*.whl"))


def point_scripts_at(directory: pathlib.Path) -> None:
    """Scripts name their interpreter by its path, and that will be another one."""
    for script in directory.glob("*"):
        if script.is_file() and not script.is_symlink():
            content = script.read_bytes()
            if content.startswith(b"#!" + bytes(ENV)):
                script.write_bytes(content.replace(bytes(ENV), FINAL.encode(), 1))


def node_modules() -> "collections.abc.Iterator[pathlib.Path]":
    for folder, folders, _ in os.walk(WORK):
        place = pathlib.Path(folder, "node_modules")
        if "node_modules" in folders and not place.is_symlink():
            yield place
        folders[:] = [name for name in folders if name not in NOT_MADE]


def keep_node_modules(before: "set[pathlib.Path]") -> None:
    """Those that setup made, in the root and in packages of a workspace, as they lay among each other: the supervisor
    shows them in the tree. Links from them to the tree's own packages lead there."""
    for place in [each for each in node_modules() if each not in before or each.parent == WORK]:
        kept = NODE / place.relative_to(WORK)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(str(place), str(kept))
    for folder, folders, names in os.walk(NODE):
        for link in [path for name in (*folders, *names) if (path := pathlib.Path(folder, name)).is_symlink()]:
            target = pathlib.Path(os.path.normpath(WORK / link.parent.relative_to(NODE) / link.readlink()))
            if target.is_relative_to(WORK) and "node_modules" not in target.parts:
                link.unlink()
                link.symlink_to(target)


def keep_made(before: "set[str]") -> None:
    left = MOST_MADE
    for path in files():
        if str(path) not in before:
            left -= path.stat().st_size
            if left < 0:
                return
            kept = MADE / path.relative_to(WORK)
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, kept)


def files() -> "list[pathlib.Path]":
    found = []
    for folder, folders, names in os.walk(WORK):
        folders[:] = [name for name in folders if name not in NOT_MADE and not name.endswith(".egg-info")]
        paths = [pathlib.Path(folder, name) for name in names]
        found += [path for path in paths if path.is_file() and not path.is_symlink()]
    return found


if __name__ == "__main__":
    main()
