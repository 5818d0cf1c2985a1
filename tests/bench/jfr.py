#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jfr.py - JFR files read: `hprof jfr` and `hprof report` against `jfr` of a JDK, async-profiler's converter and the parser of JMC.

Each tool reads a recording in turns with the others; measured is its CPU time, for on a busy machine wall time says little, and the most
memory that it took, mapped pages of the file included. Medians over the rounds.

The converter is async-profiler's jfrconv, tools.profiler:jfr-converter, which finds samples of a JDK's recording by the state runnable, native ones among them (`--cpu` means another state); that
both find as many is looked at; JMC's parser loads all events and counts them, its classes being common, flightrecorder,
encoder and lz4-java.

usage: jfr.py [--rounds N] [--jdk HOME] [--hprof PATH] [--converter JAR] [--jmc CLASSPATH] RECORDING
"""
import argparse
import os
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def run(argv):
    """CPU seconds and MB."""
    child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, argv
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jdk", default=os.environ.get("JAVA_HOME"))
    parser.add_argument("--hprof", default="build/src/cli/hprof")
    parser.add_argument("--converter", metavar="JAR")
    parser.add_argument("--jmc", metavar="CLASSPATH")
    parser.add_argument("recording")
    a = parser.parse_args()
    size = os.path.getsize(a.recording) / 1e6
    with tempfile.TemporaryDirectory() as folder:
        tool, out = [os.path.join(a.jdk, "bin/jfr")], os.path.join(folder, "x.collapsed")
        rows = [("summary", tool + ["summary"]), ("summary", [a.hprof, "jfr", "summary"]),
                ("print --json", tool + ["print", "--json"]), ("print --json", [a.hprof, "jfr", "print", "--json"]),
                ("collapsed stacks", [a.hprof, "report", "-e", "cpu", "-s", "runnable,native", "--no-threads", "-o", out])]
        java = os.path.join(a.jdk, "bin/java")
        if a.converter:
            rows.append(("collapsed stacks, jfrconv", [java, "-jar", a.converter, "--cpu", "-s", "runnable", "-o", "collapsed"]))
        if a.jmc:
            rows.append(("all events loaded, JMC", [java, "-cp", a.jmc, os.path.join(HERE, "programs/JmcEvents.java")]))
        results, counts = [[] for _ in rows], []
        for _ in range(a.rounds):
            for (_, argv), result in zip(rows, results):
                if os.path.exists(out):
                    os.unlink(out)
                result.append(run(argv + [a.recording] + ([out] if a.converter in argv else [])))
                if out in argv or a.converter in argv:
                    with open(out, encoding="utf-8") as stacks:
                        counts.append(sum(int(line.rpartition(" ")[2]) for line in stacks))
    assert len(set(counts)) == 1 and counts[0] > 0, counts
    print("%.0f MB" % size)
    print("| what | by | CPU s | MB/s | memory, MB |\n| --- | --- | --- | --- | --- |")
    for (what, argv), result in zip(rows, results):
        cpu, memory = (statistics.median(column) for column in zip(*result))
        print("| %s | %s | %.2f | %.0f | %.0f |" % (what, os.path.basename(argv[0]), cpu, size / cpu, memory))


if __name__ == "__main__":
    main()
