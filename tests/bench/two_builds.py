#!/usr/bin/env python3
"""two_builds.py - one build of hprof against another: CPU time of programs and of a report, pause of heap dumps, as ratios.

For a change that should cost nothing. Each round measures a row with the older build and with the newer one, which of them first
changes from round to round, so that a noisy machine is noisy for both. Printed are the medians and, of the ratios newer to older
of each round, the median and the middle half. OLD and NEW are build folders.
Usage: two_builds.py [--rounds N] [--jdk NUMBER] [--row NAME]... OLD NEW
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

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/jdk"))
import conftest  # noqa: E402 pylint: disable=wrong-import-position
import heapdump  # noqa: E402 pylint: disable=wrong-import-position
import overhead  # noqa: E402 pylint: disable=wrong-import-position
from real import cpu_seconds  # noqa: E402 pylint: disable=wrong-import-position

RECORDING_BYTES = 100 << 20
STARTS = 5
HELLO = "public class Hello { public static void main(String[] a) { System.out.println(); } }\n"


class Work:
    """A folder with what the rows measure."""

    def __init__(self, folder, jdk):
        self.folder, self.jdk, self.programs, self.heaps = folder, jdk, {}, {}
        (folder / "Hello.java").write_text(HELLO)
        for source in (folder / "Hello.java", HERE / "programs/HeapPause.java"):
            subprocess.run([jdk.tool("javac"), "-d", str(folder), str(source)], check=True)

    def run(self, build, options, program):
        """The CPU time of a program with the agent, in ms."""
        agent = "-agentpath:%s=%s,verbose=n,force=y,file=%s" % (build / "src/agent/libhprof.so", options, self.folder / "profile")
        return 1000 * cpu_seconds([self.jdk.tool("java"), agent, *program], str(self.folder))

    def javac(self, build, options):
        return self.run(build, options, overhead.javac_program(str(self.folder), self.jdk.home, 0))

    def spin(self, build, options, turns):
        return self.run(build, options, overhead.spin_program(str(self.folder), self.jdk.home, turns))

    def start(self, build, options):
        return statistics.median(self.run(build, options, ["-cp", str(self.folder), "Hello"]) for _ in range(STARTS))

    def recording(self):
        """Of javac by the JDK's recorder, its chunks again and again."""
        path = self.folder / "long.jfr"
        if not path.exists():
            one = self.folder / "one.jfr"
            subprocess.run([self.jdk.tool("java"), "-XX:StartFlightRecording=settings=profile,filename=%s" % one,
                            *overhead.javac_program(str(self.folder), self.jdk.home, 0)],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            data = one.read_bytes()
            with open(path, "wb") as out:
                for _ in range(RECORDING_BYTES // len(data) + 1):
                    out.write(data)
        return str(path)

    def report(self, build):
        return 1000 * cpu_seconds([str(build / "src/cli/hprof"), "report", self.recording()], str(self.folder))

    def pause(self, build):
        """The longest gap that a thread of a JVM of two million objects saw during a dump, in ms. Each build has its own JVM."""
        if build not in self.heaps:
            folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
            self.heaps[build] = Heap(self.jdk, build, folder, self.folder)
        return self.heaps[build].gap()

    def end(self):
        for heap in self.heaps.values():
            heap.end()


class Heap(heapdump.Program):
    """HeapPause with the agent of that build."""

    def __init__(self, jdk, build, folder, classes):
        options = argparse.Namespace(sites="all", options="", objects=2, shape="small", room=2, write=False, command=False)
        os.environ["HPROF_BUILD"] = str(build)  # heapdump.py takes the agent from there
        super().__init__(jdk, "g1", options, folder, classes)
        self.gap()  # the first fork of a JVM is dearer

    def gap(self):
        return self.during(self.ours)[0]

    def ours(self):
        before = self.err.read_text().count(self.done)
        self.process.send_signal(signal.SIGQUIT)
        while self.err.read_text().count(self.done) == before:
            if self.process.poll() is not None:
                sys.exit("the program ended\n" + self.err.read_text())


ROWS = {
    "cpu=samples, 1 ms, javac: CPU, ms": lambda work, build: work.javac(build, "cpu=samples,interval=1ms,depth=64"),
    "heap=sites, recursion and sorting: CPU, ms": lambda work, build: work.spin(build, "heap=sites", 40),
    "cpu=times, recursion and sorting: CPU, ms": lambda work, build: work.spin(build, "cpu=times", 4),
    "start, cpu=samples: CPU, ms": lambda work, build: work.start(build, "cpu=samples"),
    "start, heap=sites: CPU, ms": lambda work, build: work.start(build, "heap=sites"),
    "start, cpu=times: CPU, ms": lambda work, build: work.start(build, "cpu=times"),
    "heap=dump, 2 million objects: pause, ms": lambda work, build: work.pause(build),
    "report of 100 MB: CPU, ms": lambda work, build: work.report(build),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=7, help="2 or more")
    parser.add_argument("--jdk", type=int, default=17)
    parser.add_argument("--row", action="append", help="words that the rows to measure begin with")
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    args = parser.parse_args()
    print("| JDK %d, %d rounds | older | newer | ratio | middle half |\n|%s" % (args.jdk, args.rounds, " --- |" * 5))
    with tempfile.TemporaryDirectory(prefix="hprof-bench") as folder:
        work = Work(pathlib.Path(folder), conftest.JDKS[args.jdk])
        for name, measure in ROWS.items():
            if args.row and not any(name.startswith(row) for row in args.row):
                continue
            seen = {args.old: [], args.new: []}
            for turn in range(args.rounds):
                for build in (args.old, args.new)[::1 if turn % 2 == 0 else -1]:
                    seen[build].append(measure(work, build.resolve()))
            ratios = [new / old for old, new in zip(seen[args.old], seen[args.new])]
            low, _, high = statistics.quantiles(ratios, n=4)
            print("| %s | %.1f | %.1f | %.3f | %.3f to %.3f |" % (name, statistics.median(seen[args.old]), statistics.median(
                seen[args.new]), statistics.median(ratios), low, high), flush=True)
        work.end()


if __name__ == "__main__":
    main()
