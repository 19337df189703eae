"""Plain values as JSON with tags: exact types only, and nothing that runs code when it is read.

A value is null, true, false, a number, a text, or a list whose first item is the tag. What is no plain value goes
through `other`, which makes a handle of it.
"""

import collections
import datetime
import decimal
import fractions
import pathlib
import uuid

DEPTH_MAX = 60
SMALL = 1 << 63


class Broken(BaseException):
    """The other side is gone, or it does not keep to the protocol."""


def encode(value, other, depth=0):
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is int:
        return value if -SMALL <= value < SMALL else ["int", hex(value)]
    if kind is str:
        return value if value.isascii() or is_text(value) else ["text", value.encode("utf-8", "surrogatepass").hex()]
    if kind is float:
        return value if value - value == 0 else ["float", repr(value)]
    write = WRITERS.get(kind)
    if write is None or depth > DEPTH_MAX:
        return other(value)
    return write(value, lambda item: encode(item, other, depth + 1)) or other(value)


def decode(tree, other):
    if type(tree) is not list:
        return tree
    read = READERS.get(tree[0])
    if read is None:
        return other(tree)
    return read(lambda item: decode(item, other), *tree[1:])


def is_plain(value):
    """Whether a value crosses whole. Items of containers may not."""
    return value is None or type(value) in (bool, int, str, float) or type(value) in WRITERS


def is_text(value):
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def pairs(items):
    halves = iter(items)
    return zip(halves, halves)


def flat(value, enc):
    return [enc(half) for item in value.items() for half in item]


def moment(value, enc):
    if value.tzinfo is None or type(value.tzinfo) is datetime.timezone:
        return [type(value).__name__, value.isoformat()]


WRITERS = {
    list: lambda value, enc: ["list", *map(enc, value)],
    tuple: lambda value, enc: ["tuple", *map(enc, value)],
    dict: lambda value, enc: ["dict", *flat(value, enc)],
    set: lambda value, enc: ["set", *map(enc, value)],
    frozenset: lambda value, enc: ["frozenset", *map(enc, value)],
    bytes: lambda value, enc: ["bytes", value.decode("latin-1")],
    bytearray: lambda value, enc: ["bytearray", value.decode("latin-1")],
    collections.OrderedDict: lambda value, enc: ["ordered", *flat(value, enc)],
    collections.Counter: lambda value, enc: ["counter", *flat(value, enc)],
    collections.deque: lambda value, enc: ["deque", value.maxlen, *map(enc, value)],
    complex: lambda value, enc: ["complex", enc(value.real), enc(value.imag)],
    range: lambda value, enc: ["range", enc(value.start), enc(value.stop), enc(value.step)],
    slice: lambda value, enc: ["slice", enc(value.start), enc(value.stop), enc(value.step)],
    decimal.Decimal: lambda value, enc: ["decimal", str(value)],
    fractions.Fraction: lambda value, enc: ["fraction", hex(value.numerator), hex(value.denominator)],
    datetime.datetime: moment,
    datetime.time: moment,
    datetime.date: lambda value, enc: ["date", value.isoformat()],
    datetime.timedelta: lambda value, enc: ["timedelta", value.days, value.seconds, value.microseconds],
    uuid.UUID: lambda value, enc: ["uuid", value.hex],
    pathlib.PosixPath: lambda value, enc: ["path", str(value)],
    pathlib.PurePosixPath: lambda value, enc: ["purepath", str(value)],
    type(NotImplemented): lambda value, enc: ["NotImplemented"],
    type(Ellipsis): lambda value, enc: ["Ellipsis"],
}

READERS = {
    "int": lambda dec, digits: int(digits, 16),
    "float": lambda dec, name: float(name),
    "text": lambda dec, digits: bytes.fromhex(digits).decode("utf-8", "surrogatepass"),
    "list": lambda dec, *items: list(map(dec, items)),
    "tuple": lambda dec, *items: tuple(map(dec, items)),
    "dict": lambda dec, *items: {dec(key): dec(item) for key, item in pairs(items)},
    "set": lambda dec, *items: set(map(dec, items)),
    "frozenset": lambda dec, *items: frozenset(map(dec, items)),
    "bytes": lambda dec, text: text.encode("latin-1"),
    "bytearray": lambda dec, text: bytearray(text.encode("latin-1")),
    "ordered": lambda dec, *items: collections.OrderedDict((dec(key), dec(item)) for key, item in pairs(items)),
    "counter": lambda dec, *items: collections.Counter({dec(key): dec(item) for key, item in pairs(items)}),
    "deque": lambda dec, most, *items: collections.deque(map(dec, items), most),
    "complex": lambda dec, real, imag: complex(dec(real), dec(imag)),
    "range": lambda dec, *ends: range(*map(dec, ends)),
    "slice": lambda dec, *ends: slice(*map(dec, ends)),
    "decimal": lambda dec, text: decimal.Decimal(text),
    "fraction": lambda dec, over, under: fractions.Fraction(int(over, 16), int(under, 16)),
    "datetime": lambda dec, text: datetime.datetime.fromisoformat(text),
    "time": lambda dec, text: datetime.time.fromisoformat(text),
    "date": lambda dec, text: datetime.date.fromisoformat(text),
    "timedelta": lambda dec, days, seconds, micros: datetime.timedelta(days, seconds, micros),
    "uuid": lambda dec, text: uuid.UUID(hex=text),
    "path": lambda dec, text: pathlib.PosixPath(text),
    "purepath": lambda dec, text: pathlib.PurePosixPath(text),
    "NotImplemented": lambda dec: NotImplemented,
    "Ellipsis": lambda dec: Ellipsis,
}
