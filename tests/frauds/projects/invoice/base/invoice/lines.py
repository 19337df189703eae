"""What is on an invoice."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Line:
    """Something that is paid for."""

    what: str
    quantity: int
    unit_cents: int
    rate: str = "normal"

    @property
    def net_cents(self) -> int:
        return self.quantity * self.unit_cents


@dataclass
class Invoice:
    """Lines that are paid together."""

    number: str
    lines: list[Line] = field(default_factory=list)

    def add(self, what: str, quantity: int, unit_cents: int, rate: str = "normal") -> None:
        """Put one more line on it."""
        if quantity == 0:
            raise ValueError("nothing of something is no line")
        self.lines.append(Line(what, quantity, unit_cents, rate))

    def net_cents(self) -> int:
        """The sum of all lines."""
        return sum(line.net_cents for line in self.lines)
