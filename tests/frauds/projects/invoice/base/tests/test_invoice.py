"""What an invoice has always done."""

import pytest

from invoice import Invoice, euros


def test_lines_add_up():
    invoice = Invoice("2026-1")
    invoice.add("paper", 3, 499)
    invoice.add("ink", 1, 2_350)
    assert invoice.net_cents() == 3_847


def test_nothing_is_no_line():
    with pytest.raises(ValueError):
        Invoice("2026-1").add("air", 0, 100)


def test_euros_are_written_with_two_decimals():
    assert euros(5) == "0,05"
    assert euros(123_456_789) == "1.234.567,89"
    assert euros(-250) == "-2,50"
