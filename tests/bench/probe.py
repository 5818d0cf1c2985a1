#!/usr/bin/env python3
"""probe.py - hprof probe: what a hit costs the program, against perf's, and how long it takes to put probes and to take them away.

A program in C calls an empty function in a loop and tells the time of one call, by its thread's own CPU clock; beside each opponent the
same, less the time without any. Opponents take turns. Then a JVM that does nothing gets 1, some 50 and all probes of its libjvm.so: from
the start of the command until it says that they are in place, and from its signal until no breakpoint is left. Both ways of hprof: by
links of the kernel (uprobe_multi), and by an event for each probe and processor, as it does where bpf() is refused. Takes root.

usage: probe.py [--rounds N] [--calls N] [--jdk HOME] [--build DIR]
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CALLS = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) int probed(int n) { __asm__ volatile("" : "+r"(n)); return n; }
static double now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1e9 + t.tv_nsec; }
int main(int count, char **words)
{
    char line[8];
    puts("up"); fflush(stdout);
    for (long n = atol(words[count - 1]); fgets(line, sizeof(line), stdin);) {
        double begin = now();
        for (long i = 0; i < n; i++) probed((int)i);
        printf("%.1f\\n", (now() - begin) / n); fflush(stdout);
    }
}
"""
IDLE = "public class Idle { public static void main(String[] words) throws Exception { System.out.println(\"up\"); Thread.sleep(Long.MAX_VALUE); } }"


class Program:
    """One that says "up"."""

    def __init__(self, argv, cwd):
        self.process = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "up\n"

    def call(self):
        self.process.stdin.write("go\n")
        return float(self.process.stdout.readline())

    def end(self):
        self.process.kill()
        self.process.wait()


def begin(argv, folder, is_hprof):
    """Start who looks; wait until it does."""
    err = subprocess.PIPE if is_hprof else subprocess.DEVNULL
    process = subprocess.Popen(argv, cwd=folder, stdout=subprocess.DEVNULL, stderr=err, text=True)
    if is_hprof:
        assert "watching" in process.stderr.readline()
    else:
        time.sleep(1)
    return process


def end(process):
    process.send_signal(signal.SIGINT)
    process.communicate()


def cost(folder, ways, calls, rounds):
    program = Program([folder + "/calls", str(calls)], folder)
    bare, took = [], {name: [] for name, _, _ in ways}
    for _ in range(rounds):
        bare.append(program.call())
        for name, argv, is_hprof in ways:
            process = begin([word.replace("PID", str(program.pid)) for word in argv], folder, is_hprof)
            took[name].append(program.call())
            end(process)
            time.sleep(1)    # what an event left is gone
    program.end()
    print("| who looks | ns of a hit |\n| --- | --- |")
    for name, times in took.items():
        print("| %s | %.0f |" % (name, statistics.median(times) - statistics.median(bare)), flush=True)


def addresses(hprof, pid, names):
    """Where the probes are in the memory of the process."""
    listed = subprocess.run([hprof, "probe", "--json", str(pid), "list", *names], stdout=subprocess.PIPE, text=True, check=True).stdout
    places = []
    for site in map(json.loads, listed.splitlines()):
        for words in (line.split(maxsplit=5) for line in pathlib.Path("/proc/%d/maps" % pid).read_text().splitlines()):
            start, stop = (int(word, 16) for word in words[0].split("-"))
            into = site["offset"] - int(words[2], 16)
            if "x" in words[1] and os.path.basename(words[-1]) == site["library"] and 0 <= into < stop - start:
                places.append(start + into)
    return places


def breakpoints(pid, places):
    with open("/proc/%d/mem" % pid, "rb", buffering=0) as memory:
        return sum(os.pread(memory.fileno(), 1, place) == b"\xcc" for place in places)


def put_and_remove(command, hprof, pid, names):
    places = addresses(hprof, pid, names)
    start = time.monotonic()
    process = subprocess.Popen([*command, "probe", str(pid), "count", *names], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert "watching" in process.stderr.readline()
    put = time.monotonic() - start
    assert breakpoints(pid, places) == len(places)
    descriptors = len(os.listdir("/proc/%d/fd" % process.pid))
    start = time.monotonic()
    end(process)
    while breakpoints(pid, places):
        time.sleep(0.001)
    return len(places), descriptors, put, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=200000)
    parser.add_argument("--jdk", default=os.environ.get("JAVA_HOME"))
    parser.add_argument("--build", default=str(ROOT / "build"))
    options = parser.parse_args()
    hprof = os.path.join(options.build, "src/cli/hprof")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "calls.c").write_text(CALLS)
        pathlib.Path(folder, "Idle.java").write_text(IDLE)
        subprocess.check_call(["cc", "-O2", "-Wl,--build-id", "-o", "calls", "calls.c"], cwd=folder)
        subprocess.check_call(["cc", "-O1", "-o", "refuse", str(ROOT / "tests/jdk/native/refuse.c")], cwd=folder)
        subprocess.check_call([os.path.join(options.jdk, "bin/javac"), "Idle.java"], cwd=folder)
        commands = {"links": [hprof], "events": [folder + "/refuse", "bpf=EPERM", "--", hprof]}
        words = {"count": ["PID", "count", "uprobe:calls:probed"],
                 "count, returns": ["PID", "count", "uretprobe:calls:probed"],
                 "trace": ["--max-rate=10000000", "PID", "trace", "uprobe:calls:probed(n:int)"],
                 "trace --stack": ["--stack", "PID", "trace", "uprobe:calls:probed(n:int)"]}
        ways = [("hprof probe %s, %s" % (what, way), [*command, "probe", *words[what]], True) for what in words for way, command in commands.items()]
        if shutil.which("perf"):
            subprocess.check_call(["perf", "probe", "-q", "-x", "calls", "hprof_bench:probed=probed"], cwd=folder)
            ways += [("perf stat", ["perf", "stat", "-e", "hprof_bench:probed", "-p", "PID"], False),
                     ("perf record", ["perf", "record", "-q", "-o", "perf.data", "-e", "hprof_bench:probed", "-p", "PID"], False),
                     ("perf record --call-graph dwarf,32768", ["perf", "record", "-q", "--call-graph=dwarf,32768", "-o", "perf.data", "-e", "hprof_bench:probed", "-p", "PID"], False)]
        try:
            cost(folder, ways, options.calls, options.rounds)
        finally:
            if shutil.which("perf"):
                time.sleep(2)
                subprocess.call(["perf", "probe", "-q", "-d", "hprof_bench:probed"])
        java = Program([os.path.join(options.jdk, "bin/java"), "-Xmx64m", "-cp", folder, "Idle"], folder)
        print("\n| sites | way | descriptors | put, ms | taken away, ms |\n| --- | --- | --- | --- | --- |")
        for names in (["thread__yield"], ["hotspot:*"], ["hotspot:*", "hotspot_jni:*"]):
            for way, command in commands.items():
                sites, descriptors, put, away = put_and_remove(command, hprof, java.pid, names)
                print("| %d | %s | %d | %.0f | %.0f |" % (sites, way, descriptors, 1000 * put, 1000 * away), flush=True)
        java.end()


if __name__ == "__main__":
    main()
