"""Whether the web process could listen at its address; `bouncer run` asks as well, and does without the server."""

import errno
import socket
from typing import NamedTuple

from bot.errors import PlainError
from bot.settings import Settings

_TAKEN = "Stop what listens there, or choose another with --port or BOUNCER_PORT."
_MENDS = {
    errno.EADDRINUSE: _TAKEN,
    errno.EACCES: "Choose a port from 1024 on with --port or BOUNCER_PORT: the others are the system's.",
}
_NO_ADDRESS = "Give an address of this machine with --host or BOUNCER_HOST, such as 127.0.0.1 or 0.0.0.0."


class PortUnavailable(PlainError):
    """Nobody can listen there now; the port may be free at the next attempt, so this is no wrong setting's status."""

    status = 1


class PortProblem(NamedTuple):
    """why: in the system's words."""

    why: str
    mend: str


def port_problem(settings: Settings) -> PortProblem | None:
    """`None` where nothing is in the way; gunicorn would try for seconds and tell each time."""
    try:
        kind, _, _, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(kind, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        return PortProblem(error.strerror or type(error).__name__, _MENDS.get(error.errno or 0, _NO_ADDRESS))
    return None


def check_port(settings: Settings) -> None:
    """Raises `NoPort`, in a line with the mend."""
    if problem := port_problem(settings):
        raise PortUnavailable(f"cannot listen on {settings.host} port {settings.port} ({problem.why}). {problem.mend}")
