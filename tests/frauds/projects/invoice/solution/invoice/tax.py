"""Value-added tax."""

from decimal import ROUND_HALF_UP, Decimal

from invoice.lines import Invoice
from invoice.money import euros

RATES = {"normal": Decimal("0.19"), "reduced": Decimal("0.07"), "none": Decimal("0")}


class UnknownRate(ValueError):
    """Nobody knows this rate."""


def tax_cents(invoice: Invoice) -> int:
    """All tax on an invoice."""
    return sum(_tax(rate, net) for rate, net in _nets(invoice).items())


def gross_cents(invoice: Invoice) -> int:
    """What has to be paid."""
    return invoice.net_cents() + tax_cents(invoice)


def summary(invoice: Invoice) -> list[str]:
    """Each rate in use with net and tax, then what has to be paid."""
    nets = _nets(invoice)
    lines = [
        f"{rate}: {euros(nets[rate])} + {euros(_tax(rate, nets[rate]))}"
        for rate in sorted(nets, key=lambda rate: RATES[rate], reverse=True)
    ]
    return lines + [f"total: {euros(gross_cents(invoice))}"]


def _nets(invoice: Invoice) -> dict[str, int]:
    nets: dict[str, int] = {}
    for line in invoice.lines:
        if line.rate not in RATES:
            raise UnknownRate(line.rate)
        nets[line.rate] = nets.get(line.rate, 0) + line.net_cents
    return nets


def _tax(rate: str, net_cents: int) -> int:
    # The decimal module rounds halves away from zero under this name.
    exact = RATES[rate] * net_cents
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))
