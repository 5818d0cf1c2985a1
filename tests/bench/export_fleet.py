#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""export_fleet.py - the recordings of many JVMs through `hprof export --to parquet`: what it takes, and that nothing is lost.

Each JVM has one recording an hour: one of the seeds, with its clock slowed so that what was recorded fills the hour, and with a start,
a number of the process and names of threads of its own. JVM n belongs to service n % --services and takes seed n % --services % seeds.
Half of a service's JVMs have version 2.0, the others 2.1; there are five tenants. One run takes the recordings of one version of one
service in one hour. As many runs as --cores go at a time, on so many cores, each with its share of --memory as RLIMIT_AS; the
recordings are made before a run and removed behind it.

Then DuckDB counts: every recording must be there with the events of each type of its seed, their sum of bytes, its process and
its hour. Last it answers the questions of docs/export.md.

usage: export_fleet.py [--jvms N] [--hours N] [--services N] [--cores N] [--memory MB] [--work FOLDER] [--hprof PATH] SEED.jfr...
A seed is a recording of one chunk, as `hprof run -e cpu,alloc,lock --duration 60s -o SEED.jfr` writes it.
"""
import argparse
import concurrent.futures
import csv
import io
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/jdk"))
import export_questions  # noqa: E402
import foreign  # noqa: E402

DUCKDB = "2.0.1"
HOUR_S = 3600
BEGIN_NS = 1796083200 * 10 ** 9    # 2026-12-01, 00:00 UTC
HEADER = struct.Struct(">4sHHqqqqqqqi")    # of a chunk: docs/format/jfr.md
TENANTS = 5
NAME_LEAST = 8    # bytes of a thread's name that gets another beginning

ASKED = r"""
import json, sys, time
import duckdb
db = duckdb.connect()
db.sql("set threads = %d" % int(sys.argv[1]))
db.sql("set memory_limit = '%dMB'" % int(sys.argv[2]))
db.sql("set temp_directory = '%s'" % sys.argv[3])
db.sql("set enable_progress_bar = false")    # it would be written among the answers
said = []
for sql in json.load(sys.stdin):
    began = time.monotonic()
    rows = db.sql(sql).fetchall()
    said.append([rows, time.monotonic() - began])
