#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""times.py - what cpu=times costs: the CPU time of one program, as ratios to the bare run of the same round.

Against JDK 8's own agent (cpu=times, every method), and against jdk.MethodTiming of JDK 25's Flight Recorder (the
program's own methods on both sides). Each round runs all of them in turn. Printed are medians over the rounds, with the
smallest and largest. With --javac the program is JDK 8's javac over the sources in a jar (commons-math3's, of Maven Central), with
--every N over every Nth of them and what these need: the whole takes the original long.

usage: times.py [--rounds N] [--work N] [--jdk N] [--javac SOURCES.jar [--every N]]
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import real

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AGENT = os.path.join(ROOT, os.environ.get("HPROF_BUILD", "build"), "src/agent/libhprof.so")


def jdks():
    listed = subprocess.run([os.path.join(ROOT, "tools/test-jdks"), "--list"], stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    return {int(line.split("\t")[0]): line.split("\t")[1] for line in listed.splitlines()}


def run(argv, cwd):
    """(CPU seconds, wall seconds) of a run."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit("%s\n%s" % (" ".join(argv), done.stderr[-2000:]))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - began


def cases(jdk, home, work):
    """{name: options of the VM}; the first is the bare run."""
    def ours(options):
        return ["-agentpath:%s=cpu=times,verbose=n,file=ours.txt%s" % (AGENT, options)]

    found = {"no agent": []}
    if jdk == 8:
        found["original, cpu=times"] = ["-agentpath:%s/jre/lib/amd64/libhprof.so=cpu=times,verbose=n" % home]
        for clock in ("tsc", "nano", "tick", "cpu", "none"):
            found["hprof, clock=" + clock] = ours(",clock=" + clock)
    else:
        found["JFR method-timing, the program's methods"] = [
            "-XX:StartFlightRecording:filename=%s/t.jfr,method-timing=%s" % (work, JFR_FILTER), "-Xlog:jfr*=off"]
        for clock in ("tsc", "nano", "cpu", "none"):
            found["hprof, include= the same, clock=" + clock] = ours(",include=CallHeavy*,clock=" + clock)
        found["hprof, every method, clock=tsc"] = ours(",clock=tsc")
    return found


JFR_FILTER = "CallHeavy;CallHeavy$Number;CallHeavy$Name;CallHeavy$Binary"


def bench(jdk, home, options, work):
    ratios, walls = {}, {}
    for _ in range(options.rounds):
        bare = None
        for name, vm in cases(jdk, home, work).items():
            cpu, wall = run([home + "/bin/java"] + vm + ["-cp", work, "CallHeavy", str(options.work)], work)
            bare = bare or (cpu, wall)
            ratios.setdefault(name, []).append(cpu / bare[0])
            walls.setdefault(name, []).append(wall / bare[1])
    print("\nJDK %d, %d rounds of CallHeavy %d\n" % (jdk, options.rounds, options.work))
    print("| | CPU time, times the bare run | wall time, likewise |\n| --- | --- | --- |")
    for name in ratios:
        print("| %s | %s | %s |" % (name, shown(ratios[name]), shown(walls[name])))


def bench_javac(home, options, work):
    program = real.javac(home, options.javac, work, options.every)
    found = {}
    for _ in range(options.rounds):
        for name, vm in cases(8, home, work).items():
            found.setdefault(name, []).append(real.cpu_seconds([home + "/bin/java"] + vm + program, work, timeout=7200))
    print("| JDK 8, javac | CPU time, times the bare run |\n| --- | --- |")
    for name, seconds in found.items():
        print("| %s | %s |" % (name, shown([s / bare for s, bare in zip(seconds, found["no agent"])])))


def shown(values):
    return "%.2f (%.2f to %.2f)" % (statistics.median(values), min(values), max(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=int, default=40000, help="rounds of the program")
    parser.add_argument("--jdk", type=int, action="append", help="8 or 25; both by default")
    parser.add_argument("--javac", metavar="SOURCES.jar")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    homes = jdks()
    with tempfile.TemporaryDirectory() as work:
        if options.javac:
            bench_javac(homes[8], options, work)
            return
        source = os.path.join(ROOT, "tests/bench/programs/CallHeavy.java")
        subprocess.run([homes[8] + "/bin/javac", "-d", work, source], check=True)
        for jdk in options.jdk or (8, 25):
            if jdk not in homes:
                print("JDK %d is not here: left out" % jdk, file=sys.stderr)
                continue
            bench(jdk, homes[jdk], options, work)


if __name__ == "__main__":
    main()
