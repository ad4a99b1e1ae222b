"""Property tests on a busy machine: how long an example takes is not what they test."""

from hypothesis import HealthCheck, settings

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