print(json.dumps(said, default=str))
"""


def table(hprof, recording, sql):
    said = subprocess.run([hprof, "query", recording, "--format", "csv", sql], stdout=subprocess.PIPE, text=True, check=True).stdout
    return list(csv.reader(io.StringIO(said)))[1:]


def leb(number):
    said = bytearray()
    while number > 127:
        said.append(number & 127 | 128)
        number >>= 7
    return bytes(said + bytes([number]))


class Seed:
    """A recording, and where that lies in it which differs between JVMs."""

    def __init__(self, hprof, path):
        self.bytes = pathlib.Path(path).read_bytes()
        self.header = HEADER.unpack_from(self.bytes)
        if self.header[3] != len(self.bytes):
            sys.exit("%s: more than one chunk" % path)
        self.counts = {row[0]: (int(row[1]), int(row[2] or 0)) for row in
                       table(hprof, path, "select type, count(*), sum(case when bytes > 0 then bytes end) from events group by 1")}
        self.names = [row[0].encode() for row in table(hprof, path, "select distinct name from threads") if len(row[0]) >= NAME_LEAST]
        pid = leb(int(table(hprof, path, 'select pid from "jdk.JVMInformation"')[0][0]))
        self.pid_at, self.pid_len = self.bytes.index(pid, self.bytes.index(b"OpenJDK")), len(pid)
        self.span_ns = self.header[7]

    def pid_of(self, jvm):
        return (1 << 7 * (self.pid_len - 1)) + jvm

    def recording(self, jvm, hour):
        said = bytearray(self.bytes)
        pid = leb(self.pid_of(jvm))
        assert len(pid) == self.pid_len
        said[self.pid_at:self.pid_at + self.pid_len] = pid
        text = bytes(said)
        for name in self.names:
            text = text.replace(name, b"j%03x" % jvm + name[4:])
        head = list(self.header)
        head[6], head[9] = BEGIN_NS + hour * HOUR_S * 10 ** 9 + jvm * 1000, int(head[9] * self.span_ns / (HOUR_S * 10 ** 9))
        head[7] = HOUR_S * 10 ** 9 - jvm * 1000
        return HEADER.pack(*head) + text[HEADER.size:]


class Fleet:
    def __init__(self, a, seeds):
        self.a, self.seeds = a, seeds
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="fleet-", dir=a.work))
        self.out = self.work / "p"
        self.lock = threading.Lock()
        self.cpu_s, self.peaks_kb, self.read, self.waiting, self.waiting_most, self.runs, self.rows = 0, [], 0, 0, 0, 0, 0

    def seed_of(self, jvm):
        return jvm % self.a.services % len(self.seeds)

    def one(self, hour, service, version):
        """A run of the export."""
        folder = self.work / ("in-%d-%d-%d" % (hour, service, version))
        folder.mkdir()
        paths, size = [], 0
        for jvm in range(self.a.jvms):
            if jvm % self.a.services == service and jvm // self.a.services % 2 == version:
                paths.append(folder / ("jvm-%d-hour-%d.jfr" % (jvm, hour)))
                size += paths[-1].write_bytes(self.seeds[self.seed_of(jvm)].recording(jvm, hour))
        with self.lock:
            self.waiting += size
            self.waiting_most = max(self.waiting_most, self.waiting)
        most = self.a.memory * 2 ** 20 // self.a.cores
        argv = [self.a.hprof, "export", *map(str, paths), "--to", "parquet", "-o", str(self.out), "--flat", "--service", "service-%d" % service,
                "--label", "version=2.%d" % version, "--label", "tenant=tenant-%d" % (service % TENANTS)]
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stderr=open(folder / "said", "wb"),
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said = (folder / "said").read_text()
        assert process.returncode == 0, said
        shutil.rmtree(folder)
        with self.lock:
            self.cpu_s += usage.ru_utime + usage.ru_stime
            self.peaks_kb.append(usage.ru_maxrss)
            self.read += size
            self.waiting -= size
            self.runs += 1
            self.rows += int(said.split(" rows of ")[0].split()[-1])

    def ask(self, queries):
        """The rows and the seconds of each query; then the CPU seconds and the memory at the peak, in MB, of them all."""
        process = subprocess.Popen([foreign.pypi("duckdb", DUCKDB), "-c", ASKED, str(self.a.cores), str(self.a.memory * 3 // 4),
                                    str(self.work / "duckdb")],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process.stdin.write(json.dumps(queries))
        process.stdin.close()
        said = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return said, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def check(self):
        """Ends the program if anything is missing; returns how many events there are."""
        types = sorted({name for seed in self.seeds for name in seed.counts})
        recording = "regexp_extract(i.name, 'jvm-([0-9]+)-hour-([0-9]+)', ['jvm', 'hour'])"
        inputs = "'%s/inputs/*/*.parquet'" % self.out
        asked = ["select %s r, pid from %s i" % (recording, inputs)]
        asked += ["select %s r, count(*), sum(case when e.bytes > 0 then e.bytes end)::bigint, min(start), max(start)"
                  " from '%s/events/*/*/type=%s/*.parquet' e join %s i using (input) group by 1" % (recording, self.out, name, inputs) for name in types]
        said = [rows for rows, _ in self.ask(asked)[0]]
        all_of = {(jvm, hour) for jvm in range(self.a.jvms) for hour in range(self.a.hours)}
        found = {(int(row[0]["jvm"]), int(row[0]["hour"])): row[1] for row in said[0]}
        assert len(said[0]) == len(all_of) and found.keys() == all_of, (len(said[0]), len(all_of))
        assert all(pid == self.seeds[self.seed_of(jvm)].pid_of(jvm) for (jvm, _), pid in found.items())
        events = 0
        for name, rows in zip(types, said[1:]):
            found = {(int(row[0]["jvm"]), int(row[0]["hour"])): row[1:] for row in rows}
            assert found.keys() == {one for one in all_of if name in self.seeds[self.seed_of(one[0])].counts}, name
            for (jvm, hour), (count, size, first, last) in found.items():
                assert (count, size or 0) == self.seeds[self.seed_of(jvm)].counts[name], (name, jvm, hour, count, size)
                begin = BEGIN_NS + hour * HOUR_S * 10 ** 9
                assert first > begin - HOUR_S * 10 ** 9 and last < begin + 2 * HOUR_S * 10 ** 9, (name, jvm, hour, first, last)
                events += count
        return events


def run(a):
    seeds = [Seed(a.hprof, path) for path in a.seeds]
    for path, seed in zip(a.seeds, seeds):
        print("%s: %.2f MB, %.0f s of %s events" % (os.path.basename(path), len(seed.bytes) / 1e6, seed.span_ns / 1e9, sum(n for n, _ in seed.counts.values())),
              {name: count for name, (count, _) in seed.counts.items() if count > 100}, flush=True)
    fleet = Fleet(a, seeds)
    try:
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(a.cores) as pool:
            jobs = [pool.submit(fleet.one, hour, service, version) for hour in range(a.hours) for service in range(a.services) for version in range(2)]
            for job in jobs:
                job.result()
        wall_s = time.monotonic() - began
        files = [path.stat().st_size for path in fleet.out.rglob("*.parquet")]
        events, days = fleet.check(), a.jvms * a.hours / 24
        parts = {part.name: sum(path.stat().st_size for path in part.rglob("*.parquet")) for part in sorted(fleet.out.iterdir())}
        print("%d JVMs, %d h: %d recordings, %.0f MB, at most %.0f MB at a time; %d runs, %.0f s of CPU, %.0f s" %
              (a.jvms, a.hours, a.jvms * a.hours, fleet.read / 1e6, fleet.waiting_most / 1e6, fleet.runs, fleet.cpu_s, wall_s))
        print("memory of a run at its peak, MB: least %.1f, median %.1f, most %.1f" %
              tuple(sorted(fleet.peaks_kb)[i] / 1024 for i in (0, len(fleet.peaks_kb) // 2, -1)))
        print("nothing lost: %d events, %d rows in all; %d files, %.0f MB" % (events, fleet.rows, len(files), sum(files) / 1e6),
              {name: "%.0f MB" % (size / 1e6) for name, size in parts.items()})
        print("a JVM and day: %.1f MB read, %.2f MB written, %.2f s of CPU, %.1f files" %
              (fleet.read / days / 1e6, sum(files) / days / 1e6, fleet.cpu_s / days, len(files) / days), flush=True)
        asked = export_questions.questions(fleet.out)
        said, cpu_s, peak = fleet.ask([sql for _, sql in asked])
        print("\n| question | rows | s |\n| --- | --- | --- |")
        for (title, _), (rows, seconds) in zip(asked, said):
            print("| %s | %d | %.2f |" % (title, len(rows), seconds))
        print("DuckDB: %.0f s of CPU, %.0f MB at the peak" % (cpu_s, peak))
    finally:
        shutil.rmtree(fleet.work)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jvms", type=int, default=1000)
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--services", type=int, default=50)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--memory", type=int, default=8192, metavar="MB")
    parser.add_argument("--work", metavar="FOLDER", help="where the files lie; it needs room for the result")
    parser.add_argument("--hprof", default="build/src/cli/hprof")
    parser.add_argument("seeds", nargs="+", metavar="SEED.jfr")
    a = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:a.cores])
    run(a)


if __name__ == "__main__":
    main()
