#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heap.py - heap dumps analysed: `hprof heap` against hprof-analyzer, and its histogram against hprof-slurp.

For each dump, tools in turn, medians over the rounds: CPU time of user and system, the time on the clock, RssAnon at its peak (looked
at each 2 ms), and the size of the file. The dumps are in the page cache; each tool has one core (--cores 0,1 for two), but hprof-slurp
and the histogram beside it have all. Peers come from crates.io by `cargo install --locked`, into --peers.

usage: heap.py [--rounds N] [--folder PATH] [--peers PATH] [--jdk HOME] [--h2 ROWS] [--map ENTRIES] [--memory SIZE] [--cores LIST]
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import overhead

HERE = pathlib.Path(__file__).resolve().parent
PEERS = {"hprof-analyzer": "0.3.2", "hprof-slurp": "0.10.0"}
H2 = pathlib.Path.home() / ".cache/hprof/readers/h2-2.1.214.jar"


class Peak(threading.Thread):
    """RssAnon and RssShmem of a process at their peak, in KB."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.status = open("/proc/%d/status" % pid)
        self.anon = self.shmem = 0
        self.ended = False

    def run(self):
        while not self.ended:
            try:
                self.status.seek(0)
                rows = dict(line.split(":", 1) for line in self.status.read().splitlines() if line.startswith("Rss"))
            except OSError:
                break
            if not rows:
                break
            self.anon = max(self.anon, int(rows["RssAnon"].split()[0]))
            self.shmem = max(self.shmem, int(rows["RssShmem"].split()[0]))
            time.sleep(0.002)


def measure(command, cores, out=subprocess.DEVNULL):
    """CPU seconds, seconds, MB at the peak."""
    start = time.monotonic()
    process = subprocess.Popen(["taskset", "-c", cores, *map(str, command)] if cores else list(map(str, command)), stdout=out,
                               stderr=subprocess.PIPE)
    peak = Peak(process.pid)
    peak.start()
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    took = time.monotonic() - start
    peak.ended = True
    peak.join()
    peak.status.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("%s failed: %s" % (" ".join(map(str, command)), errors.decode(errors="replace")[-1000:]))
    return usage.ru_utime + usage.ru_stime, took, (peak.anon + peak.shmem) / 1024


def install(peers):
    """The commands of the peers; None for one that cannot be had."""
    found = {}
    for name, version in PEERS.items():
        path = peers / "bin" / name
        if not path.exists() and shutil.which("cargo"):
            done = subprocess.run(["cargo", "install", "--locked", "--root", peers, name, "--version", version], check=False,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                print("%s %s: %s" % (name, version, done.stderr[-400:]), file=sys.stderr)
        found[name] = path if path.exists() else None
    return found


def make_dump(o, kind, count, folder, classes):
    dump = folder / ("%s-%d.hprof" % (kind, count))
    if not dump.exists():
        heap = "-Xmx%dm" % (300 + count * (2 if kind == "h2" else 1) // 2000)
        subprocess.run([os.path.join(o.jdk, "bin", "java"), heap, "-XX:+UseSerialGC", "-cp", "%s:%s" % (classes, H2), "HeapHeld", kind,
                        str(count), str(dump)], check=True, stdout=subprocess.DEVNULL)
    dump.read_bytes()  # into the page cache
    return dump


def put(title, rows, rounds):
    """Runs the rows in turns and prints them; a row is a name, a command, cores, and what is compared with it."""
    results = {name: [] for name, *_ in rows}
    for _ in range(rounds):
        for name, command, cores in rows:
            results[name].append(measure(command, cores))
    print("\n%s\n\n| | CPU, s | elapsed, s | RssAnon, MB |\n| --- | --- | --- | --- |" % title)
    medians = {}
    for name, *_ in rows:
        medians[name] = [statistics.median(row[i] for row in results[name]) for i in range(3)]
        print("| %s | %.2f | %.2f | %.0f |" % (name, *medians[name]), flush=True)
    return medians


def analyse(o, dump, peers):
    hprof, core = o.hprof, o.cores
    objects = subprocess.run([hprof, "heap", "--json", "--no-index", dump, "histo"], check=True, stdout=subprocess.PIPE, text=True).stdout
    title = "%s: %.0f MB, %d rows of classes" % (dump.name, dump.stat().st_size / 1e6, objects.count('"class"'))
    index = pathlib.Path(str(dump) + ".hidx")
    index.unlink(missing_ok=True)
    rows = [("hprof heap", [hprof, "heap", "--no-index", dump], core), ("hprof heap top", [hprof, "heap", "--no-index", dump, "top"], core),
            ("hprof heap --memory %s top" % o.memory, [hprof, "heap", "--no-index", "--memory", o.memory, dump, "top"], core)]
    if peers["hprof-analyzer"]:
        rows.append(("hprof-analyzer", [peers["hprof-analyzer"], *o.analyzer.split(), dump], core))
    medians = put(title, rows, o.rounds)
    if peers["hprof-analyzer"]:
        other = medians["hprof-analyzer"]
        print("\n`hprof heap` of hprof-analyzer: CPU %.3f, memory %.2f" % (
            medians["hprof heap"][0] / other[0], medians["hprof heap"][2] / other[2]))
    if peers["hprof-slurp"]:
        put("histogram, all cores", [("hprof heap histo", [hprof, "heap", "--no-index", dump, "histo"], None),
                                     ("hprof-slurp", [peers["hprof-slurp"], "-i", dump], None)], o.rounds)
    first = measure([hprof, "heap", "--index", dump], core)
    ids = [line.split("@")[1].split()[0].rstrip(",)") for line in subprocess.run(
        [hprof, "heap", dump, "top"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines() if "@0x" in line]
    kept = [("--index (%.1f MB), %.2f s" % (index.stat().st_size / 1e6, first[1]), [hprof, "heap", dump], core)]
    for question in (["top"], ["tree"], ["tree", ids[0]], ["show", ids[1]], ["path", ids[2]]):
        kept.append((" ".join(question[:1] + (["ID"] if len(question) > 1 else [])), [hprof, "heap", dump, *question], core))
    put("questions with FILE.hidx", kept, o.rounds)
    index.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder")
    parser.add_argument("--peers")
    parser.add_argument("--jdk")
    parser.add_argument("--h2", type=int, default=400000, help="rows; 0: no such dump")
    parser.add_argument("--map", type=int, default=2000000, help="entries; 0: no such dump")
    parser.add_argument("--memory", default="32m")
    parser.add_argument("--cores", default="0")
    parser.add_argument("--analyzer", default="analyze", help="words for hprof-analyzer in front of the file")
    o = parser.parse_args()
    o.jdk = o.jdk or os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("java"))))
    o.hprof = os.path.join(overhead.ROOT, "build", "hprof")
    with tempfile.TemporaryDirectory(prefix="hprof-bench") as work:
        folder = pathlib.Path(o.folder or work)
        classes = pathlib.Path(work, "classes")
        subprocess.run([os.path.join(o.jdk, "bin", "javac"), "-nowarn", "-d", classes, HERE / "programs/HeapHeld.java"], check=True)
        peers = install(pathlib.Path(o.peers or work))
        for kind, count in (("h2", o.h2), ("map", o.map)):
            if count:
                analyse(o, make_dump(o, kind, count, folder, classes), peers)


if __name__ == "__main__":
    main()
