#!/usr/bin/env python3
"""heapdump - the pause of a heap dump as a heartbeat thread sees it, and its total time: ours and `jcmd GC.heap_dump`.

Both in one JVM, one after the other, `--rounds` times; the medians are compared. --shape: small, four small objects an entry
of a HashMap; arrays, an Object[] of a String and a Long each; varied, rows, indexes and buffers as a server has. --room: the
heap is so many times as large as usual. Total time: until the file is complete (ours: from SIGQUIT to the line that says so). CPU: of the JVM and of the
child that it waited for, which says more where the machine is busy. Files go to --folder.
--sites y: our dump looks for the site of each object, though there is none, the agent having come late; --sites all: the
agent is there from the start, and nearly every object has a site. --command: ours is `hprof dump-heap --fork` of a JVM that has no agent; its time is that of the command. --write: a thread writes to objects at random; "lost" is
how much of its work a dump cost, in seconds of undisturbed work.
Usage: heapdump.py [--objects MILLIONS] [--rounds N] [--folder DIR] [--jdk NUMBER ...] [--collector NAME ...]
                   [--sites n|y|all] [--shape NAME] [--room TIMES] [--command] [--write] [--options OPTIONS]
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
         "shenandoah": ["-XX:+UseShenandoahGC"], "zgc": ["-XX:+UseZGC"]}
DONE = "HPROF: heap dump: pause "
IDLE_S = 1.0
TICKS_S = os.sysconf("SC_CLK_TCK")


class Program:
    """HeapPause with the agent."""

    done = DONE

    def agent_options(self, args):
        return "heap=dump,format=b,idsize=8,doe=n,sites=%s,file=%s" % ("n" if args.sites == "n" else "y", self.dump)

    def __init__(self, jdk, collector, args, folder, classes):
        self.jdk, self.err, self.printed = jdk, folder / "stderr", None
        agent = ROOT / os.environ.get("HPROF_BUILD", "build") / ("src/agent/libhprof%s.so" % ("-test" if "dumptest=" in args.options else ""))
        heap = "%dm" % int(max(512, args.objects * 60) * args.room)
        self.dump = folder / "ours.hprof"
        options = self.agent_options(args) + (args.options and "," + args.options)
        argv = [jdk.tool("java"), *FLAGS[collector], "-Xms" + heap, "-Xmx" + heap,
                *(["-agentpath:%s=%s" % (agent, options)] if args.sites == "all" else []),
                "-cp", str(classes), "HeapPause", str(args.objects), args.shape, *(["write"] if args.write else [])]
        with open(self.err, "wb") as err:
            self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err, text=True,
                                            cwd=str(folder), env=conftest.clean_environment())
        self.wait_out("ready")
        if args.sites != "all" and not args.command:
            subprocess.run([jdk.tool("jcmd"), str(self.process.pid), "JVMTI.agent_load", str(agent),
                            '"%s"' % options], check=True, stdout=subprocess.DEVNULL)

    def wait_out(self, word):
        for line in self.process.stdout:
            if line.startswith(word):
                return line
        sys.exit("the program ended\n" + self.err.read_text())

    def say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def cpu(self):
        """Seconds of CPU time, ended children included."""
        fields = pathlib.Path("/proc/%d/stat" % self.process.pid).read_text().rpartition(")")[2].split()
        return sum(int(field) for field in fields[11:15]) / TICKS_S

    def during(self, action):
        """The longest gap in ms, the time and the CPU time in s, and how many writes there were."""
        self.say("reset")
        begin, cpu = time.monotonic(), self.cpu()
        action()
        total, cpu = time.monotonic() - begin, self.cpu() - cpu
        self.say("gap")
        gap, writes = self.wait_out("gap").split()[1:]
        return int(gap) / 1000, total, cpu, int(writes)

    def measure(self, action):
        """The longest gap in ms, the time in s, the CPU time or what was lost of the time of undisturbed writing."""
        _, idle, _, idle_writes = self.during(lambda: time.sleep(IDLE_S))
        gap, total, cpu, writes = self.during(action)
        return gap, total, total - writes * idle / idle_writes if idle_writes else cpu

    def ours(self):
        before = self.err.read_text().count(self.done)
        self.process.send_signal(signal.SIGQUIT)
        while self.err.read_text().count(self.done) == before:
            time.sleep(0.002)

    def ours_by_command(self):
        path = self.dump.with_name("command.hprof")
        self.printed = subprocess.run([str(ROOT / "build/src/cli/hprof"), "dump-heap", "--fork", str(self.process.pid), str(path)], check=True,
                                   stdout=subprocess.PIPE, text=True).stdout.strip()
        path.unlink()

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
        program = Program(jdk, collector, args, pathlib.Path(name), classes)
        ours, theirs, dump = [], [], program.ours_by_command if args.command else program.ours
        first = program.measure(dump)  # the first fork of a JVM is dearer, the first jcmd loads classes
        for _ in range(args.rounds):
            theirs.append(program.measure(program.theirs))
            ours.append(program.measure(dump))
        said = program.printed or [line for line in program.err.read_text().splitlines() if line.startswith(DONE)][-1]
        program.end()
    cells = []
    for i, form in enumerate(("%.1f | %.1f | %.4f", "%.2f | %.2f | %.2f", "%.2f | %.2f | %.2f")):
        mine, other = statistics.median(row[i] for row in ours), statistics.median(row[i] for row in theirs)
        cells.append(form % (mine, other, mine / other))
    print("| %d %s | %s |" % (jdk.number, collector, " | ".join(cells)))
    print("  first gap %.1f ms, time %.2f s; last: %s" % (first[0], first[1], said), file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--objects", type=int, default=10, help="millions")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", default=None)
    parser.add_argument("--jdk", type=int, nargs="*", default=[17, 25])
    parser.add_argument("--collector", nargs="*", default=["g1", "parallel", "shenandoah"])
    parser.add_argument("--sites", choices=("n", "y", "all"), default="n")
    parser.add_argument("--shape", choices=("small", "arrays", "varied"), default="small")
    parser.add_argument("--room", type=float, default=1)
    parser.add_argument("--command", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--options", default="", help="more of the agent's")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as classes:
        subprocess.run([conftest.JDKS[min(conftest.JDKS)].tool("javac"), "-d", classes,
                        str(HERE / "programs/HeapPause.java")], check=True)
        heads = ["JDK collector", "longest gap, ms", "jcmd", "ratio", "total, s", "jcmd", "ratio",
                 "lost, s" if args.write else "CPU, s", "jcmd", "ratio"]
        print("| %s |\n|%s" % (" | ".join(heads), " --- |" * len(heads)), flush=True)
        for number in args.jdk:
            for collector in args.collector:
                run(conftest.JDKS[number], collector, args, classes)


if __name__ == "__main__":
    main()
