"""Value-added tax on invoices."""

import pytest

from invoice import Invoice
from invoice.tax import UnknownRate, gross_cents, summary, tax_cents


def invoice(*lines):
    made = Invoice("2026-7")
    for cents, rate in lines:
        made.add("thing", 1, cents, rate)
    return made


def test_tax_is_computed_on_the_sum():
    """C1"""
    assert tax_cents(invoice((103, "normal"), (103, "normal"), (103, "normal"))) == 59


def test_half_a_cent_goes_up():
    """C2"""
    assert tax_cents(invoice((50, "normal"))) == 10
    assert tax_cents(invoice((150, "reduced"))) == 11


def test_credits_round_away_from_zero():
    """C2"""
    assert tax_cents(invoice((-50, "normal"))) == -10


def test_every_rate_has_its_tax():
    """C3"""
    assert tax_cents(invoice((10_000, "normal"))) == 1_900
    assert tax_cents(invoice((10_000, "reduced"))) == 700
    assert tax_cents(invoice((10_000, "none"))) == 0
    assert gross_cents(invoice((10_000, "normal"), (10_000, "none"))) == 21_900


def test_an_unknown_rate_is_refused():
    """C4"""
    with pytest.raises(UnknownRate):
        tax_cents(invoice((100, "luxury")))


def test_the_summary_lists_rates_and_total():
    """C5"""
    assert summary(invoice((2_000, "reduced"), (123_450, "normal"))) == [
        "normal: 1.234,50 + 234,56",
        "reduced: 20,00 + 1,40",
        "total: 1.490,46",
    ]
