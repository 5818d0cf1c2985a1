#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stack.py - thread dumps from outside: `hprof stack` against `jhsdb jstack` (and jstack) of the same JDK.

A JVM with T threads that wait 50 calls deep is dumped by each tool in turn, then a core of it. Measured are the wall
time of the tool and, for the live JVM, the longest gap of a heartbeat thread inside it meanwhile, which holds the stop;
"nothing" is the heartbeat's own longest gap in a second. Medians over the rounds. Every tool must have shown all threads.

usage: stack.py [--rounds N] [--threads T]... [--jdk HOME]
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


def run(command, threads):
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    took = time.monotonic() - start
    shown = done.stdout.count("ManyClasses.waitDeep(")
    if shown < threads * 51:
        sys.exit("%s showed %d frames of %d" % (" ".join(command), shown, threads * 51))
    return took * 1000


def live(jvm, command, threads):
    jvm.ask("reset")
    if command:
        took = run(command, threads)
    else:
        time.sleep(1)
        took = 0
    return took, jvm.ask("gap") / 1000


def table(rows, results, names):
    print("| | " + " | ".join(names) + " |")
    print("| --- |" + " --- |" * len(names))
    for row in rows:
        cells = ["%.1f" % statistics.median(r[i] for r in results[row]) for i in range(len(names))]
        print("| %s | %s |" % (row, " | ".join(cells)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, action="append")
    parser.add_argument("--jdk")
    o = parser.parse_args()
    jdk = o.jdk or os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("java"))))
    hprof = os.path.join(overhead.ROOT, "build", "hprof")
    tool = os.path.join(jdk, "bin")
    with tempfile.TemporaryDirectory(prefix="hprof-bench") as work:
        subprocess.run([os.path.join(tool, "javac"), "-nowarn", "-d", work,
                        os.path.join(attach.HERE, "programs", "ManyClasses.java")], check=True)
        for threads in o.threads or [20, 500]:
            jvm = attach.Jvm(jdk, work, 100, threads)
            time.sleep(2)
            pid = str(jvm.process.pid)
            rows = {"nothing": None, "hprof stack": [hprof, "stack", pid],
                    "hprof stack --java": [hprof, "stack", "--java", pid],
                    "jstack": [os.path.join(tool, "jstack"), pid],
                    "jhsdb jstack": [os.path.join(tool, "jhsdb"), "jstack", "--pid", pid]}
            results = {name: [] for name in rows}
            for _ in range(o.rounds):
                for name, command in rows.items():
                    results[name].append(live(jvm, command, threads))
            print("\nlive, %d threads, %d rounds, JDK %s" % (threads, o.rounds, os.path.basename(jdk)))
            table(rows, results, ["ms", "longest gap ms"])
            if not shutil.which("gcore"):
                print("no gcore: cores are left out", file=sys.stderr)
                jvm.end()
                continue
            subprocess.run(["gcore", "-o", os.path.join(work, "core"), pid], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            jvm.end()
            core = os.path.join(work, "core." + pid)
            rows = {"hprof stack": [hprof, "stack", core], "hprof stack --java": [hprof, "stack", "--java", core],
                    "jhsdb jstack": [os.path.join(tool, "jhsdb"), "jstack", "--exe", os.path.join(tool, "java"), "--core", core]}
            results = {name: [] for name in rows}
            for _ in range(o.rounds):
                for name, command in rows.items():
                    results[name].append((run(command, threads),))
            print("\ncore of it")
            table(rows, results, ["ms"])
            os.unlink(core)


if __name__ == "__main__":
    main()
