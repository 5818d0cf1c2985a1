"""hprof push and hprof watch send to OpenTelemetry's collector, which dies, is slow and is full: what it writes is what was recorded.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import os
import shutil
import signal
import socket
import subprocess
import time

import pytest

from conftest import TIMEOUT_S, clean_environment, wait_until
from kept import READERS
from selection import one_jdk
from test_push import certificate, decode, profile, push, recorded    # noqa: F401
from test_watch import TMP, files_of, free_port, spinning, watch    # noqa: F401

CONFIGURATION = """
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:%(port)d"%(tls)s}}}}
processors: {memory_limiter: {check_interval: 100ms, limit_mib: %(mib)d}}
exporters:
  debug: {verbosity: basic}
  file: {path: "%(file)s", format: proto, flush_interval: 50ms}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {profiles: {receivers: [otlp], processors: [memory_limiter], exporters: [file, debug]}}
"""
ROOM_MIB = 400
NO_ROOM_MIB = 1     # less than the collector itself has, so that it refuses everything
FLUSHED_S = 1       # much longer than flush_interval


class Collector:
    """The collector at one port. Each process of it writes a file of its own."""

    def __init__(self, folder):
        self.program = READERS / "opentelemetry-collector/collector"
        if not self.program.exists():
            pytest.skip("OPENTELEMETRY'S COLLECTOR NOT TESTED: it is not in %s, where make test-all has it built" % READERS)
        self.folder, self.port, self.process, self.files = folder, free_port(), None, []
        self.log = folder / "collector.log"

    def start(self, mib=ROOM_MIB, tls=""):
        self.files.append(self.folder / ("collected-%d" % len(self.files)))
        path = self.folder / "collector.yaml"
        path.write_text(CONFIGURATION % {"port": self.port, "mib": mib, "file": self.files[-1], "tls": tls})
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([self.program, "--config", "file:%s" % path, "--feature-gates=service.profilesSupport"],
                                            env=clean_environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.wait_for(self.listens, "a port")
        if mib == NO_ROOM_MIB:
            self.wait_for(lambda: "Memory usage is above" in self.log.read_text(errors="replace"), "a look at its memory")

    def wait_for(self, condition, what):
        wait_until(condition, what, lambda: self.process.poll() is not None, lambda: self.log.read_text(errors="replace"))

    def listens(self):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def end(self, number=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(number)
            self.process.wait(TIMEOUT_S)

    def decoded(self):
        """What its files have: each request behind its length. That of a killed one may end in the middle of a request."""
        requests = []
        for path in self.files:
            content = path.read_bytes()
            while content:
                end = 4 + int.from_bytes(content[:4], "big")
                if end <= len(content):
                    requests.append(self.folder / ("collected.%d" % len(requests)))
                    requests[-1].write_bytes(content[4:end])
                content = content[end:]
        return decode(self.folder, requests)


@pytest.fixture
def collector(tmp_path):
    one = Collector(tmp_path)
    yield one
    one.end(signal.SIGKILL)


def test_what_is_pushed_arrives(hprof, push, profile, collector, tmp_path):    # noqa: F811
    collector.start()
    push("http://127.0.0.1:%d" % collector.port, profile, "--max-request", "20k", "--service", "shop", OTEL_EXPORTER_OTLP_COMPRESSION="gzip")
    collector.end()
    found = collector.decoded()
    assert found["samples"] == recorded(hprof, tmp_path, profile) and len(found["ids"]) > 5
    assert found["resources"] == [{"service.name": "shop"}] * len(found["ids"]), found["resources"][0]


def test_its_certificate_is_checked(hprof, push, profile, collector, tmp_path):    # noqa: F811
    certificate(tmp_path, "right")
    certificate(tmp_path, "wrong")
    collector.start(tls=', tls: {cert_file: "%s/right.pem", key_file: "%s/right.key"}' % (tmp_path, tmp_path))
    url = "https://localhost:%d" % collector.port
    said = push(url, profile, OTEL_EXPORTER_OTLP_CERTIFICATE=str(tmp_path / "wrong.pem"), status=1)
    assert "3000 samples did not arrive" in said
    push(url, profile, OTEL_EXPORTER_OTLP_CERTIFICATE=str(tmp_path / "right.pem"))
    collector.end()
    assert collector.decoded()["samples"] == recorded(hprof, tmp_path, profile)


def test_a_full_one_is_asked_again_and_then_given_up(push, profile, collector):    # noqa: F811
    collector.start(mib=NO_ROOM_MIB)
    said = push("http://127.0.0.1:%d" % collector.port, profile, "--retry", "1", status=1)
    assert "answers 503" in said and "3000 samples did not arrive" in said
    collector.end()
    assert collector.decoded()["samples"] == {}


class Linked:
    """A second name for each file of a recording, which stays when the file has been sent."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()

    def look(self, token):
        for name in files_of(token):
            if not (self.folder / name).exists():
                try:
                    os.link(TMP / name, self.folder / name)
                except FileNotFoundError:
                    pass
        return sorted(self.folder.iterdir())


