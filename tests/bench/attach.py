#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""attach.py - what loading the profiler into a running JVM costs, by the number of loaded classes.

For each tool a fresh JVM loads N classes of 20 methods; then the tool's library is loaded by jcmd, and
measured are the time of that call (less that of an empty jcmd), the longest gap of a heartbeat thread
meanwhile, and the growth of the JVM's resident memory two seconds later. Medians over the rounds.

usage: attach.py [--rounds N] [--classes N]... [--jdk HOME]
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import overhead

HERE = os.path.dirname(os.path.abspath(__file__))


class Jvm:
    def __init__(self, jdk, classes, count, threads=0, depth=50):
        self.jdk = jdk
        self.process = subprocess.Popen(
            [os.path.join(jdk, "bin", "java"), "-Xmx1g", "-XX:+UseSerialGC", "-cp", classes, "ManyClasses", str(count), str(threads), str(depth)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if self.process.stdout.readline().strip() != "ready":
            sys.exit("the program did not start")

    def ask(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:  # a tool may print there too
            if line.strip().isdigit():
                return int(line)
        sys.exit("the program has ended")

    def jcmd(self, *command):
        start = time.monotonic()
        done = subprocess.run([os.path.join(self.jdk, "bin", "jcmd"), str(self.process.pid), *command],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            sys.exit("jcmd failed: " + done.stdout)
        return time.monotonic() - start

    def rss_kb(self):
        with open("/proc/%d/status" % self.process.pid, encoding="ascii") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


def one(jdk, classes, count, library, options):
    jvm = Jvm(jdk, classes, count)
    jvm.jcmd("VM.uptime")  # the attach listener is up from here on
    idle = statistics.median(jvm.jcmd("VM.uptime") for _ in range(3))
    before = jvm.rss_kb()
    jvm.ask("reset")
    took = jvm.jcmd("JVMTI.agent_load", library, '"%s"' % options) if library else idle
    time.sleep(0.5)
    gap = jvm.ask("gap")
    time.sleep(1.5)
    grown = jvm.rss_kb() - before
    jvm.end()
    return (took - idle) * 1000, gap / 1000, grown / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--classes", type=int, action="append")
    parser.add_argument("--jdk")
    o = parser.parse_args()
    jdk = o.jdk or os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("java"))))
    with tempfile.TemporaryDirectory(prefix="hprof-bench") as work:
        subprocess.run([os.path.join(jdk, "bin", "javac"), "-nowarn", "-d", work,
                        os.path.join(HERE, "programs", "ManyClasses.java")], check=True)
        hprof = os.path.join(overhead.ROOT, "build", "libhprof.so")
        peer = overhead.async_profiler()
        rows = [("nothing loaded", None, "")]
        rows += [("hprof walker=vm", hprof, "cpu=samples,walker=vm,verbose=n,file=%s/h.txt" % work)]
        rows += [("hprof walker=agct", hprof, "cpu=samples,walker=agct,verbose=n,file=%s/h.txt" % work)]
        if peer:
            rows += [("async-profiler", peer, "start,event=cpu,file=%s/a.collapsed,collapsed" % work)]
        for count in o.classes or [20000, 100000]:
            print("\n%d classes, %d rounds, JDK %s" % (count, o.rounds, os.path.basename(jdk)))
            print("| | attach ms | longest gap ms | memory MB |")
            print("| --- | --- | --- | --- |")
            results = {name: [] for name, _, _ in rows}
            for _ in range(o.rounds):
                for name, library, options in rows:
                    results[name].append(one(jdk, work, count, library, options))
            for name, _, _ in rows:
                cells = ["%.1f" % statistics.median(r[i] for r in results[name]) for i in range(3)]
                print("| %s | %s |" % (name, " | ".join(cells)))


if __name__ == "__main__":
    main()
