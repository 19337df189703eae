"""Fees, in cents."""

HOUR = 300


def fee(minutes):
    """Every hour that was begun is paid for."""
    return (minutes + 59) // 60 * HOUR
