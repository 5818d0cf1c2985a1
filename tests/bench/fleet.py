#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fleet.py - what a minute of many machines costs OpenTelemetry's collector, and whether it arrives whole.

A web server over a database is recorded for --rotate by `hprof watch` with its default rates. Its file is then in the spool of each
of --watchers more of them, as the file of a JVM of its own; --at-once of them run at a time, and each ends when its spool is empty.
They send it to one collector, which writes what it gets. Each has a metrics port of its own off, and finds no JVM to record.

Loss is counted in what the collector has written: each profile of each watcher must be there once, with the samples of the file.

usage: fleet.py [--watchers N] [--at-once N] [--rotate TIME] [--jdk HOME] [--hprof PATH]
Needs the collector of tools/collector and opentelemetry-proto of the tests, in the cache.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import overhead

READERS = pathlib.Path(overhead.CACHE, "readers")
COLLECTOR = READERS / "opentelemetry-collector/collector"
PYTHON = READERS / "opentelemetry-proto-1.45.2/bin/python"
CONFIGURATION = """
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:%d"}}}}
processors: {memory_limiter: {check_interval: 100ms, limit_mib: 1024}}
exporters: {file: {path: "%s", format: proto}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {profiles: {receivers: [otlp], processors: [memory_limiter], exporters: [file]}}
"""
WATCH = "spool %s\nevent cpu,alloc,lock\nscan 1s\nmin-age 0\nbudget 100%%\nrotate %s\n%s\n"
# Counts, in the collector's file, profiles by their identifiers, and values of samples; a request stands behind its length.
COUNTER = """
import json, sys
from opentelemetry.proto.collector.profiles.v1development import profiles_service_pb2 as service
seen, requests, total, samples = set(), 0, 0, 0
with open(sys.argv[1], "rb") as file:
    while True:
        head = file.read(4)
        if len(head) < 4:
            break
        request = service.ExportProfilesServiceRequest.FromString(file.read(int.from_bytes(head, "big")))
        requests += 1
        for resource in request.resource_profiles:
            for scope in resource.scope_profiles:
                for profile in scope.profiles:
                    total += 1
                    if profile.profile_id not in seen:
                        seen.add(profile.profile_id)
                        samples += sum(sum(sample.values) or len(sample.timestamps_unix_nano) for sample in profile.samples)
print(json.dumps({"requests": requests, "profiles": len(seen), "again": total - len(seen), "samples": samples}))
"""


def watch(hprof, folder, rotate, rules):
    """A watch whose spool is `folder`/spool."""
    (folder / "watch.conf").write_text(WATCH % (folder / "spool", rotate, rules))
    (folder / "watch.conf").chmod(0o644)
    return subprocess.Popen([hprof, "watch", str(folder / "watch.conf")], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=open(folder / "said", "wb"))


def waiting(folder):
    return sorted((folder / "spool").glob("*.jfr")) if (folder / "spool").exists() else []


