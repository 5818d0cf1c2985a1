#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""method.py - what method= costs for each call of a watched method, below its time and above.

A program calls a method of one line in a loop and prints the CPU time of its thread for one call, the best of several
rounds: without an agent; watched, with no call above the time; with each call above it; and under the JDK's own
jdk.MethodTiming and jdk.MethodTrace (JDK 25 and later).

usage: method.py [--build DIR] [--jdk HOME]...
"""
import argparse
import os
import subprocess
import sys
import tempfile

PROGRAM = """
import java.lang.management.ManagementFactory;
public class Small {
    static int small(int n) {
        return n * 31 + 7;
    }
    static int calls(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++)
            sum += small(i + sum);
        return sum;
    }
    public static void main(String[] args) {
        int count = Integer.parseInt(args[0]), sum = 0;
        double best = 1e12;
        for (int round = 0; round < 15; round++) {
            long begin = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            sum += calls(count);
            best = Math.min(best, (double) (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begin) / count);
        }
        System.out.println(best + " " + sum);
    }
}
"""
COUNT = "1000000"


def ns(home, folder, count, *vm):
    ran = subprocess.run([home + "/bin/java", *vm, "-cp", folder, "Small", count], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         text=True, check=True, cwd=folder)
    return "%.0f" % float(next(line for line in ran.stdout.splitlines() if line[:1].isdigit()).split()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--jdk", action="append", help="the home of a JDK; may be repeated")
    options = parser.parse_args()
    agent = os.path.abspath(options.build + "/src/agent/libhprof.so")
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/Small.java", "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        rows = [("no agent", []),
                ("`method=Small::small`, or `:>1h`", ["-agentpath:%s=method=Small::small:>1h,file=x.jfr" % agent]),
                ("`:>0`, each call above", ["-agentpath:%s=method=Small::small:>0,file=y.jfr" % agent]),
                ("`jdk.MethodTiming`", ["-XX:StartFlightRecording:method-timing=Small::small,filename=z.jfr"])]
        homes = options.jdk or [sys.exit("name a JDK: --jdk HOME")]
        subprocess.run([homes[0] + "/bin/javac", "-d", folder, folder + "/Small.java"], check=True)
        print("| ns for a call | " + " | ".join(os.path.basename(home) for home in homes) + " |")
        print("| --- |" + " --- |" * len(homes))
        for name, vm in rows:
            cells = []
            for home in homes:
                is_old = not os.path.exists(home + "/lib/modules") or "25" not in os.path.basename(home)
                cells.append("" if is_old and "jdk." in name else ns(home, folder, COUNT, *vm))
            print("| %s | %s |" % (name, " | ".join(cells)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
