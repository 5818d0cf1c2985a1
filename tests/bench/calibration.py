#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""calibration.py - what cpu=times takes off each call, beside nothing and beside two busy processes for each processor.

Runs of `java -version` in turns, with and without the load; printed are the smallest, median and largest of the ns a
call (inside and outside together), and the ratio of the medians.

usage: calibration.py [--rounds N] [--clock NAME] [--jdk ID]
"""
import argparse
import os
import re
import statistics
import subprocess
import tempfile

from times import AGENT, jdks

COST = re.compile(r"^ *times_cost_(?:inside|outside)_ps = (\d+)", re.M)


def calibrated(home, clock, work):
    subprocess.run([home + "/bin/java", "-agentpath:%s=cpu=times,file=t.txt%s" % (AGENT, clock), "-version"], cwd=work,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    with open(os.path.join(work, "t.txt"), encoding="utf-8") as file:
        return sum(int(ps) for ps in COST.findall(file.read())) / 1000


def under_load(measure):
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * os.cpu_count())]
    try:
        return measure()
    finally:
        for process in busy:
            process.kill()
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clock", default="")
    parser.add_argument("--jdk", type=int, action="append")
    options = parser.parse_args()
    clock = ",clock=" + options.clock if options.clock else ""
    print("| JDK | ns a call | under load | ratio |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as work:
        for jdk, home in jdks().items():
            if options.jdk and jdk not in options.jdk:
                continue
            idle, loaded = [], []
            for _ in range(options.rounds):
                idle.append(calibrated(home, clock, work))
                loaded.append(under_load(lambda home=home: calibrated(home, clock, work)))
            print("| %d | %s | %s | %.2f |" % (jdk, shown(idle), shown(loaded), statistics.median(loaded) / statistics.median(idle)),
                  flush=True)


def shown(values):
    return "%.1f (%.1f to %.1f)" % (statistics.median(values), min(values), max(values))


if __name__ == "__main__":
    main()