def recorded(hprof, work, jdk, rotate):
    """The first whole file of the server's recording."""
    folder = work / "base"
    folder.mkdir()
    java = subprocess.Popen([os.path.join(jdk, "bin/java"), *overhead.serve_program(str(work), jdk, 1 << 20)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    one = watch(hprof, folder, rotate, "attach name=Serve")
    try:
        while not waiting(folder):
            if java.poll() is not None or one.poll() is not None:
                sys.exit("no recording: %s" % (folder / "said").read_text())
            time.sleep(0.5)
        return shutil.copy(waiting(folder)[0], work / "base.jfr")
    finally:
        java.kill()
        java.wait()
        time.sleep(3)    # what the JVM leaves is taken
        one.terminate()
        one.wait()


class Collector:
    def __init__(self, work):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.file, self.peak_kb = work / "collected", 0
        (work / "collector.yaml").write_text(CONFIGURATION % (self.port, self.file))
        self.process = subprocess.Popen([COLLECTOR, "--config", "file:%s" % (work / "collector.yaml"), "--feature-gates=service.profilesSupport"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(work / "collector.log", "wb"))
        while socket.socket().connect_ex(("127.0.0.1", self.port)) != 0:
            if self.process.poll() is not None:
                sys.exit((work / "collector.log").read_text())
            time.sleep(0.1)
        threading.Thread(target=self.look, daemon=True).start()

    def look(self):
        while self.process.poll() is None:
            rows = pathlib.Path("/proc/%d/status" % self.process.pid).read_text().splitlines()
            self.peak_kb = max([self.peak_kb] + [int(row.split()[1]) for row in rows if row.startswith("VmRSS")])
            time.sleep(0.1)

    def end(self):
        """Its CPU time, in seconds."""
        fields = pathlib.Path("/proc/%d/stat" % self.process.pid).read_text().rpartition(")")[2].split()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def send(hprof, work, base, url, number):
    """One watcher with one file. Its own CPU time, in seconds."""
    folder = work / ("watcher-%d" % number)
    (folder / "spool").mkdir(parents=True)
    (folder / "spool").chmod(0o700)
    shutil.copy(base, folder / "spool" / ("%016x-00000000.jfr" % (number + 1)))
    one = watch(hprof, folder, "60s", "attach name=nothing\npush %s" % url)
    while waiting(folder) and one.poll() is None:
        time.sleep(0.02)
    one.terminate()
    _, status, used = os.wait4(one.pid, 0)
    if waiting(folder) or status:
        sys.exit("watcher %d: %s" % (number, (folder / "said").read_text()))
    shutil.rmtree(folder)
    return used.ru_utime + used.ru_stime


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--watchers", type=int, default=10000)
    options.add_argument("--at-once", type=int, default=16)
    options.add_argument("--rotate", default="60s")
    options.add_argument("--jdk", default=os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("java")))))
    options.add_argument("--hprof", default=os.path.join(overhead.ROOT, "build/src/cli/hprof"))
    o = options.parse_args()
    if not COLLECTOR.exists() or not PYTHON.exists():
        sys.exit("no %s or %s: make test-all brings them" % (COLLECTOR, PYTHON))
    with tempfile.TemporaryDirectory(prefix="hprof-fleet") as name:
        work = pathlib.Path(name)
        base = recorded(o.hprof, work, o.jdk, o.rotate)
        counts = []
        for watchers in (1, o.watchers):
            (work / str(watchers)).mkdir()
            collector, start = Collector(work / str(watchers)), time.monotonic()
            url = "http://127.0.0.1:%d" % collector.port
            try:
                with concurrent.futures.ThreadPoolExecutor(o.at_once) as pool:
                    own = list(pool.map(lambda number: send(o.hprof, work, base, url, number), range(watchers)))
                seconds = time.monotonic() - start
            finally:
                cpu = collector.end()
            counts.append(json.loads(subprocess.run([PYTHON, "-c", COUNTER, collector.file], check=True, stdout=subprocess.PIPE).stdout))
        one, all_of_them = counts
        print("a file of %s: %.1f KB, %d profiles, samples of the value %d" % (o.rotate, os.path.getsize(base) / 1e3, one["profiles"], one["samples"]))
        print("| watchers | requests | profiles | missing | twice | collector's CPU, s | its memory at the peak, MB | written, MB | a watcher's CPU, ms | in all, s |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        missing = o.watchers * one["profiles"] - all_of_them["profiles"]
        if all_of_them["samples"] != o.watchers * one["samples"] and not missing:
            sys.exit("the profiles are there and their samples are not: %s" % all_of_them)
        print("| %d | %d | %d | %d | %d | %.1f | %.0f | %.0f | %.0f | %.0f |" % (
            o.watchers, all_of_them["requests"], all_of_them["profiles"], missing, all_of_them["again"], cpu, collector.peak_kb / 1e3,
            collector.file.stat().st_size / 1e6, 1e3 * sum(own) / len(own), seconds))


if __name__ == "__main__":
    main()
