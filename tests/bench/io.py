#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""io.py - what event=io costs a call that is shorter than the threshold.

A program reads one byte of /dev/zero all the time: by FileInputStream.read() in Java, and by read() in a loop of C code of a
library. Both are the thread's own CPU time for one call, the best of several loops; without an agent, with event=io, with io=0
(each call is an event; those that find no room are counted) and with the JDK's own recording.

usage: io.py [--rounds N] [--jdk HOME]... [--build DIR]
"""
import argparse
import os
import subprocess
import sys
import tempfile

import overhead

PROGRAM = """
import java.io.FileInputStream;
public class Reads {
    static native double loop(int count);
    static long now() { return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime(); }
    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        double best = 1e9;
        try (FileInputStream in = new FileInputStream("/dev/zero")) {
            in.read();
            Thread.sleep(500);
            for (int round = 0; round < 20; round++) {
                long begin = now();
                for (int i = 0; i < 100000; i++)
                    in.read();
                best = Math.min(best, (now() - begin) / 100000.0);
            }
        }
        System.out.printf("%.1f %.1f%n", loop(100000), best);
    }
}
"""
LOOP = r"""
#include <fcntl.h>
#include <jni.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1e9 + t.tv_nsec; }
JNIEXPORT jdouble JNICALL Java_Reads_loop(JNIEnv *env, jclass self, jint count)
{
    double best = 1e9;
    int fd = open("/dev/zero", O_RDONLY);
    char byte;
    for (int round = 0; round < 20; round++) {
        double begin = now();
        for (int i = 0; i < count; i++)
            if (read(fd, &byte, 1) != 1)
                return -1;
        double each = (now() - begin) / count;
        best = each < best ? each : best;
    }
    close(fd);
    return best;
}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jdk", action="append")
    parser.add_argument("--build", default=os.path.join(overhead.ROOT, "build"))
    options = parser.parse_args()
    agent = "-agentpath:%s=depth=64,file=x.jfr," % os.path.join(options.build, "src/agent/libhprof.so")
    ways = [("none", []), ("event=io", [agent + "event=io"]), ("event=io,io=0", [agent + "event=io,io=0"]),
            ("the JDK's recording, 20 ms", ["-XX:StartFlightRecording:filename=y.jfr,jdk.FileRead#threshold=20ms"])]
    include = subprocess.run([os.path.join(overhead.ROOT, "tools/find-jdk-include")], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as work:
        for name, text in (("Reads.java", PROGRAM), ("loop.c", LOOP)):
            with open(os.path.join(work, name), "w", encoding="ascii") as file:
                file.write(text)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I" + include, "-I" + include + "/linux", "-o", "libloop.so", "loop.c"], cwd=work, check=True)
        print("| JDK | agent | one read() of C, ns | one read() of Java, ns |\n| --- | --- | --- | --- |")
        for jdk in options.jdk or [os.environ["JAVA_HOME"]]:
            subprocess.run([os.path.join(jdk, "bin/javac"), "-nowarn", "-d", ".", "Reads.java"], cwd=work, check=True)
            best = {}
            for _ in range(options.rounds):
                for name, arguments in ways:
                    argv = [os.path.join(jdk, "bin/java"), *arguments, "-cp", ".", "Reads", os.path.join(work, "libloop.so")]
                    done = subprocess.run(argv, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
                    if done.returncode != 0:
                        sys.exit("%s: %s%s" % (" ".join(argv), done.stdout, done.stderr))
                    line = [line.split() for line in done.stdout.splitlines() if len(line.split()) == 2 and line[0].isdigit()][-1]
                    found = [float(word) for word in line]
                    best[name] = [min(pair) for pair in zip(best.get(name, found), found)]
            for name, _ in ways:
                print("| %s | %s | %.0f | %.0f |" % (os.path.basename(jdk), name, *best[name]))


if __name__ == "__main__":
    main()
