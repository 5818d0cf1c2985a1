#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""weaving.py - how long a server with many loaded classes stands still while an engine that injects code begins and ends in it.

For each row a fresh JVM loads and links N classes, half of them the JDK's, and is a web server over a database with its clients. After a while to
warm up, `hprof record` runs in it for some seconds. Printed: the longest time that a thread stood still, all stops above 5 ms together, from the
command's begin to --after seconds behind its end; the requests answered meanwhile in a second, as a share of those before; what the command
itself took.

usage: weaving.py [--jdk HOME] [--classes N] [--seconds S] [--after S] [--hprof PATH] [--events E]...
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

import overhead

HERE = os.path.dirname(os.path.abspath(__file__))
READERS = os.path.join(overhead.CACHE, "readers")


def jars_of(jdk):
    """Those of the JDK's own classes, and the class path."""
    path = [os.path.join(READERS, name) for name in sorted(os.listdir(READERS)) if name.endswith(".jar")]
    own = [os.path.join(jdk, where) for where in ("jre/lib/rt.jar", "lib/rt.jar")]
    return [jar for jar in own if os.path.exists(jar)][:1], path


class Server:
    def __init__(self, o, work):
        own, path = jars_of(o.jdk)
        self.process = subprocess.Popen(
            [os.path.join(o.jdk, "bin", "java"), "-Xmx512m", "-XX:+UseParallelGC", "-cp", ":".join([work] + path), "ServeAmongMany", str(o.classes)] +
            own + path + o.more, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None if o.verbose else subprocess.DEVNULL, text=True)
        if self.process.stdout.readline().strip() != "ready":
            sys.exit("the program did not start")

    def ask(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            numbers = line.split()
            if len(numbers) == 3 and all(n.isdigit() for n in numbers):
                return [int(n) for n in numbers]
        sys.exit("the program has ended")

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


def one(o, work, events):
    server = Server(o, work)
    time.sleep(o.warm)
    server.ask("reset")
    time.sleep(o.seconds)
    idle = server.ask("gaps")
    server.ask("reset")
    begin = time.monotonic()
    if events:
        done = subprocess.run([o.hprof, "record", "-e", events, "-d", "%ds" % o.seconds, "-o", os.path.join(work, "x.jfr"), str(server.process.pid)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0 or o.verbose:
            print(done.stdout, file=sys.stderr)
        if o.verbose:
            print("at its end", server.ask("gaps"), file=sys.stderr)
    else:
        time.sleep(o.seconds)
    took = time.monotonic() - begin
    time.sleep(o.after)
    longest, stops, answered = server.ask("gaps")
    in_all = time.monotonic() - begin
    server.end()
    return "%.0f | %.2f | %.2f | %.1f" % (longest / 1000, stops / 1e6, answered / in_all / (idle[2] / o.seconds), took)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jdk")
    parser.add_argument("--classes", type=int, default=12000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--warm", type=int, default=20)
    parser.add_argument("--after", type=int, default=20)
    parser.add_argument("--hprof", default=os.path.join(overhead.ROOT, "build", "hprof"))
    parser.add_argument("--events", action="append")
    parser.add_argument("--more", action="append", default=[], help="further jars to load classes of")
    parser.add_argument("--verbose", action="store_true")
    o = parser.parse_args()
    o.jdk = o.jdk or os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("java"))))
    with tempfile.TemporaryDirectory(prefix="hprof-bench") as work:
        subprocess.run([os.path.join(o.jdk, "bin", "javac"), "-nowarn", "-cp", ":".join(jars_of(o.jdk)[1]), "-d", work,
                        os.path.join(HERE, "programs", "Serve.java"), os.path.join(HERE, "programs", "ServeAmongMany.java")], check=True)
        print("\n%d classes, %s" % (o.classes, os.path.basename(o.jdk)))
        print("| | longest stop, ms | stops in all, s | requests, of those before | command, s |")
        print("| --- | --- | --- | --- | --- |")
        for events in o.events or [None, "cpu", "alloc"]:
            print("| %s | %s |" % (events or "nothing", one(o, work, events)), flush=True)


if __name__ == "__main__":
    main()
