"""Invoices in whole cents."""

from invoice.lines import Invoice, Line
from invoice.money import euros

__all__ = ["Invoice", "Line", "euros"]
