#!/usr/bin/env python3
"""heapdump - the pause of a heap dump as a heartbeat thread sees it, and its total time: ours and `jcmd GC.heap_dump`.

Both in one JVM, one after the other, `--rounds` times; the medians are compared. Objects: four small ones an entry of a
HashMap. Total time: until the file is complete (ours: from SIGQUIT to the line that says so). Files go to --folder.
Usage: heapdump.py [--objects MILLIONS] [--rounds N] [--folder DIR] [--jdk NUMBER ...] [--collector NAME ...] [--sites y]
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/jdk"))
import conftest  # noqa: E402 pylint: disable=wrong-import-position

FLAGS = {"serial": ["-XX:+UseSerialGC"], "parallel": ["-XX:+UseParallelGC"], "g1": ["-XX:+UseG1GC"],
         "shenandoah": ["-XX:+UseShenandoahGC"]}
DONE = "HPROF: heap dump: pause "


class Program:
    """HeapPause with the agent."""

    def __init__(self, jdk, collector, objects, folder, classes, sites):
        self.jdk, self.err = jdk, folder / "stderr"
        agent = ROOT / os.environ.get("HPROF_BUILD", "build") / "src/agent/libhprof.so"
        heap = "%dm" % max(512, objects * 60)
        self.dump = folder / "ours.hprof"
        argv = [jdk.tool("java"), *FLAGS[collector], "-Xms" + heap, "-Xmx" + heap,
                "-cp", str(classes), "HeapPause", str(objects)]
        with open(self.err, "wb") as err:
            self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err, text=True,
                                            cwd=str(folder), env=conftest.clean_environment())
        self.wait_out("ready")
        # Into the running program: what tracking costs is another bench's business. With sites the child asks for all.
        subprocess.run([jdk.tool("jcmd"), str(self.process.pid), "JVMTI.agent_load", str(agent),
                        '"heap=dump,format=b,idsize=8,doe=n,sites=%s,file=%s"' % (sites, self.dump)], check=True,
                       stdout=subprocess.DEVNULL)

    def wait_out(self, word):
        for line in self.process.stdout:
            if line.startswith(word):
                return line
        sys.exit("the program ended\n" + self.err.read_text())

    def say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def measure(self, action):
        self.say("reset")
        time.sleep(0.3)
        begin = time.monotonic()
        action()
        total = time.monotonic() - begin
        time.sleep(0.1)
        self.say("gap")
        return int(self.wait_out("gap").split()[1]) / 1000, total

    def ours(self):
        before = self.err.read_text().count(DONE)
        self.process.send_signal(signal.SIGQUIT)
        while self.err.read_text().count(DONE) == before:
            time.sleep(0.002)

    def theirs(self):
        path = self.dump.with_name("jvm.hprof")
        subprocess.run([self.jdk.tool("jcmd"), str(self.process.pid), "GC.heap_dump", "-all", str(path)], check=True,
                       stdout=subprocess.DEVNULL)
        self.size = path.stat().st_size
        path.unlink()

    def end(self):
        self.say("end")
        self.process.wait()


def run(jdk, collector, args, classes):
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        program = Program(jdk, collector, args.objects, pathlib.Path(name), classes, args.sites)
        ours, theirs = [], []
        program.measure(program.ours)  # the first fork of a JVM is dearer, the first jcmd loads classes
        for _ in range(args.rounds):
            theirs.append(program.measure(program.theirs))
            ours.append(program.measure(program.ours))
        said = [line for line in program.err.read_text().splitlines() if line.startswith(DONE)][-1]
        program.end()
    pause, total = (statistics.median(row[i] for row in ours) for i in (0, 1))
    their_pause, their_total = (statistics.median(row[i] for row in theirs) for i in (0, 1))
    print("| %d %s | %.1f | %.1f | %.4f | %.2f | %.2f | %.2f |" % (
        jdk.number, collector, pause, their_pause, pause / their_pause, total, their_total, total / their_total))
    print("  " + said, file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--objects", type=int, default=10, help="millions")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", default=None)
    parser.add_argument("--jdk", type=int, nargs="*", default=[17, 25])
    parser.add_argument("--collector", nargs="*", default=["g1", "parallel", "shenandoah"])
    parser.add_argument("--sites", choices="yn", default="n", help="sites= of our dump")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as classes:
        subprocess.run([conftest.JDKS[min(conftest.JDKS)].tool("javac"), "-d", classes,
                        str(HERE / "programs/HeapPause.java")], check=True)
        print("| JDK collector | pause, ms | jcmd | ratio | total, s | jcmd | ratio |")
        print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
        for number in args.jdk:
            for collector in args.collector:
                run(conftest.JDKS[number], collector, args, classes)


if __name__ == "__main__":
    main()
