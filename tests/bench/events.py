#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""events.py - a METHOD_ENTRY and METHOD_EXIT of JVMPI, a METHOD_ENTRY2, and an OBJECT_ALLOC with its OBJECT_FREE, against JVM TI's: ns of CPU
time.

JVM TI's agent hears MethodEntry and MethodExit, or MethodEntry and asks for the object and gives it a tag, or hears each SampledObjectAlloc, gives the object a tag, and hears ObjectFree. Both agents
(events.c) count and do nothing else, and take turns with a run without an agent, whose time is taken off (programs/Events.java). A row
has the middle of the runs, and the middle of the ratios of each turn. JDK 8 has no event for each object.

usage: events.py [--what NAME ...] [--library FILE] [--runs N] [--jdk ID ...]
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile

from times import jdks

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
IN_A_ROUND = {"methods": 57313, "receivers": 57313, "objects": 200000}    # calls of fib(22), of fibOf(22); objects


def build(folder, javac):
    headers = subprocess.check_output([str(ROOT / "tools/find-jdk-include")], text=True).strip()
    subprocess.check_call(["cc", "-O2", "-shared", "-fPIC", "-I%s" % (ROOT / "include"), "-I" + headers, "-I%s/linux" % headers,
                           "-o", os.path.join(folder, "libevents.so"), str(HERE / "events.c")])
    subprocess.check_call([javac, "-nowarn", "-d", folder, str(HERE / "programs/Events.java")])


def run(java, folder, what, agent):
    """ns of a round."""
    done = subprocess.run([java, *agent, "-Xmx512m", "-cp", folder, "Events", what], stdout=subprocess.PIPE, text=True, check=True,
                          env=dict(os.environ, LD_LIBRARY_PATH=folder))
    return int(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--what", nargs="*", choices=IN_A_ROUND, default=list(IN_A_ROUND))
    parser.add_argument("--library", default=str(ROOT / "build/src/jvmpi/libjvmpi.so"), help="another libjvmpi.so")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--jdk", nargs="*", type=int, default=[])
    args = parser.parse_args()
    print("| JDK | what | JVM TI ns | JVMPI ns | ratio |\n| --- | --- | --- | --- | --- |")
    homes = jdks()
    with tempfile.TemporaryDirectory() as folder:
        build(folder, os.path.join(homes[min(homes)], "bin/javac"))
        for jdk, home in homes.items():
            if args.jdk and jdk not in args.jdk:
                continue
            for what in args.what:
                count = IN_A_ROUND[what]
                if jdk < 11 and what == "objects":
                    continue
                agents = [[], ["-agentpath:%s/libevents.so=%s" % (folder, what)],
                          ["-agentpath:%s=events:%s" % (args.library, what)]]
                turns = []
                for _ in range(args.runs):
                    bare, theirs, ours = (run(os.path.join(home, "bin/java"), folder, what, agent) / count for agent in agents)
                    turns.append((theirs - bare, ours - bare))
                print("| %d | %s | %.0f | %.0f | %.2f |" % (
                    jdk, what, statistics.median(t for t, _ in turns), statistics.median(o for _, o in turns),
                    statistics.median(o / t for t, o in turns)), flush=True)


if __name__ == "__main__":
    main()