@pytest.mark.jdks(17, "newest")
@one_jdk
def test_nothing_is_lost_and_nothing_counted_twice(hprof, watch, spinning, collector, jdk, tmp_path):    # noqa: F811
    """It is full at first, stands still, is killed with a request, and is not there for a time."""
    java = spinning(jdk)
    collector.start(mib=NO_ROOM_MIB)
    watch.write("attach name=Spin", "event cpu", "timeout 2s", url="http://127.0.0.1:%d" % collector.port)
    watch.start()
    watch.records()
    (state,) = watch.states()
    token, linked = state[len("jvm-"):], Linked(tmp_path / "linked")

    def wait_for(condition, what):
        watch.wait_for(lambda: linked.look(token) and condition(), what)

    def waiting():
        return watch.count("spool_files", "") or 0

    def sent():
        return watch.count("files", "sent") or 0
    wait_for(lambda: waiting() >= 2, "files that wait for a full collector")
    assert sent() == 0
    collector.end()
    collector.start()
    wait_for(lambda: sent() >= 2, "files that have arrived")
    collector.process.send_signal(signal.SIGSTOP)
    before = sent()
    wait_for(lambda: waiting() >= 2, "files that wait for one that stands still")
    collector.process.send_signal(signal.SIGCONT)
    wait_for(lambda: sent() >= before + 2, "files that have arrived after that")
    kill_with_a_request(watch, collector, lambda: wait_for(lambda: waiting() >= 2, "files that wait again"))
    wait_for(lambda: waiting() >= 3, "files that wait for one that is not there")
    collector.start()
    wait_for(lambda: waiting() <= 1, "what has waited")
    (tmp_path / "stop").touch()
    wait_for(lambda: watch.states() == [] and waiting() == 0, "the end")
    assert java.end().rc == 0
    assert [watch.count("files", reason) for reason in ("dropped", "refused", "odd", "missing")] == [0] * 4
    collector.end()
    made, found = collections.Counter(), collector.decoded()
    for number, path in enumerate(linked.look(token)):
        folder = tmp_path / ("read-%d" % number)
        folder.mkdir()
        made.update(recorded(hprof, folder, shutil.copy(path, folder / "one.jfr")))
    assert sum(made.values()) > 0 and found["samples"] == made


def kill_with_a_request(watch, collector, wait):    # noqa: F811
    """What it has answered is in its file before that; what it is asked then has no answer."""
    watch.process.send_signal(signal.SIGSTOP)
    try:
        sizes = [collector.files[-1].stat().st_size]
        while len(sizes) < 3 or sizes[-1] != sizes[-2]:
            time.sleep(FLUSHED_S)
            sizes.append(collector.files[-1].stat().st_size)
        collector.process.send_signal(signal.SIGSTOP)
    finally:
        watch.process.send_signal(signal.SIGCONT)
    wait()
    collector.process.kill()
    collector.process.wait(TIMEOUT_S)
