#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""asking.py - what it takes to ask a JVM: `hprof jcmd`, `threads` and `stat` against the JDK's tools and jattach.

Three tables, medians over the rounds, tools in turn:
- attach: VM.version asked of a JVM that nobody has asked yet, and once more ("warm");
- stat: one row of -gcutil;
- slow: a dump of T threads, D calls deep, whose reader takes 64 KB each 10 ms (--pause): the longest time that a thread in the JVM
  stood still meanwhile, and that of nothing in a second.

usage: asking.py [--rounds N] [--jdk HOME] [--jattach PATH]... [--threads T] [--depth D] [--pause MS] [attach|stat|slow]...
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import attach
import overhead
from stack import table

PIECE_BYTES = 65536


def ms(command):
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    took = (time.monotonic() - start) * 1000
    if done.returncode != 0 or not done.stdout:
        sys.exit("%s failed: %s" % (" ".join(command), done.stdout))
    return took


def askers(o, pid):
    rows = {"hprof jcmd": [o.hprof, "jcmd", pid, "VM.version"], "hprof-static jcmd": [o.hprof + "-static", "jcmd", pid, "VM.version"],
            "jcmd": [o.jdk + "/bin/jcmd", pid, "VM.version"]}
    for number, path in enumerate(o.jattach or []):
        rows["jattach %d" % (number + 1)] = [path, pid, "jcmd", "VM.version"]
    return rows


def bench_attach(o, work):
    results = {name: [] for name in askers(o, "0")}
    for _ in range(o.rounds):
        for name, row in results.items():
            jvm = attach.Jvm(o.jdk, work, 10)
            time.sleep(0.5)
            command = askers(o, str(jvm.process.pid))[name]
            row.append((ms(command), statistics.median(ms(command) for _ in range(9))))
            jvm.end()
    print("\nVM.version, %d rounds" % o.rounds)
    table(results, results, ["first, ms", "warm, ms"])


def bench_stat(o, work):
    jvm = attach.Jvm(o.jdk, work, 10)
    pid = str(jvm.process.pid)
    rows = {"hprof stat": [o.hprof, "stat", "-gcutil", pid], "jstat": [o.jdk + "/bin/jstat", "-gcutil", pid]}
    results = {name: [] for name in rows}
    for _ in range(3 * o.rounds):
        for name, command in rows.items():
            results[name].append((ms(command),))
    jvm.end()
    print("\none row of -gcutil, %d rounds" % (3 * o.rounds))
    table(rows, results, ["ms"])


def read_slowly(command, pause_s):
    """The bytes and the time."""
    start, count = time.monotonic(), 0
    process = subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0)
    while True:
        piece = process.stdout.read(PIECE_BYTES)
        if not piece:
            break
        count += len(piece)
        time.sleep(pause_s)
    if process.wait() != 0:
        sys.exit("%s failed" % " ".join(command))
    return count, time.monotonic() - start


def bench_slow(o, work):
    jvm = attach.Jvm(o.jdk, work, 10, o.threads, o.depth)
    time.sleep(3)
    pid = str(jvm.process.pid)
    rows = {"nothing": None, "hprof threads": [o.hprof, "threads", pid], "jstack": [o.jdk + "/bin/jstack", pid],
            "jcmd Thread.print": [o.jdk + "/bin/jcmd", pid, "Thread.print"]}
    for number, path in enumerate(o.jattach or []):
        rows["jattach %d threaddump" % (number + 1)] = [path, pid, "threaddump"]
    results = {name: [] for name in rows}
    for _ in range(o.rounds):
        for name, command in rows.items():
            jvm.ask("reset")
            count, took = read_slowly(command, o.pause / 1000) if command else (0, time.sleep(1) or 1)
            results[name].append((jvm.ask("gap") / 1000, took * 1000, count / 1e6))
    jvm.end()
    print("\n%d threads, %d calls deep, a slow reader, %d rounds" % (o.threads, o.depth, o.rounds))
    table(rows, results, ["longest gap, ms", "in all, ms", "MB"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--jdk")
    parser.add_argument("--jattach", action="append")
    parser.add_argument("--threads", type=int, default=800)
    parser.add_argument("--depth", type=int, default=200)
    parser.add_argument("--pause", type=float, default=10, help="of the slow reader, in ms")
    parser.add_argument("what", nargs="*")
    o = parser.parse_args()
    o.jdk = o.jdk or os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("java"))))
    o.hprof = os.path.join(overhead.ROOT, "build", "hprof")
    with tempfile.TemporaryDirectory(prefix="hprof-bench") as work:
        subprocess.run([os.path.join(o.jdk, "bin", "javac"), "-nowarn", "-d", work,
                        os.path.join(attach.HERE, "programs", "ManyClasses.java")], check=True)
        for name, bench in (("attach", bench_attach), ("stat", bench_stat), ("slow", bench_slow)):
            if name in (o.what or [name]):
                bench(o, work)


if __name__ == "__main__":
    main()
