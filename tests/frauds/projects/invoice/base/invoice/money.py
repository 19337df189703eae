"""Money in whole cents, as people write it."""


def euros(cents: int) -> str:
    """Write cents as euros, with two decimals and dots between thousands."""
    sign = "-" if cents < 0 else ""
    whole, part = divmod(abs(cents), 100)
    return f"{sign}{whole:,}".replace(",", ".") + f",{part:02}"
