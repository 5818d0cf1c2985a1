#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nativemem.py - what event=nativemem costs: a program that only allocates and frees native memory, and one call of malloc.

The first table is the CPU time of a JVM that calls Unsafe.allocateMemory and freeMemory all the time, without an agent, with
hprof and with async-profiler, in turn, round after round; ratios to the bare run of the same round, medians. The second is
the time of one malloc() and free() in a loop of C code of a library: the best of several loops. What it is more than
without an agent is the cost of two hooks.

usage: nativemem.py [--rounds N] [--jdk HOME]... [--build DIR]
async-profiler comes from Maven Central by name and version (mvn), kept in the cache folder.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile

import overhead

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = """
public class Mallocs {
    static native double loop(int count, int bytes);
    public static void main(String[] args) throws Exception {
        if (args[0].equals("loop")) {
            System.load(args[1]);
            Thread.sleep(500);
            System.out.printf("%.2f%n", loop(1000000, 64));
            return;
        }
        java.lang.reflect.Field f = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        f.setAccessible(true);
        sun.misc.Unsafe unsafe = (sun.misc.Unsafe) f.get(null);
        long[] kept = new long[1000];
        int n = Integer.parseInt(args[1]);
        for (int i = 0; i < n; i++) {
            int at = i % kept.length;
            unsafe.freeMemory(kept[at]);
            kept[at] = unsafe.allocateMemory(16 + i % 500);
        }
    }
}
"""
LOOP = r"""
#include <jni.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1e9 + t.tv_nsec; }
JNIEXPORT jdouble JNICALL Java_Mallocs_loop(JNIEnv *env, jclass self, jint count, jint bytes)
{
    double best = 1e9;
    for (int round = 0; round < 20; round++) {
        double begin = now();
        for (int i = 0; i < count; i++) {
            void *volatile block = malloc(bytes);
            free(block);
        }
        double each = (now() - begin) / count;
        best = each < best ? each : best;
    }
    return best;
}
"""


def cpu_of(argv, work):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit("%s: %s%s" % (" ".join(argv), done.stdout, done.stderr))
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jdk", action="append")
    parser.add_argument("--build", default=os.path.join(overhead.ROOT, "build"))
    parser.add_argument("--calls", type=int, default=30000000)
    options = parser.parse_args()
    agent = os.path.join(options.build, "src/agent/libhprof.so")
    rival = overhead.async_profiler()
    ways = [("none", []), ("hprof nativemem=512k", ["-agentpath:%s=event=nativemem,depth=64,file=x.jfr" % agent])]
    if rival:
        ways += [("async-profiler nativemem=512k", ["-agentpath:%s=start,nativemem=512k,jfr,file=y.jfr" % rival])]
        ways += [("async-profiler nativemem=512k,nofree", ["-agentpath:%s=start,nativemem=512k,nofree,jfr,file=y.jfr" % rival])]
    include = subprocess.run([os.path.join(overhead.ROOT, "tools/find-jdk-include")], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as work:
        for name, text in (("Mallocs.java", PROGRAM), ("loop.c", LOOP)):
            with open(os.path.join(work, name), "w", encoding="ascii") as file:
                file.write(text)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I" + include, "-I" + include + "/linux", "-o", "libloop.so", "loop.c"], cwd=work, check=True)
        print("| JDK | agent | CPU s | ratio | one malloc and free, ns |\n| --- | --- | --- | --- | --- |")
        for jdk in options.jdk or [os.environ["JAVA_HOME"]]:
            subprocess.run([os.path.join(jdk, "bin/javac"), "-nowarn", "-XDignore.symbol.file", "-d", ".", "Mallocs.java"], cwd=work, check=True, stderr=subprocess.DEVNULL)
            seconds, loops = {name: [] for name, _ in ways}, {name: [] for name, _ in ways}
            for _ in range(options.rounds):
                for name, arguments in ways:
                    java = [os.path.join(jdk, "bin/java"), *arguments, "-XX:+UseSerialGC", "-cp", ".", "Mallocs"]
                    seconds[name].append(cpu_of(java + ["calls", str(options.calls)], work)[0])
                    loops[name].append(float(cpu_of(java + ["loop", os.path.join(work, "libloop.so")], work)[1].split()[-1]))
            for name, _ in ways:
                ratios = [own / bare for own, bare in zip(seconds[name], seconds["none"])]
                print("| %s | %s | %.2f | %.2f (%.2f to %.2f) | %.1f |" % (os.path.basename(jdk), name, statistics.median(seconds[name]), statistics.median(ratios),
                                                                    min(ratios), max(ratios), min(loops[name])))


if __name__ == "__main__":
    main()
