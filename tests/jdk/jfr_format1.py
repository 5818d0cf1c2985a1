"""A recording in format 1, which JDK 9 and 10 write, made of one in format 2.0: other packages of the same types, and headers that say so.

SPDX-License-Identifier: Apache-2.0
"""
import struct

HEADER, SIZE_AT, STARTS_AT = 68, 8, 32
PACKAGES = ((b"jdk.types.", b"com.oracle.jfr.types."), (b"jdk.jfr.", None), (b"jdk.", b"com.oracle.jdk."))


def leb(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def number(value, room=0):
    """As LEB128 of `room` bytes at least."""
    found = bytearray()
    while value >= 0x80 or len(found) + 1 < room:
        found.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(found + bytes([value]))


def renamed(text):
    """The names of types are whole texts, of one word."""
    for since, before in PACKAGES:
        if text.startswith(since) and b" " not in text:
            return before + text[len(since):] if before else text
    return text


def texts_renamed(data, at):
    """The table of texts at `at` in a metadata event: what stands for it, and where it ends."""
    count, at = leb(data, at)
    made = number(count)
    for _ in range(count):
        encoding, first = data[at], at
        at += 1
        if encoding in (3, 4, 5):    # of ASCII they are one, but for the first byte
            length, at = leb(data, at)
            text = data[at:at + length]
            assert max(text) < 0x80, text
            made += bytes([encoding]) + number(len(renamed(text))) + renamed(text)
            at += length
        else:
            assert encoding in (0, 1), encoding
            made += data[first:at]
    return made, at


def chunk(data):
    """One finished chunk of format 2.0, whose metadata come last."""
    size, checkpoint, metadata = struct.unpack_from(">QQQ", data, SIZE_AT)
    assert data[:8] == b"FLR\0\0\2\0\0" and size == len(data) and HEADER <= checkpoint < metadata, data[:HEADER]
    length, at = leb(data, metadata)
    assert metadata + length == size
    for _ in range(4):    # type, start, duration, id
        first, at = at, leb(data, at)[1]
    head = data[leb(data, metadata)[1]:first] + number(0)    # JDK 9 numbers its metadata by 0
    texts, at = texts_renamed(data, at)
    content = head + texts + data[at:size]
    event = number(len(content) + 4, 4) + content
    made = bytearray(data[:metadata] + event)
    struct.pack_into(">HHQ", made, 4, 1, 0, len(made))
    return bytes(made)


def following(data, late_s):
    """The same chunk as one that follows: it begins when the first ended, but its ticks were read so much later."""
    made = bytearray(data)
    start, lasts, ticks, per_second = struct.unpack_from(">QQQQ", made, STARTS_AT)
    struct.pack_into(">QQQ", made, STARTS_AT, start + lasts, lasts, ticks + int((lasts / 1e9 + late_s) * per_second))
    return bytes(made)
