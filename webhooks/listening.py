"""Whether the web process could listen at its address; `bouncer run` asks as well, and does without the server."""

import socket

from bot.settings import Settings


def cannot_listen(settings: Settings) -> str:
    """Why not, in the system's words; gunicorn would try for seconds and tell each time."""
    try:
        kind, _, _, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(kind, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""


def port_taken(settings: Settings) -> str:
    """In a line with the mend; empty where nothing is in the way."""
    problem = cannot_listen(settings)
    if not problem:
        return ""
    return (
        f"cannot listen on {settings.host} port {settings.port} ({problem}). Stop what listens there, or choose "
        "another with --port or BOUNCER_PORT."
    )
