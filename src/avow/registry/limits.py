"""How often somebody may ask: a bucket of tokens for each, which time fills again."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

_MOST: Final = 20_000


@dataclass(slots=True)
class _Bucket:
    level: float
    at: float


class Rate:
    """So many a second, and a burst of so many, for each key; zero is no limit.

    The keys that were quiet for longest are forgotten first, so that memory is bounded.
    """

    def __init__(self, rate: float, burst: float) -> None:
        """All buckets are full."""
        self._rate = rate
        self._burst = max(burst, 1.0)
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def wait(self, key: str, now: float, cost: float = 1.0) -> float:
        """Take from a bucket; the answer is 0, or after how many seconds there is enough in it."""
        if self._rate <= 0:
            return 0.0
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = _Bucket(self._burst, now)
            if len(self._buckets) > _MOST:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(key)
        passed = max(0.0, now - bucket.at)
        bucket.level, bucket.at = min(self._burst, bucket.level + passed * self._rate), now
        if bucket.level < cost:
            return (cost - bucket.level) / self._rate
        bucket.level -= cost
        return 0.0


class Limits:
    """The rates of a service: of addresses, of tokens, and of wrong tokens."""

    def __init__(self, rate: float, burst: float, token_rate: float, failures: float) -> None:
        """`failures` are counted by the minute."""
        self.addresses = Rate(rate, burst)
        self.tokens = Rate(token_rate, token_rate)
        self.failures = Rate(failures / 60, failures)
