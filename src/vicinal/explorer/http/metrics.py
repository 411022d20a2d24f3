"""What the service counts, for Prometheus."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from vicinal.explorer.served import ServedModel

MEDIA_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class Metrics:
    """The counters of one service, which several of a process do not share."""

    def __init__(self, models: Mapping[str, ServedModel]) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "vicinal_requests_total",
            "Requests by route, method and status.",
            ("route", "method", "status"),
            registry=self._registry,
        )
        self.seconds = Histogram(
            "vicinal_request_seconds",
            "Time to answer a request.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.refused = Counter(
            "vicinal_refused_total",
            "Requests refused before they reached a route, by reason.",
            ("reason",),
            registry=self._registry,
        )
        self.running = Gauge(
            "vicinal_requests_running", "Requests being answered.", registry=self._registry
        )
        self.waiting = Gauge(
            "vicinal_requests_waiting", "Requests that wait.", registry=self._registry
        )
        cases = Gauge("vicinal_cases", "Stored cases.", ("model",), registry=self._registry)
        version = Gauge(
            "vicinal_version", "Changes made to the cases.", ("model",), registry=self._registry
        )
        for name, served in models.items():
            cases.labels(name).set_function(lambda one=served: one.state.n_cases)  # type: ignore[misc]
            version.labels(name).set_function(lambda one=served: one.state.version)  # type: ignore[misc]

    def text(self) -> bytes:
        """Return all counters in the format of Prometheus."""
        return generate_latest(self._registry)
