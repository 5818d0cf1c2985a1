#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""export.py - what `hprof export` takes, beside `hprof report --to collapsed` of the same recording, in CPU time.

Measured is the CPU time of each command, in turns: on a busy machine wall time says little. Medians over the rounds. The recording
is given --times times as one, for chunks one behind the other are a recording, too.

usage: export.py [--rounds N] [--times N] [--hprof PATH] RECORDING...
"""
import argparse
import os
import shutil
import statistics
import subprocess
import tempfile

from jfr import run


def measure(hprof, recording, times, rounds):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.jfr")
        with open(path, "wb") as whole:
            for _ in range(times):
                with open(recording, "rb") as part:
                    shutil.copyfileobj(part, whole, 1 << 20)
        outputs = [os.path.join(folder, name) for name in ("x.collapsed", "x.db", "parquet")]
        argvs = [[hprof, "report", path, "--to", "collapsed", "-o", outputs[0]], [hprof, "export", path, "--to", "sqlite", "-o", outputs[1]],
                 [hprof, "export", path, "--to", "parquet", "-o", outputs[2]]]
        results = [[] for _ in argvs]
        for _ in range(rounds):
            for argv, output, result in zip(argvs, outputs, results):
                result.append(run(argv)[0])
                (shutil.rmtree if os.path.isdir(output) else os.unlink)(output)
        said = subprocess.run([hprof, "query", path, "--format", "csv", "select count(*) from events"], stdout=subprocess.PIPE, text=True, check=True)
        return int(said.stdout.split()[1]), os.path.getsize(path) / 1e6, [statistics.median(result) for result in results]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--times", type=int, default=40)
    parser.add_argument("--hprof", default="build/src/cli/hprof")
    parser.add_argument("recordings", nargs="+")
    a = parser.parse_args()
    print("| recording | events | MB | collapsed, s | sqlite, s | parquet, s | parquet, events a second |\n| --- | --- | --- | --- | --- | --- | --- |")
    for recording in a.recordings:
        events, megabytes, seconds = measure(a.hprof, recording, a.times, a.rounds)
        print("| %s | %d | %.1f | %.3f | %.3f | %.3f | %.0f |" % (os.path.basename(recording), events, megabytes, *seconds, events / seconds[2]))


if __name__ == "__main__":
    main()
