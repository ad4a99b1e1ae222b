"""A tiny program that tries to leave a sandbox: an executor is used only where it fails at everything."""

CONTAINED = b"contained\n"

# argv: a file of the host. Prints what it could do, or that it could do nothing.
PROGRAM = r"""
import ctypes, os, socket, sys

done = []

def attempt(what, act):
    try:
        if act() is not False:
            done.append(what)
    except Exception:
        pass

def connect(family, address):
    with socket.socket(family, socket.SOCK_DGRAM) as out:
        out.connect(address)

def status(name):
    with open("/proc/self/status") as file:
        return next(line.split()[1] for line in file if line.startswith(name + ":"))

libc = ctypes.CDLL(None)
known = {"PATH", "HOME", "LANG", "LC_CTYPE", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_", "HOSTNAME", "container"}
attempt("read a file of the host", lambda: open(sys.argv[1]).read())
attempt("use the network", lambda: connect(socket.AF_INET, ("192.0.2.1", 9)))
attempt("use the network (IPv6)", lambda: connect(socket.AF_INET6, ("2001:db8::1", 9)))
attempt("see the environment of the server", lambda: bool(set(os.environ) - known))
attempt("write to the system", lambda: open("/usr/.bouncer", "w"))
attempt("be root", lambda: os.getuid() == 0)
attempt("hold privileges", lambda: int(status("CapEff"), 16) != 0)
attempt("gain privileges", lambda: status("NoNewPrivs") != "1")
attempt("make any system call", lambda: status("Seccomp") != "2")
attempt("see other processes", lambda: sum(name.isdigit() for name in os.listdir("/proc")) > 8)
attempt("make a user namespace", lambda: libc.unshare(0x10000000) == 0)
print("; ".join(done) or "contained")
"""
