"""The decision table of `safe push`, a second time: what a push without --force has to do.

Timestamps and durations may be of any type that can be subtracted and compared, as datetime is.
"""

from datetime import timedelta

GRACE = timedelta(hours=23)
TRUST = timedelta(days=7)
RETENTION = timedelta(days=180)


def decide(now, *, uploaded, seen, is_changed=False, has_failed=False, retention=RETENTION):
    """The result that `safe push` has to report where the server has what it is expected to have.

    uploaded, seen: the last upload and the last look that found it; None for never. What is in the
    future was written by a clock that was wrong then or is wrong now, and counts as never.
    """
    if has_failed or uploaded is None or uploaded > now:
        return "uploaded"
    if is_changed:
        return "deferred" if now - uploaded < GRACE else "uploaded"
    if now - uploaded >= retention / 2:
        return "refreshed"
    if seen is None or seen > now or now - seen >= TRUST:
        return "confirmed"
    return "unchanged"
