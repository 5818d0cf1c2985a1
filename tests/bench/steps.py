#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""steps.py - one INSTRUCTION_START of JVMPI against one SingleStep of JVM TI: the CPU time of the stepping thread, ns.

Both agents (steps.c) count and do nothing else. They take turns; a run gives the best of its ten rounds (programs/Steps.java), a row
the middle of the runs..

usage: steps.py [--runs N] [--jdk ID ...]
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

from times import jdks

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def build(folder, javac):
    headers = subprocess.check_output([str(ROOT / "tools/find-jdk-include")], text=True).strip()
    subprocess.check_call(["cc", "-O2", "-shared", "-fPIC", "-I%s" % (ROOT / "include"), "-I" + headers, "-I%s/linux" % headers,
                           "-o", os.path.join(folder, "libsteps.so"), str(HERE / "steps.c")])
    subprocess.check_call([javac, "-nowarn", "-d", folder, str(HERE / "programs/Steps.java")])


def run(java, folder, agent):
    """ns of the best round, and the instructions of the whole run."""
    done = subprocess.run([java, agent, "-cp", folder, "Steps"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True,
                          env=dict(os.environ, LD_LIBRARY_PATH=folder))
    return int(done.stdout), int(re.search(r"steps: (\d+)", done.stderr).group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--jdk", nargs="*", type=int, default=[])
    args = parser.parse_args()
    agents = {"SingleStep": "-agentpath:%s/libsteps.so",
              "INSTRUCTION_START": "-agentpath:%s=steps" % (ROOT / "build/src/jvmpi/libjvmpi.so")}
    print("| JDK | SingleStep ns | INSTRUCTION_START ns | ratio |\n| --- | --- | --- | --- |")
    homes = jdks()
    with tempfile.TemporaryDirectory() as folder:
        build(folder, os.path.join(homes[min(homes)], "bin/javac"))
        for jdk, home in homes.items():
            if args.jdk and jdk not in args.jdk:
                continue
            found = {name: [] for name in agents}
            counts = []
            for _ in range(args.runs):
                for name, agent in agents.items():
                    ns, count = run(os.path.join(home, "bin/java"), folder, agent % folder if "%s" in agent else agent)
                    found[name].append(ns)
                    counts.append(count)
            per_round = min(counts) / 10    # start and end of the VM are some thousandths of a run
            step, ours = (statistics.median(found[name]) / per_round for name in agents)
            print("| %s | %.0f | %.0f | %.2f |" % (jdk, step, ours, ours / step), flush=True)


if __name__ == "__main__":
    main()
