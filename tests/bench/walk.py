#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""walk.py - nanoseconds per walk and per frame: our walker, AsyncGetCallTrace and async-profiler's, in one process.

A thread runs in a loop at the bottom of DEPTH calls of 200 different methods; in a signal handler on that thread the
walkers take turns (walkbench.c). "cold": the first walk of a signal, after EVICT KB of other memory were read; "warm":
five more of the same stack. Compiled code is kept from inlining, so that a frame is a frame; C2 with inlining stands in
rows of its own. Medians.

usage: walk.py [--jdk HOME]... [--depth N]... [--seconds S] [--evict KB]
async-profiler's walker is found through the symbol table of its library (nm), and left out without it.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import overhead

METHODS = 200
MODES = {
    "interpreted": ["-Xint"],
    "C1": ["-XX:TieredStopAtLevel=1", "-XX:-Inline"],
    "C2": ["-XX:-TieredCompilation", "-XX:-Inline"],
    "C2, inlined": ["-XX:-TieredCompilation"],
}
PROGRAM = """
public class Walk {
    static native void begin();
    static native void end();
    static volatile long sink;
    static int run(boolean measures, long ns) {
        if (!measures) return 1;
        long end = System.nanoTime() + ns;
        begin();
        while (System.nanoTime() < end) for (int i = 0; i < 100000; i++) sink += i;
        end();
        return 2;
    }
%s
    public static void main(String[] a) throws Exception {
        int depth = Integer.parseInt(a[0]);
        long ns = (long) (Double.parseDouble(a[1]) * 1e9);
        for (int i = 0; i < 20000; i++) sink += m0(depth < 100 ? depth : 100 + i %% 300, false, 0);
        for (int i = 0; i < 20; i++) sink += m0(depth, false, 0);
        Thread.sleep(500);
        sink += m0(depth, true, ns);
    }
}
"""
METHOD = """    static int m%d(int n, boolean measures, long ns) {
        return n <= 1 ? run(measures, ns) : m%d(n - 1, measures, ns) + 1;
    }
"""


def compile_program(jdk, work):
    source = os.path.join(work, "Walk.java")
    with open(source, "w", encoding="utf-8") as f:
        f.write(PROGRAM % "".join(METHOD % (i, (i + 1) % METHODS) for i in range(METHODS)))
    out = tempfile.mkdtemp(dir=work)
    subprocess.run([os.path.join(jdk, "bin", "javac"), "-d", out, source], check=True)
    return out


def peer_offset(library):
    """Where walkVM() lies in async-profiler's library; None without its symbols."""
    if library is None or not shutil.which("nm"):
        return None
    symbols = subprocess.run(["nm", library], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    found = re.search(r"^([0-9a-f]+) . _ZN11StackWalker6walkVMEPvP15ASGCT_CallFrameii17StackWalkFeatures9EventType$",
                      symbols.stdout, re.M)
    if not found:
        print("this async-profiler has no such symbol: its walker is left out", file=sys.stderr)
    return found.group(1) if found else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jdk", action="append")
    parser.add_argument("--depth", type=int, action="append")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--evict", type=int, default=8192)
    parser.add_argument("--mode", action="append", choices=sorted(MODES))
    o = parser.parse_args()
    jdks = o.jdk or [os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("java"))))]
    bench = os.path.join(overhead.ROOT, "build", "tests", "bench", "libwalkbench.so")
    library = overhead.async_profiler()
    offset = peer_offset(library)
    options = ["-agentpath:%s=evict=%d%s" % (bench, o.evict, ",walkvm=" + offset if offset else "")]
    if offset:
        options.insert(0, "-agentpath:%s=start,event=itimer,interval=100s,file=/dev/null,collapsed" % library)
    with tempfile.TemporaryDirectory(prefix="hprof-bench") as work:
        for jdk in jdks:
            classes = compile_program(jdk, work)
            print("\nJDK %s, %.0f s a run, %d KB read before each cold walk" % (os.path.basename(jdk), o.seconds, o.evict))
            print("| code | depth | walker | frames | cold ns/walk | cold ns/frame | warm ns/walk | warm ns/frame |")
            print("| --- | --- | --- | --- | --- | --- | --- | --- |")
            for mode in o.mode or MODES:
                for depth in o.depth or [10, 100, 1000]:
                    done = subprocess.run([os.path.join(jdk, "bin", "java"), "-Xss16m"] + options + MODES[mode] +
                                          ["-cp", classes, "Walk", str(depth), str(o.seconds)], stdout=subprocess.PIPE,
                                          stderr=subprocess.PIPE, text=True, check=False)
                    if done.returncode != 0:
                        sys.exit(done.stderr)
                    for name, frames, cold, warm in re.findall(
                            r"^(\S+) frames (\d+) cold_ns (\d+) warm_ns (\d+)", done.stdout, re.M):
                        n = int(frames)
                        print("| %s | %d | %s | %d | %s | %.0f | %s | %.0f |" % (
                            mode, depth, name, n, cold, int(cold) / n, warm, int(warm) / n), flush=True)


if __name__ == "__main__":
    main()
