"""The metrics of a process that judges: one registry, and the small port that shows it.

Each metric is declared where it happens. No label holds what strangers or repositories name: their number has no end.
What an alert asks for is shown as 0 from the start: Prometheus sees no increase in a series that begins with 1.
"""

from threading import Thread
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, ProcessCollector, disable_created_metrics, start_http_server

from bot.settings import Settings, SettingsError

SECONDS = (0.01, 0.05, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0)  # buckets of durations

REGISTRY = CollectorRegistry()
disable_created_metrics()  # type: ignore[no-untyped-call] # a second series for each count
ProcessCollector(registry=REGISTRY)


def serve(settings: Settings) -> tuple[WSGIServer, Thread] | None:
    """Show the metrics at `/metrics` of the settings' port, in a thread; `None` where no port is set.

    Raises `SettingsError` where nothing can listen there.
    """
    if not settings.metrics_port:
        return None
    try:
        return start_http_server(settings.metrics_port, settings.metrics_host, registry=REGISTRY)
    except OSError as error:
        place = f"{settings.metrics_host} port {settings.metrics_port}"
        raise SettingsError(
            f"The metrics cannot be shown on {place}: {error.strerror}. Stop what listens there, or choose another "
            "BOUNCER_METRICS_PORT or BOUNCER_METRICS_HOST."
        ) from None
