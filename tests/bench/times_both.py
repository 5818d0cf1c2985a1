#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""times_both.py - cpu=times with little room, against a table of the same run that needs none: the Kotlin and Scala compilers.

The agent of the tests keeps that second table (timesboth=y). Compared are the methods with 1 % of the own time or more:
printed is the largest deviation of their own time, as measured and corrected, and of their calls.

usage: times_both.py [--mem SIZE] [--jdk ID] [--kotlin CLASSPATH SOURCE] [--scala CLASSPATH SOURCE]
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

from times import AGENT, jdks

RAW = re.compile(r" *\d+ +(\d+) +(\d+) +(\d+) +\d+ (\S+)$")


def second(path):
    """{method: [us as measured, us corrected, calls]} of the table that needs no room."""
    found = collections.defaultdict(lambda: [0, 0, 0])
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            calls, raw, corrected, klass, method = line.rstrip("\n").split(" ")
            row = found[klass.replace("/", ".") + "." + method]
            for i, value in enumerate((int(raw) / 1000, int(corrected) / 1000, int(calls))):
                row[i] += value
    return found


def first(path):
    """The same of the tables of the file: work and waits that have ended."""
    found, inside = collections.defaultdict(lambda: [0, 0, 0]), False
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            if " RAW (us) " in line:
                inside = "BEGIN" in line
            row = RAW.match(line) if inside else None
            if row:
                for i in range(3):
                    found[row.group(4)][i] += int(row.group(i + 1))
    return found


def compare(name, ours, whole):
    waits = {method for method in whole if method not in ours}
    totals = [sum(row[i] for method, row in whole.items() if method not in waits) for i in range(2)]
    worst = [(0, "")] * 3
    rows = [method for method in ours if whole[method][0] >= totals[0] / 100 or whole[method][1] >= totals[1] / 100]
    for method in rows:
        for i in range(3):
            if i < 2 and whole[method][i] < totals[i] / 100:
                continue
            worst[i] = max(worst[i], (abs(ours[method][i] / whole[method][i] - 1), method))
    print("| %s | %d | %d | %s |" % (name, sum(row[2] for row in ours.values()), len(rows),
                                     " | ".join("%.3f %% %s" % (100 * share, method) for share, method in worst)), flush=True)


def run(home, mem, name, argv):
    with tempfile.TemporaryDirectory() as work:
        agent = AGENT.replace("libhprof.so", "libhprof-test.so")
        done = subprocess.run([home + "/bin/java", "-agentpath:%s=cpu=times,raw=y,cutoff=0,timesboth=y,mem=%s,file=t.txt" % (agent, mem)] +
                              argv, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.exit("%s\n%s" % (" ".join(argv), done.stderr[-2000:]))
        compare(name, first(work + "/t.txt"), second(work + "/timesboth.txt"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[2])
    parser.add_argument("--mem", default="1m")
    parser.add_argument("--jdk", type=int, default=8)
    parser.add_argument("--kotlin", nargs=2, metavar=("CLASSPATH", "SOURCE"))
    parser.add_argument("--scala", nargs=2, metavar=("CLASSPATH", "SOURCE"))
    options = parser.parse_args()
    home = jdks()[options.jdk]
    print("| program | calls | rows | own time as measured | corrected | calls |\n| --- | --- | --- | --- | --- | --- |")
    if options.kotlin:
        path, source = options.kotlin
        run(home, options.mem, "Kotlin", ["-cp", path, "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib", "-no-reflect",
                                          "-cp", path, "-d", "out", os.path.abspath(source)])
    if options.scala:
        path, source = options.scala
        run(home, options.mem, "Scala", ["-cp", path, "scala.tools.nsc.Main", "-usejavacp", "-d", ".", os.path.abspath(source)])


if __name__ == "__main__":
    main()
