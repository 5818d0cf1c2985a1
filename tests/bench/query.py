#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""query.py - questions in SQL about a recording: `hprof query`, beside what `jfr view` of a JDK answers in its own language.

The JDK has no SQL; of its queries (`jfr view`, which takes JDK 21 or later) those that count what a statement here counts are
the peer. Each tool reads the recording in turns with the others; measured is CPU time, for on a busy machine wall time says
little, and the most memory that it took, mapped pages of the file included. Medians over the rounds.

The recording is given --times times as one, for chunks one behind the other are a recording, too. A good one is that of javac:
  javac -J-XX:StartFlightRecording=filename=x.jfr,settings=profile,jdk.ObjectAllocationInNewTLAB#enabled=true ... *.java

usage: query.py [--rounds N] [--times N] [--jdk HOME] [--hprof PATH] RECORDING
"""
import argparse
import os
import shutil
import statistics
import subprocess
import tempfile

from jfr import run

STATEMENTS = [
    ("events by type, with their time", "select type, count(*), sum(duration) from events group by type"),
    ("the same, sorted by SQLite", "select type, count(*), sum(+duration) from events group by type"),
    ("one number of all events", "select sum(duration) from events"),
    ("bytes by method", "select top_frame(stack), sum(bytes) from ObjectAllocationSample group by 1 order by 2 desc limit 10"),
    ("bytes by thread", "select thread, sum(bytes) from ObjectAllocationSample group by 1"),
]
VIEWS = ["allocation-by-site", "allocation-by-thread"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--jdk", default=os.environ.get("JAVA_HOME"))
    parser.add_argument("--hprof", default="build/src/cli/hprof")
    parser.add_argument("recording")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.jfr")
        with open(path, "wb") as whole:
            for _ in range(a.times):
                with open(a.recording, "rb") as part:
                    shutil.copyfileobj(part, whole, 1 << 20)
        rows = [(what, [a.hprof, "query", path, sql]) for what, sql in STATEMENTS]
        if a.jdk:
            rows += [("jfr view " + view, [os.path.join(a.jdk, "bin/jfr"), "view", view, path]) for view in VIEWS]
        said = subprocess.run([a.hprof, "query", path, "--format", "csv", "select count(*) from events"], stdout=subprocess.PIPE, text=True, check=True)
        print("%s events, %.0f MB\n" % (said.stdout.split()[1], os.path.getsize(path) / 1e6))
        results = [[] for _ in rows]
        for _ in range(a.rounds):
            for (_, argv), result in zip(rows, results):
                result.append(run(argv))
    print("| question | CPU, s | memory, MB |\n| --- | --- | --- |")
    for (what, _), result in zip(rows, results):
        print("| %s | %.2f | %.0f |" % (what, statistics.median(cpu for cpu, _ in result), statistics.median(mb for _, mb in result)))


main()
