#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""traces.py - memory of the profiler under 131,072 stacks that differ, each a sample of allocation (programs/Paths.java).

Resident memory of the JVM at the end and at its highest, beyond that of a run without a profiler; medians over the rounds, tools in
turn; and the traces in what each has written.

usage: traces.py [--rounds N] [--jdk HOME]
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import attach
import overhead


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jdk")
    o = parser.parse_args()
    jdk = o.jdk or os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("java"))))
    with tempfile.TemporaryDirectory(prefix="hprof-bench") as work:
        subprocess.run([jdk + "/bin/javac", "-nowarn", "-d", work, os.path.join(attach.HERE, "programs/Paths.java")], check=True)
        hprof, peer = os.path.join(overhead.ROOT, "build/libhprof.so"), overhead.async_profiler()
        rows = {"nothing": [], "hprof, .jfr": ["-agentpath:%s=event=alloc,alloc=512k,verbose=n,file=%s/h.jfr" % (hprof, work)],
                "hprof, .txt": ["-agentpath:%s=event=alloc,alloc=512k,depth=512,cutoff=0,verbose=n,file=%s/h.txt" % (hprof, work)]}
        if peer:
            rows["async-profiler, .jfr"] = ["-agentpath:%s=start,event=alloc,alloc=512k,jfr,file=%s/a.jfr" % (peer, work)]
            rows["async-profiler, .collapsed"] = ["-agentpath:%s=start,event=alloc,alloc=512k,collapsed,file=%s/a.collapsed" % (peer, work)]
        rows["JFR, profile"] = ["-XX:StartFlightRecording=settings=profile,filename=%s/j.jfr" % work]
        results = {name: [] for name in rows}
        for _ in range(o.rounds):
            for name, options in rows.items():
                done = subprocess.run([jdk + "/bin/java", "-XX:+UseSerialGC", "-Xms128m", "-Xmx128m", *options, "-cp", work, "Paths"],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
                numbers = [int(line) for line in done.stdout.splitlines() if line.strip().isdigit()]
                if done.returncode != 0 or len(numbers) != 2:
                    sys.exit("%s: %s" % (name, done.stdout + done.stderr))
                results[name].append(numbers)
        bare = [statistics.median(row[i] for row in results["nothing"]) for i in (0, 1)]
        print("\nJDK %s, %d rounds" % (os.path.basename(jdk), o.rounds))
        print("| | highest, MB | at the end, MB |\n| --- | --- | --- |")
        for name, row in results.items():
            high, end = (statistics.median(r[i] for r in row) for i in (0, 1))
            print("| %s | %.1f | %.1f |" % (name, (high - bare[0]) / 1024, (end - bare[1]) / 1024))
        files = [os.path.join(work, name) for name in ("h.jfr", "a.jfr", "h.txt", "a.collapsed", "j.jfr")]
        print(", ".join("%s %.1f MB" % (os.path.basename(path), os.path.getsize(path) / 1e6) for path in files if os.path.exists(path)))
        for name in ("h.jfr", "a.jfr"):
            if os.path.exists(os.path.join(work, name)):
                text = subprocess.run([os.path.join(overhead.ROOT, "build/hprof"), "jfr", "summary", os.path.join(work, name)],
                                      stdout=subprocess.PIPE, text=True, check=True).stdout
                print(name, [line.split()[:2] for line in text.splitlines() if "Allocation" in line and line.split()[1] != "0"])


if __name__ == "__main__":
    main()
