"""For whoever watches over the service: is it well, how much does it do."""

from typing import Final

from avow.registry.api import schemas
from avow.registry.api.endpoints import Answer, Call, Endpoint
from avow.registry.metrics import CONTENT_TYPE

_NOT_KEPT: Final = {"cache-control": "no-store"}


async def health(call: Call) -> Answer:
    """Answers when the registry can be read and written."""
    await call.service.health.check(call.service.store)
    return Answer({"status": "ok"}, headers=_NOT_KEPT)


async def metrics(call: Call) -> Answer:
    """Counts in the text format of Prometheus."""
    stored = await call.service.store.totals()
    text = call.service.metrics.text(stored)
    return Answer(text.encode(), content_type=CONTENT_TYPE, headers=_NOT_KEPT)


HEALTH: Final = Endpoint(
    "GET",
    "/healthz",
    "Answers when the registry can serve",
    health,
    schemas.objects({"status": {"const": "ok"}}),
    is_strict=False,
    is_always_public=True,
)
METRICS: Final = Endpoint(
    "GET", "/metrics", "Counts, for Prometheus", metrics, {"type": "string"}, answer_type="text/plain"
)
