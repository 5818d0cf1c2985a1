#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heatmap.py - a heat map of a long recording: how large the page is, and what making it takes.

Makes a JFR file with a sample each 20 ms of one busy processor, and draws it with `hprof report --to heatmap`. Stacks are drawn by a Zipf law,
so that a few are frequent and most are rare; they share their outer frames, as those of a program do. The same seed makes the same file.

usage: heatmap.py [--hours N] [--stacks N] [--depth N] [--threads N] [--seed N] [--hprof PATH] [--keep FOLDER]
"""
import argparse
import itertools
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/data/jfr"))
from make_small import ID, checkpoint, leb, metadata, record, types, utf8  # noqa: E402

PERIOD_NS = 20_000_000
HOUR = 3600 * 1_000_000_000 // PERIOD_NS
METHODS = 8000
START_NS = 1_700_000_000_000_000_000


def make_stacks(draw, count, depth):
    """Each is another one with other inner frames: a tree, as of a program that calls."""
    stacks = [[draw.randrange(METHODS) for _ in range(depth)]]
    while len(stacks) < count:
        of = stacks[draw.randrange(len(stacks))]
        keep = draw.randrange(depth // 4, depth)
        stacks.append(of[:keep] + [draw.randrange(METHODS) for _ in range(draw.randrange(1, depth - keep + depth // 4))])
    return stacks


def pools(stacks, threads):
    symbols = [(1, utf8("()V"))] + [(2 + i, utf8("com/example/service/Component%d" % i)) for i in range(METHODS // 8)]
    symbols += [(100000 + i, utf8("handleRequest%d" % i)) for i in range(METHODS)]
    rows = [(1 + i, b"\0" + leb(len(s)) + b"".join(leb(1 + m) + leb(m % 900 + 1) + leb(m % 100) + leb(1 + m % 2) for m in reversed(s)))
            for i, s in enumerate(stacks)]
    return [("jdk.types.Symbol", symbols),
            ("java.lang.Class", [(1 + i, leb(2 + i) + leb(1)) for i in range(METHODS // 8)]),
            ("java.lang.Thread", [(1 + i, utf8("worker-%d" % i) + leb(4000 + i) + utf8("worker-%d" % i) + leb(1 + i)) for i in range(threads)]),
            ("jdk.types.Method", [(1 + i, leb(1 + i // 8) + leb(100000 + i) + leb(1) + b"\0") for i in range(METHODS)]),
            ("jdk.types.FrameType", [(1, utf8("Interpreted")), (2, utf8("JIT compiled"))]),
            ("jdk.types.StackTrace", rows)]


def chunk(number, constants, picks, threads):
    base = number * HOUR * PERIOD_NS
    body = bytearray(metadata(False, types))
    body += constants
    for i, stack in enumerate(picks):
        body += record(ID["jdk.ExecutionSample"], leb(base + i * PERIOD_NS) + leb(1 + stack % threads) + leb(1 + stack))
    return b"FLR\0" + struct.pack(">HHQQQqqqqI", 2, 1, 68 + len(body), 68 + len(metadata(False, types)), 68, START_NS + base, HOUR * PERIOD_NS,
                                  base, 1_000_000_000, 3) + bytes(body)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--stacks", type=int, default=20000)
    parser.add_argument("--depth", type=int, default=40)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hprof", default="build/src/cli/hprof")
    parser.add_argument("--keep")
    a = parser.parse_args()
    draw = random.Random(a.seed)
    stacks = make_stacks(draw, a.stacks, a.depth)
    weights = list(itertools.accumulate(1 / (1 + i) for i in range(a.stacks)))
    constants = checkpoint(0, pools(stacks, a.threads), True)
    with tempfile.TemporaryDirectory() as folder:
        folder = a.keep or folder
        recording, page = os.path.join(folder, "day.jfr"), os.path.join(folder, "day.heatmap.html")
        with open(recording, "wb") as out:
            for hour in range(a.hours):
                out.write(chunk(hour, constants, draw.choices(range(a.stacks), cum_weights=weights, k=HOUR), a.threads))
        began = time.monotonic()
        subprocess.run([a.hprof, "report", recording, "-o", page], check=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print("| hours | samples | stacks | seed | recording | page | time | CPU | memory |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        print("| %d | %d | %d | %d | %.0f MB | %.1f MB | %.1f s | %.1f s | %.0f MB |" % (
            a.hours, a.hours * HOUR, a.stacks, a.seed, os.path.getsize(recording) / 1e6, os.path.getsize(page) / 1e6, time.monotonic() - began,
            used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))


main()
