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
import zoneinfo

import both

DEPTH_MAX = 112
SMALL = 1 << 63


class Broken(BaseException):
    """The other side is gone, or it does not keep to the protocol."""


def encode(value, other, whole=None, depth=0):
    """`whole` writes containers that both sides have; inside of one there are only copies."""
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
    shared = whole(value) if whole and kind in both.KINDS else None
    return shared or write(value, lambda item: encode(item, other, whole, depth + 1)) or other(value)


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
    naive = value.replace(tzinfo=None, fold=0)
    if value.fold == 0 and value.tzinfo is None:
        return [type(value).__name__, naive.isoformat()]
    if value.tzinfo is None or type(value.tzinfo) in WRITERS:
        return ["at", [type(value).__name__, naive.isoformat()], value.fold, enc(value.tzinfo)]


def zone(value, enc):
    offset = datetime.timezone.utcoffset(value, None)
    name = datetime.timezone.tzname(value, None)
    has_name = name != datetime.timezone.tzname(datetime.timezone(offset), None)
    return ["timezone", enc(offset), name if has_name else None]


def place(value, enc):
    return ["zone", value.key] if value.key else None


WRITERS = {
    list: lambda value, enc: ["list", *map(enc, value)],
    tuple: lambda value, enc: ["tuple", *map(enc, value)],
    dict: lambda value, enc: ["dict", *flat(value, enc)],
    set: lambda value, enc: ["set", *map(enc, value)],
    frozenset: lambda value, enc: ["frozenset", *map(enc, value)],
    bytes: lambda value, enc: ["bytes", value.decode("latin-1")],
    bytearray: lambda value, enc: ["bytearray", value.decode("latin-1")],
    memoryview: lambda value, enc: ["memoryview", value.tobytes().decode("latin-1")],
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
    datetime.timezone: zone,
    zoneinfo.ZoneInfo: place,
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
    "memoryview": lambda dec, text: memoryview(text.encode("latin-1")),
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
    "at": lambda dec, value, fold, tzinfo: dec(value).replace(fold=fold, tzinfo=dec(tzinfo)),
    "timezone": lambda dec, offset, name: datetime.timezone(dec(offset), *([] if name is None else [name])),
    "zone": lambda dec, key: zoneinfo.ZoneInfo(key),
    "date": lambda dec, text: datetime.date.fromisoformat(text),
    "timedelta": lambda dec, days, seconds, micros: datetime.timedelta(days, seconds, micros),
    "uuid": lambda dec, text: uuid.UUID(hex=text),
    "path": lambda dec, text: pathlib.PosixPath(text),
    "purepath": lambda dec, text: pathlib.PurePosixPath(text),
    "NotImplemented": lambda dec: NotImplemented,
    "Ellipsis": lambda dec: Ellipsis,
}
