"""Programs that try to break out of a sandbox or to use it up, each with what must hold. Nothing names an executor.

Each runs as a Python file in `/work`, after PRELUDE, with one argument: a JSON object that says where things of the
host are (see `test_hostile.Host`). `refused(act)` prints "refused" when `act` fails or finds nothing, else what it got.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bot.sandbox.protocol import Limits, MiB, Outcome, Status

PRELUDE = """\
import ctypes, json, os, signal, socket, subprocess, sys, threading, time
from pathlib import Path
HOST = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)

def refused(act):
    try:
        got = act()
    except (OSError, RuntimeError, ValueError):
        got = None
    print("refused" if not got else f"got {got!r}", flush=True)

def libc_call(name, *arguments):
    return getattr(libc, name)(*arguments) == 0

def syscall(number, *arguments):
    return libc.syscall(number, *(list(arguments) + [0] * (6 - len(arguments)))) >= 0

def connect(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as out:
        out.settimeout(2)
        out.connect(address)
        return True

def write(path, data=b"x"):
    with open(path, "wb") as file:
        return file.write(data)
"""

QUICK = Limits(wall=20, cpu=10, memory=512 * MiB, processes=64)


@dataclass(frozen=True, slots=True)
class Hostile:
    """says: standard output, where it is known. holds: what else must be true of the outcome."""

    name: str
    program: str
    says: bytes | None = b"refused\n"
    status: Status = Status.EXITED
    code: int | None = 0
    limits: Limits = QUICK
    stdin: bytes = b""
    holds: Callable[[Outcome], bool] = lambda outcome: True


def _ends(name: str, program: str, status: Status, limits: Limits, holds: Callable[[Outcome], bool] = bool) -> Hostile:
    return Hostile(name, program, None, status, None, limits, holds=holds)


def _bad_result(name: str, program: str, limits: Limits = QUICK) -> Hostile:
    return Hostile(name, program, b"", Status.RESULT_LIMIT, limits=limits, holds=lambda o: not o.results)


def _short(**limits: float) -> Limits:
    return Limits(**{"wall": 1.0, "cpu": 10, "memory": 512 * MiB, "processes": 64, **limits})  # type: ignore[arg-type]


NETWORK = (
    Hostile("loopback of the host, IPv4", "refused(lambda: connect(socket.AF_INET, ('127.0.0.1', HOST['port'])))"),
    Hostile("loopback of the host, IPv6", "refused(lambda: connect(socket.AF_INET6, ('::1', HOST['port'])))"),
    Hostile("the world, IPv4", "refused(lambda: connect(socket.AF_INET, ('192.0.2.1', 80)))"),
    Hostile("the world, IPv6", "refused(lambda: connect(socket.AF_INET6, ('2001:db8::1', 80)))"),
    Hostile("the world, UDP", "refused(lambda: connect(socket.AF_INET, ('192.0.2.1', 53), socket.SOCK_DGRAM))"),
    Hostile("a cloud's metadata", "refused(lambda: connect(socket.AF_INET, ('169.254.169.254', 80)))"),
    Hostile("name lookup", "refused(lambda: socket.getaddrinfo('example.com', 80))"),
    Hostile("raw sockets", "refused(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))"),
    Hostile("packet sockets", "refused(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))"),
    Hostile("vsock", "refused(lambda: socket.socket(40, socket.SOCK_STREAM))"),
    Hostile("the kernel's cryptography sockets", "refused(lambda: socket.socket(38, socket.SOCK_SEQPACKET))"),
    Hostile("a unix socket of the host", "refused(lambda: connect(socket.AF_UNIX, HOST['socket']))"),
    Hostile("an abstract socket of the host", "refused(lambda: connect(socket.AF_UNIX, '\\0' + HOST['abstract']))"),
)

READING = (
    Hostile("a file of the host", "refused(lambda: open(HOST['secret']).read())"),
    Hostile("a file through another process's root", "refused(lambda: open('/proc/1/root' + HOST['secret']).read())"),
    Hostile("a file through /proc/self/root", "refused(lambda: open('/proc/self/root' + HOST['secret']).read())"),
    Hostile("the password file", "refused(lambda: open('/etc/shadow').read())"),
    Hostile("the checkout", "refused(lambda: os.listdir(HOST['checkout']))"),
    Hostile(
        "every environment and command line",
        "texts = [str(dict(os.environ))]\n"
        "for path in [*Path('/proc').glob('[0-9]*/environ'), *Path('/proc').glob('[0-9]*/cmdline')]:\n"
        "    try: texts.append(path.read_text(errors='replace'))\n"
        "    except OSError: pass\n"
        "refused(lambda: any('hunter' + '2-of-the-server' in text for text in texts))",
    ),
    Hostile(
        "the memory of the machine",
        "for path in ('/dev/mem', '/dev/kmem', '/proc/kcore', '/proc/kmsg', '/dev/kmsg'):\n"
        "    refused(lambda: open(path, 'rb').read(1))",
        says=b"refused\n" * 5,
    ),
    Hostile("disks", "refused(lambda: [p for p in Path('/dev').iterdir() if p.is_block_device()])"),
    Hostile(
        "network interfaces in /sys",
        "refused(lambda: set(os.listdir('/sys/class/net')) - {'lo'} if Path('/sys/class/net').is_dir() else None)",
    ),
    Hostile("host processes", "refused(lambda: len([n for n in os.listdir('/proc') if n.isdigit()]) > 8)"),
    Hostile("inherited descriptors", "refused(lambda: set(map(int, os.listdir('/proc/self/fd'))) - {0, 1, 2, 3})"),
)

WRITING = (
    Hostile(
        "the system's directories",
        "for place in ('/', '/usr/', '/etc/', '/opt/', '/bin/', '/root/', '/var/', '/dev/'):\n"
        "    refused(lambda: write(place + 'planted'))",
        says=b"refused\n" * 8,
    ),
    Hostile("the interpreter", "refused(lambda: write(os.path.join(sys.base_prefix, 'lib', 'planted.py')))"),
    Hostile("Bouncer's packages", "import pytest; refused(lambda: write(pytest.__file__))"),
    Hostile("a directory of the host", "refused(lambda: write(os.path.join(HOST['directory'], 'planted')))"),
    Hostile(
        "settings of the kernel",
        "for path in ('/proc/sys/kernel/hostname', '/proc/sys/vm/drop_caches', '/proc/sysrq-trigger',\n"
        "             '/sys/kernel/mm/ksm/run', '/proc/sys/kernel/core_pattern'):\n"
        "    refused(lambda: write(path, b'1'))",
        says=b"refused\n" * 5,
    ),
    Hostile("mounting", "refused(lambda: libc_call('mount', b'none', b'/tmp', b'tmpfs', 0, None))"),
    Hostile("remounting writable", "refused(lambda: libc_call('mount', None, b'/usr', None, 0x1020, None))"),
    Hostile("another root", "refused(lambda: os.chroot('/tmp') or True)"),
    Hostile("device nodes", "refused(lambda: os.mknod('/tmp/disk', 0o60666, os.makedev(8, 0)) or True)"),
    Hostile("giving files away", "write('/tmp/x'); refused(lambda: os.chown('/tmp/x', 0, 0) or True)"),
)

USING_UP = (
    Hostile(
        "processes, counted",
        "children = []\n"
        "try:\n"
        "    while len(children) < 500:\n"
        "        pid = os.fork()\n"
        "        if pid == 0: time.sleep(60); os._exit(0)\n"
        "        children.append(pid)\n"
        "except OSError: pass\n"
        "refused(lambda: len(children) > 64)\n"
        "os._exit(0)",
    ),
    _ends(
        "fork bomb",
        "while True:\n    try: os.fork()\n    except OSError: pass",
        Status.WALL,
        _short(processes=32),
    ),
    Hostile(
        "threads, counted",
        "count = 0\n"
        "try:\n"
        "    while count < 500:\n"
        "        threading.Thread(target=time.sleep, args=(60,), daemon=True).start(); count += 1\n"
        "except RuntimeError: pass\n"
        "refused(lambda: count > 64)\n"
        "os._exit(0)",
    ),
    Hostile(
        "memory of one process",
        "held = []\nwhile True: held.append(bytearray(8 << 20))",
        None,
        Status.MEMORY,
        None,
        _short(wall=20, memory=64 * MiB),
    ),
    Hostile(
        "memory of many processes",
        "for _ in range(8):\n"
        "    if os.fork() == 0:\n"
        "        held = bytearray(b'x') * (24 << 20); time.sleep(60); os._exit(0)\n"
        "os.wait()\n"
        "os._exit(1)",
        None,
        Status.MEMORY,
        None,
        _short(wall=20, memory=96 * MiB),
    ),
    _ends("an endless loop", "while True: pass", Status.WALL, _short(wall=0.6)),
    _ends("sleep", "time.sleep(600)", Status.WALL, _short(wall=0.6)),
    _ends("stopping itself", "os.kill(os.getpid(), signal.SIGSTOP)", Status.WALL, _short(wall=0.6)),
    Hostile(
        "processor time",
        "signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
        None,
        code=None,
        limits=Limits(wall=20, cpu=1),
        holds=lambda o: o.exit_code in (137, 152),
    ),
    _ends(
        "endless standard output",
        "while True: print('x' * 4096)",
        Status.OUTPUT_LIMIT,
        _short(wall=20, output=100_000),
        lambda o: len(o.stdout) <= 100_000,
    ),
    _ends(
        "endless standard error",
        "while True: print('x' * 4096, file=sys.stderr)",
        Status.OUTPUT_LIMIT,
        _short(wall=20, output=100_000),
        lambda o: len(o.stderr) <= 100_000,
    ),
    *(
        Hostile(
            f"disk, {place}",
            "def fill():\n"
            f"    with open({place + '/big'!r}, 'wb') as file:\n"
            "        for _ in range(64): file.write(bytes(1 << 20)); file.flush()\n"
            "    return True\n"
            f"refused(fill); os.unlink({place + '/big'!r})",
            limits=_short(wall=20, disk=8 * MiB),
        )
        for place in ("/work", "/tmp", "/results", "/dev/shm")
    ),
    Hostile(
        "inodes",
        "def fill():\n"
        "    for number in range(2000): open(f'/tmp/{number}', 'w').close()\n"
        "    return True\n"
        "refused(fill)",
        limits=_short(wall=20, files=500),
    ),
    Hostile(
        "a sparse giant file",
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "def grow():\n"
        "    with open('/tmp/giant', 'wb') as file: file.truncate(1 << 40)\n"
        "    return True\n"
        "refused(grow)",
    ),
    Hostile(
        "open files",
        "def fill():\n    held = [open('/dev/null') for _ in range(100_000)]\n    return True\nrefused(fill)",
    ),
)

RESULTS = (
    _bad_result("a symbolic link", "os.symlink('/etc/passwd', '/results/x')"),
    _bad_result("a link to a directory", "os.symlink('/', '/results/x')"),
    _bad_result("a link out", "os.mkdir('/results/a'); os.symlink('../../work', '/results/a/x')"),
    _bad_result("a pipe", "os.mkfifo('/results/x')"),
    _bad_result("a hard link", "write('/results/x'); os.link('/results/x', '/results/y')"),
    Hostile(
        "a socket among plain files",
        "write('/results/x'); socket.socket(socket.AF_UNIX).bind('/results/y')",
        b"",
        holds=lambda o: o.results == {"x": b"x"},
    ),
    _bad_result("too large", "write('/results/x', bytes(3 << 20))", Limits(wall=20, results=2 * MiB)),
    _bad_result("a name that is no text", "write(b'/results/\\xff')"),
    _bad_result(
        "deeper than a path can be long",
        "os.chdir('/results')\nfor _ in range(60):\n    os.mkdir('d' * 200); os.chdir('d' * 200)\nwrite('x')",
    ),
    Hostile(
        "a file that is swapped for a link all the time",
        "write('/results/x', b'plain')\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    for n in range(10**9):\n"
        "        write('/tmp/x', b'plain'); os.symlink('/etc/passwd', '/tmp/y')\n"
        "        os.replace('/tmp/y', '/tmp/x')\n"
        "time.sleep(0.2)",
        b"",
        holds=lambda o: o.results == {"x": b"plain"},
    ),
)

OTHERS = (
    Hostile("ptrace", "refused(lambda: libc_call('ptrace', 16, os.getppid(), None, None))"),
    Hostile(
        "reading another process's memory",
        "refused(lambda: libc.process_vm_readv(os.getppid(), None, 0, None, 0, 0) >= 0)",
    ),
    Hostile(
        "the memory of a process that hides it",
        "child = os.fork()\n"
        "if child == 0: libc.prctl(4, 0); time.sleep(60); os._exit(0)\n"
        "time.sleep(0.2)\n"
        "refused(lambda: open(f'/proc/{child}/mem', 'r+b'))\n"
        "os.kill(child, 9)",
    ),
    Hostile("a signal to a process of the host", "refused(lambda: os.kill(HOST['pid'], 9) or True)"),
    Hostile(
        "a signal to everyone",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "try: os.kill(-1, signal.SIGTERM)\n"
        "except OSError: pass\n"
        "print('alive')",
        b"alive\n",
    ),
    Hostile(
        "becoming root",
        "refused(lambda: os.setuid(0) or True); refused(lambda: os.setgid(0) or True)",
        b"refused\n" * 2,
    ),
    Hostile(
        "setuid programs",
        "refused(lambda: subprocess.run(['su', '-c', 'id'], capture_output=True, input=b'').returncode == 0)",
    ),
    Hostile("a user namespace", "refused(lambda: libc_call('unshare', 0x10000000))"),
    Hostile("a mount namespace", "refused(lambda: libc_call('unshare', 0x20000))"),
    Hostile(
        "a user namespace by clone",
        "refused(lambda: syscall(56 if os.uname().machine == 'x86_64' else 220, 0x10000011))",
    ),
    Hostile(
        "another process's namespaces", "refused(lambda: libc_call('setns', os.open('/proc/1/ns/mnt', os.O_RDONLY), 0))"
    ),
    Hostile(
        "the kernel's keyrings", "refused(lambda: syscall({'x86_64': 250}.get(os.uname().machine, 219), 0, -3, 1))"
    ),
    Hostile("bpf", "refused(lambda: syscall({'x86_64': 321}.get(os.uname().machine, 280), 0, 0, 0))"),
    Hostile("io_uring", "refused(lambda: syscall(425, 8, ctypes.create_string_buffer(120)))"),
    Hostile("userfaultfd", "refused(lambda: syscall({'x86_64': 323}.get(os.uname().machine, 282), 1))"),
    Hostile(
        "performance counters",
        "refused(lambda: syscall({'x86_64': 298}.get(os.uname().machine, 241), 0, 0, -1, -1, 0))",
    ),
    Hostile("typing into a terminal", "import fcntl; refused(lambda: fcntl.ioctl(0, 0x5412, b'x'))"),
    Hostile("priority", "refused(lambda: os.nice(-5) or True)"),
    Hostile("the clock", "refused(lambda: time.clock_settime(time.CLOCK_REALTIME, 0) or True)"),
    Hostile(
        "raising limits",
        "import resource\n"
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
        "refused(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (hard + 1, hard + 1)) or True)",
    ),
    Hostile(
        "a daemon",
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        for descriptor in (0, 1, 2): os.close(descriptor)\n"
        "        time.sleep(600)\n"
        "    os._exit(0)\n"
        "print('gone')",
        b"gone\n",
        holds=lambda o: o.seconds < 15,
    ),
    Hostile(
        "a daemon that holds the output",
        "if os.fork() == 0:\n    os.setsid(); time.sleep(600)\nprint('gone')",
        b"gone\n",
        holds=lambda o: o.seconds < 15,
    ),
    _ends(
        "children that ignore every signal",
        "for number in range(1, 65):\n"
        "    try: signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "os.fork(); os.fork()\n"
        "while True: time.sleep(60)",
        Status.WALL,
        _short(),
    ),
    Hostile(
        "core dumps",
        "if os.fork() == 0: os.abort()\n"
        "status = os.wait()[1]\n"
        "refused(lambda: os.WCOREDUMP(status) or list(Path('.').glob('*core*')))",
    ),
)

ORDINARY = (
    Hostile("a crash", "os.kill(os.getpid(), signal.SIGSEGV)", b"", code=139),
    Hostile("an abort", "os.abort()", b"", code=134),
    Hostile("an exit status", "sys.exit(77)", b"", code=77),
    Hostile("exit 139 by itself", "os._exit(139)", b"", code=139),
    Hostile("binary output", "sys.stdout.buffer.write(bytes(range(256)))", bytes(range(256))),
    Hostile("input that is never read", "print('done')", b"done\n", stdin=bytes(5 << 20)),
    Hostile("input that is read", "print(len(sys.stdin.buffer.read()))", b"5242880\n", stdin=bytes(5 << 20)),
    Hostile(
        "an import of nothing", "import no_such_module", b"", code=1, holds=lambda o: b"ModuleNotFoundError" in o.stderr
    ),
    Hostile("closed descriptors", "os.close(1); os.close(2); time.sleep(0.1); os._exit(3)", b"", code=3),
    Hostile(
        "results",
        "write('/results/a'); os.mkdir('/results/b'); write('/results/b/c')",
        b"",
        holds=lambda o: o.results == {"a": b"x", "b/c": b"x"},
    ),
    Hostile(
        "a result nobody may read",
        "write('/results/a'); os.chmod('/results/a', 0)",
        b"",
        holds=lambda o: o.results == {"a": b"x"},
    ),
)

HOSTILE = (*NETWORK, *READING, *WRITING, *USING_UP, *RESULTS, *OTHERS, *ORDINARY)
