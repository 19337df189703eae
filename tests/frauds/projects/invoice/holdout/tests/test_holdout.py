"""Value-added tax, as nobody but the machine has seen it."""

from invoice import Invoice
from invoice.tax import gross_cents, summary, tax_cents


def test_mixed_rates_add_up():
    """C1"""
    made = Invoice("2026-8")
    made.add("book", 7, 1_399, "reduced")
    made.add("pen", 13, 249)
    made.add("stamp", 4, 95, "none")
    assert tax_cents(made) == 686 + 615
    assert gross_cents(made) == 9_793 + 3_237 + 380 + 1_301


def test_a_summary_of_credits():
    """C5"""
    made = Invoice("2026-9")
    made.add("returned", -3, 1_050, "reduced")
    made.add("fee", 1, 330, "none")
    assert summary(made) == [
        "reduced: -31,50 + -2,21",
        "none: 3,30 + 0,00",
        "total: -30,41",
    ]
