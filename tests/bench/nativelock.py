#!/usr/bin/env python3
"""nativelock.py - what event=nativelock costs where nothing waits: one mutex, taken and given back.

A loop of C code in a JVM takes a mutex that nobody has and gives it back; the figure is the best of 20 loops, by the thread's own CPU
clock, without an agent, with ours, and with async-profiler if there is one. The runs take turns.

usage: nativelock.py [--rounds N] [--jdk HOME] [--build DIR]
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import subprocess
import tempfile

import overhead

PROGRAM = """
public class Locks {
    static native double loop();
    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        Thread.sleep(1000);
        double best = loop();
        for (int i = 1; i < 20; i++)
            best = Math.min(best, loop());
        System.out.println(best);
    }
}
"""
LOOP = """
#include <jni.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
JNIEXPORT jdouble JNICALL Java_Locks_loop(JNIEnv *env, jclass klass)
{
    enum { CALLS = 1000000 };
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    for (int i = 0; i < CALLS; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / CALLS;
}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jdk", default=os.environ.get("JAVA_HOME"))
    parser.add_argument("--build", default=os.path.join(overhead.ROOT, "build"))
    options = parser.parse_args()
    agent = os.path.join(options.build, "src/agent/libhprof.so")
    rival = overhead.async_profiler()
    ways = [("none", []), ("event=nativelock", ["-agentpath:%s=event=nativelock,depth=64,file=x.jfr" % agent])]
    if rival:
        ways += [("async-profiler nativelock", ["-agentpath:%s=start,event=nativelock,jfr,file=y.jfr" % rival])]
    include = subprocess.run([os.path.join(overhead.ROOT, "tools/find-jdk-include")], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as work:
        for name, text in (("Locks.java", PROGRAM), ("loop.c", LOOP)):
            with open(os.path.join(work, name), "w", encoding="ascii") as file:
                file.write(text)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-Wl,-z,now", "-I" + include, "-I" + include + "/linux", "-o", "libloop.so", "loop.c"], cwd=work, check=True)
        subprocess.run([os.path.join(options.jdk, "bin/javac"), "-d", ".", "Locks.java"], cwd=work, check=True)
        best = {name: [] for name, _ in ways}
        for _ in range(options.rounds):
            for name, arguments in ways:
                java = [os.path.join(options.jdk, "bin/java"), *arguments, "-cp", ".", "Locks", os.path.join(work, "libloop.so")]
                best[name].append(float(subprocess.run(java, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout.split()[-1]))
        print("| agent | one lock and unlock, ns |\n| --- | --- |")
        for name, _ in ways:
            print("| %s | %.1f |" % (name, min(best[name])))


main()
