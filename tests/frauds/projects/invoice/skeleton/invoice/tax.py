"""Value-added tax."""

from invoice.lines import Invoice


class UnknownRate(ValueError):
    """Nobody knows this rate."""


def tax_cents(invoice: Invoice) -> int:
    """All tax on an invoice."""
    raise NotImplementedError


def gross_cents(invoice: Invoice) -> int:
    """What has to be paid."""
    raise NotImplementedError


def summary(invoice: Invoice) -> list[str]:
    """Each rate in use with net and tax, then what has to be paid."""
    raise NotImplementedError
