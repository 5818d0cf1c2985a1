#!/usr/bin/env python3
"""histo - the pause of a histogram as a heartbeat thread sees it: heap=histo and `jcmd GC.class_histogram`, with and without -all.

All in one JVM, one after the other, `--rounds` times; the medians are compared. Ours counts all objects, or with
--live those that can be reached; `jcmd` without -all collects first. The gap is the pause and what the machine adds; "said"
is what the agent itself measured. Usage: histo.py [--objects MILLIONS] [--rounds N] [--jdk NUMBER ...] [--collector NAME ...] [--live]
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import tempfile

import heapdump
from heapdump import HERE, conftest


class Program(heapdump.Program):
    """HeapPause with heap=histo."""

    done = "HPROF: heap histogram: pause "

    def agent_options(self, args):
        return "heap=histo,doe=n,file=%s%s" % (self.dump, ",live=y" if args.live else "")

    def said(self):
        return float(re.findall(re.escape(self.done) + r"([\d.]+) ms", self.err.read_text())[-1])

    def jcmd(self, *options):
        subprocess.run([*self.jdk.asking_tool("jcmd"), str(self.process.pid), "GC.class_histogram", *options], check=True,
                       stdout=subprocess.DEVNULL)


def run(jdk, collector, args, classes):
    ours, said, live, everything = [], [], [], []
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        program = Program(jdk, collector, args, pathlib.Path(name), classes)
        program.during(program.ours)  # the first fork of a JVM is dearer, the first jcmd loads classes
        program.during(program.jcmd)
        for _ in range(args.rounds):
            live.append(program.during(program.jcmd))
            everything.append(program.during(lambda: program.jcmd("-all")))
            ours.append(program.during(program.ours))
            said.append(program.said())
        program.end()
    gaps = [statistics.median(row[0] for row in rows) for rows in (ours, live, everything)]
    print("| %d %s | %.1f | %.1f | %.0f | %.3f | %.0f | %.3f | %.2f |" % (
        jdk.number, collector, gaps[0], statistics.median(said), gaps[1], gaps[0] / gaps[1], gaps[2], gaps[0] / gaps[2],
        statistics.median(row[1] for row in ours)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--objects", type=int, default=20, help="millions")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", default=None)
    parser.add_argument("--jdk", type=int, nargs="*", default=[17, 25])
    parser.add_argument("--collector", nargs="*", default=["g1", "parallel"])
    parser.add_argument("--live", action="store_true")
    args = parser.parse_args()
    args.options, args.room, args.shape, args.write, args.sites, args.command = "", 1, "small", False, "n", False
    with tempfile.TemporaryDirectory() as classes:
        subprocess.run([conftest.JDKS[min(conftest.JDKS)].tool("javac"), "-d", classes, str(HERE / "programs/HeapPause.java")],
                       check=True)
        heads = ["JDK collector", "longest gap, ms", "said, ms", "jcmd, ms", "ratio", "jcmd -all, ms", "ratio", "total, s"]
        print("| %s |\n|%s" % (" | ".join(heads), " --- |" * len(heads)), flush=True)
        for number in args.jdk:
            for collector in args.collector:
                run(conftest.JDKS[number], collector, args, classes)


if __name__ == "__main__":
    main()
