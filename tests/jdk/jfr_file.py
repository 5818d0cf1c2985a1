"""The chunks of a JFR file, by the numbers of the format alone.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import json
import struct
import subprocess

HEADER = struct.Struct(">4sHHQQQQQQQBBBB")
Chunk = collections.namedtuple("Chunk", "size checkpoint metadata start_ns duration_ns start_ticks ticks_per_second state flags")


def chunks(data):
    """All of them; the file ends with the last."""
    found, at = [], 0
    while at < len(data):
        magic, major, minor, size, checkpoint, metadata, start, length, ticks, per_second, state, _, _, flags = \
            HEADER.unpack_from(data, at)
        assert (magic, major, minor) == (b"FLR\0", 2, 1) and 0 < size <= len(data) - at
        found.append(Chunk(size, checkpoint, metadata, start, length, ticks, per_second, state, flags))
        at += size
    return found


def tool(jdk, *arguments):
    """What the JDK's own tool says."""
    ran = subprocess.run([*jdk.short_tool("jfr"), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         check=False, timeout=120)
    assert ran.returncode == 0 and not ran.stderr, ran.stderr + ran.stdout[-2000:]
    return ran.stdout


def counts(jdk, path):
    """{event: count}, by jfr summary."""
    rows = [line.split() for line in tool(jdk, "summary", path).splitlines()]
    # JDK 8 to 17 write jdk.CheckPoint.
    return {row[0].replace("CheckPoint", "Checkpoint"): int(row[1].replace(",", "")) for row in rows if len(row) == 3 and "." in row[0] and row[1].replace(",", "").isdigit()}


def printed(jdk, path, names, depth):
    said = tool(jdk, "print", "--json", "--stack-depth", depth, "--events", ",".join(names), path)
    return json.loads(said)["recording"]["events"]


def events(jdk, path, *names, depth=5):
    """The events of these types, by jfr print --json: their values."""
    return [event["values"] for event in printed(jdk, path, names, depth)]


def events_by_type(jdk, path, names, depth=5):
    """{name: the values of its events}: the tool runs once for all."""
    found = {name: [] for name in names}
    for event in printed(jdk, path, names, depth):
        found[event["type"]].append(event["values"])
    return found
