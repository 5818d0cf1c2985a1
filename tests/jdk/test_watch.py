"""hprof watch: recordings of real JVMs on their way to a receiver, while watch, JVMs and the receiver come and go.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import gzip
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import textwrap
import urllib.request

import pytest

from asking import AS_NOBODY, ask, unshare
from conftest import ROOT, TIMEOUT_S, clean_environment, wait_until
from selection import one_jdk
from test_push import Receiver

TMP = pathlib.Path("/tmp")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def mark_of(folder):
    """A label of the JVMs of one test."""
    test = folder if folder.name != "other" else folder.parent
    return "hprof.test=%d-%s" % (os.getpid(), test.name)


class Watch:
    """`hprof watch` with a configuration of its own, which may be killed and started again."""

    def __init__(self, hprof, folder):
        self.hprof, self.folder, self.process = hprof, folder, None
        self.conf, self.spool, self.err = folder / "watch.conf", folder / "spool", folder / "watch.err"
        self.port = free_port()

    def write(self, *lines, url=None):
        """Rules about Spin are about the JVMs of this test alone: other tests may have some at the same time."""
        lines = [line.replace("name=Spin", "name=Spin label:%s" % mark_of(self.folder)) for line in lines]
        text = ["spool %s" % self.spool, "rotate 2s", "lease 60s", "scan 1s", "min-age 0", "budget 100%", "metrics 127.0.0.1:%d" % self.port, *lines]
        self.conf.write_text("\n".join(text + (["push %s" % url] if url else [])) + "\n")
        self.conf.chmod(0o644)

    def start(self, **more):
        with open(self.err, "ab") as err:
            self.process = subprocess.Popen([self.hprof, "watch", str(self.conf)], stdin=subprocess.DEVNULL, stdout=err, stderr=err,
                                            env=clean_environment(more))
        self.wait_for(lambda: self.count("budget", "") is not None, "metrics")

    def end(self, number=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(TIMEOUT_S)
        return self.process.returncode if self.process else None

    def said(self):
        return self.err.read_text(errors="replace") if self.err.exists() else ""

    def wait_for(self, condition, what):
        wait_until(condition, what, lambda: self.process.poll() is not None, self.said)

    def count(self, name, label):
        """The value of one of its metrics; None: there is none."""
        try:
            with urllib.request.urlopen("http://127.0.0.1:%d/metrics" % self.port, timeout=TIMEOUT_S) as answer:
                text = answer.read().decode()
        except OSError:
            return None
        found = re.search(r'^hprof_watch_%s(?:_bytes)?(?:_total)?%s ([\d.e+-]+)$' % (name, r'\{[^}]*="%s"\}' % label if label else ""), text, re.M)
        return float(found.group(1)) if found else None

    def records(self, count=1):
        self.wait_for(lambda: self.count("jvms", "recorded") == count, "%d recorded" % count)

    def states(self):
        return sorted(path.name for path in self.spool.glob("jvm-*")) if self.spool.exists() else []


@pytest.fixture
def watch(hprof, tmp_path):
    one = Watch(hprof, tmp_path)
    yield one
    one.end(signal.SIGKILL)
    for token in (name[len("jvm-"):] for name in one.states()):
        for path in TMP.glob(".hprof-watch-%s-*" % token):
            path.unlink()


@pytest.fixture
def spinning(start_java, tmp_path):
    """spinning(jdk): a JVM that uses CPU time until it is killed, or until it is ended by its file `stop`."""
    def start(jdk, env=(), **more):
        env = dict(env)
        env["OTEL_RESOURCE_ATTRIBUTES"] = ",".join(filter(None, [mark_of(tmp_path), env.get("OTEL_RESOURCE_ATTRIBUTES")]))
        java = start_java(jdk, None, "Spin", tmp_path / "stop", env=env, **more)
        java.wait_for_stdout("spinning")
        return java
    return start


def files_of(token):
    return sorted(path.name for path in TMP.glob(".hprof-watch-%s-*" % token))


def found(receiver):
    """What has arrived: samples, resources, and the identifiers as (token, number of the file)."""
    said = receiver.decoded([gzip.decompress(content) for content in receiver.taken])
    return said, [(one[:16], int(one[16:24], 16)) for one in said["ids"]]


def is_recorded(hprof, java):
    return "hprof-watch" in ask(hprof, "status", java.pid)[0]


@pytest.mark.jdks(8, 17, "newest")
def test_what_a_jvm_does_arrives_with_its_labels(hprof, watch, spinning, jdk, tmp_path):
    java = spinning(jdk, vm=("-Xmx64m", "-Dotel.service.name=shop"), env=(("OTEL_SERVICE_NAME", "other"),
                                                                        ("OTEL_RESOURCE_ATTRIBUTES", "team=a%20b,service.version=7")))
    with Receiver(tmp_path) as receiver:
        watch.write("attach name=Spin", "label deployment.environment=test", url=receiver.url)
        watch.start()
        watch.wait_for(lambda: len(receiver.taken) >= 2, "two requests")
        (state,) = watch.states()
        (tmp_path / "stop").touch()
        assert java.end().rc == 0
        watch.wait_for(lambda: watch.states() == [], "an end")
        said, ids = found(receiver)
        taken, sent = watch.count("files", "taken"), watch.count("files", "sent")
    token = state[len("jvm-"):]
    assert any("CpuHot.hot" in key for key in said["samples"])
    assert {one for one, _ in ids} == {token} and len(set(said["ids"])) == len(said["ids"])
    for resource in said["resources"]:
        assert resource["service.name"] == "shop" and resource["team"] == "a b" and resource["service.version"] == "7"
        assert resource["deployment.environment"] == "test" and resource["process.pid"] == java.pid
    assert taken == sent and watch.count("files", "missing") == 0 and files_of(token) == []
    assert watch.end() == 0


@pytest.mark.jdks(17, "newest")
@one_jdk
def test_a_recording_goes_on_while_watch_is_gone(hprof, watch, spinning, jdk, tmp_path):
    java = spinning(jdk)
    with Receiver(tmp_path) as receiver:
        watch.write("attach name=Spin", "event cpu", url=receiver.url)
        watch.start()
        watch.wait_for(lambda: receiver.taken, "a request")
        states = watch.states()
        watch.end(signal.SIGKILL)
        token = states[0][len("jvm-"):]
        java.wait_for(lambda: len(files_of(token)) >= 3, "files that nobody takes")
        before = len(receiver.taken)
        watch.start()
        watch.wait_for(lambda: len(receiver.taken) > before + 2, "what was recorded meanwhile")
        assert watch.states() == states and watch.count("recordings", "") == 0 and watch.count("files", "missing") == 0
        java.signal(signal.SIGKILL)
        watch.wait_for(lambda: watch.states() == [], "the end of the JVM")
        _, ids = found(receiver)
        contents = {gzip.decompress(content) for content in receiver.taken}
    assert {one for one, _ in ids} == {token} and files_of(token) == []
    # A file that was on its way when the process was killed arrives again, as it was.
    assert len(set(ids)) == len(contents)


@one_jdk
def test_a_jvm_that_ends_while_watch_is_gone_leaves_its_files(watch, spinning, jdk, tmp_path):
    java = spinning(jdk)
    with Receiver(tmp_path) as receiver:
        watch.write("attach name=Spin", "event cpu", url=receiver.url)
        watch.start()
        watch.records()
        (state,) = watch.states()
        watch.end(signal.SIGKILL)
        token = state[len("jvm-"):]
        java.wait_for(lambda: len(files_of(token)) >= 2, "files that nobody takes")
        java.signal(signal.SIGKILL)
        java.process.wait()
        left = len(files_of(token))
        watch.start()
        watch.wait_for(lambda: watch.states() == [], "what it left")
        assert watch.count("files", "taken") + watch.count("files", "odd") == left and watch.count("unseen", "") == 0
        assert files_of(token) == [] and receiver.taken


@one_jdk
def test_a_retry_has_the_same_bytes_also_after_a_restart(watch, spinning, jdk, tmp_path):
    spinning(jdk)
    with Receiver(tmp_path, [503] * 6, headers=[("Retry-After", "0")]) as receiver:
        watch.write("attach name=Spin", "event cpu", url=receiver.url)
        watch.start()
        watch.wait_for(lambda: receiver.requests, "a request")
        watch.end(signal.SIGKILL)
        watch.start()
        watch.wait_for(lambda: "takes files again" in watch.said(), "a request that is taken")
        first = receiver.requests[0]
        refused = [content for _, _, content, answer in receiver.requests if answer == 503]
        taken = [content for _, _, content, answer in receiver.requests if answer == 200]
    assert first[3] == 503 and set(refused) == {first[2]} and taken[0] == first[2]


@one_jdk
def test_what_is_recorded_while_the_receiver_is_gone_arrives_later(watch, spinning, jdk, tmp_path):
    spinning(jdk)
    port = free_port()
    watch.write("attach name=Spin", "event cpu", url="http://127.0.0.1:%d" % port)
    watch.start()
    watch.wait_for(lambda: (watch.count("spool_files", "") or 0) >= 2, "files that wait")
    watch.wait_for(lambda: "until the receiver takes them" in watch.said(), "a message")
    with Receiver(tmp_path) as receiver:
        watch.write("attach name=Spin", "event cpu", url=receiver.url)
        watch.process.send_signal(signal.SIGHUP)
        watch.wait_for(lambda: len(receiver.taken) >= 3, "what has waited")
        assert watch.count("files", "dropped") == 0 and watch.count("files", "refused") == 0
        assert watch.count("recordings", "") == 1    # nothing of what is recorded has changed


def test_the_spool_has_a_bound_and_what_it_drops_is_counted(watch):
    watch.spool.mkdir(mode=0o700)
    for number in range(5):
        (watch.spool / ("00000000000000aa-%08d.jfr" % number)).write_bytes(b"x" * (1 << 20))
    watch.write("attach name=nothing", "spool-size 2m")
    watch.start()
    assert watch.count("files", "dropped") == 3 and watch.count("spool_dropped", "") == 3 << 20
    assert sorted(path.name for path in watch.spool.glob("*.jfr")) == ["00000000000000aa-0000000%d.jfr" % number for number in (3, 4)]


def test_what_is_no_recording_is_refused_once_and_not_for_ever(watch, tmp_path):
    watch.spool.mkdir(mode=0o700)
    (watch.spool / "00000000000000aa-00000000.jfr").write_bytes(b"no recording")
    with Receiver(tmp_path) as receiver:
        watch.write("attach name=nothing", url=receiver.url)
        watch.start()
        watch.wait_for(lambda: watch.count("files", "refused") == 1, "a file that is refused")
        assert list(watch.spool.glob("*.jfr")) == [] and receiver.requests == []


@one_jdk
def test_another_configuration_ends_and_begins_recordings(hprof, watch, spinning, jdk):
    java = spinning(jdk)
    watch.write("attach name=Spin", "event cpu")
    watch.start()
    watch.records()
    assert is_recorded(hprof, java)
    watch.write("skip name=Spin", "attach name=*Nothing*")
    watch.process.send_signal(signal.SIGHUP)
    watch.wait_for(lambda: not is_recorded(hprof, java), "an end of the recording")
    watch.conf.write_text("attach name=*\n")
    watch.process.send_signal(signal.SIGHUP)
    watch.wait_for(lambda: "the configuration from before stays" in watch.said(), "a refusal")
    watch.write("attach name=Spin", "event cpu", "interval 50ms")
    watch.process.send_signal(signal.SIGHUP)
    watch.wait_for(lambda: is_recorded(hprof, java), "a recording again")
    assert watch.count("files", "missing") == 0


@one_jdk
def test_a_recording_that_nobody_asks_for_ends_and_its_files_are_taken_later(hprof, watch, spinning, jdk):
    java = spinning(jdk)
    watch.write("attach name=Spin", "event cpu", "lease 6s")
    watch.start()
    watch.records()
    (state,) = watch.states()
    watch.end(signal.SIGKILL)
    java.wait_for(lambda: not is_recorded(hprof, java), "the end of the lease")
    left = len(files_of(state[len("jvm-"):]))
    assert left > 0
    watch.start()
    watch.records()
    watch.wait_for(lambda: watch.count("recordings", "") == 1, "a recording of its own")
    assert watch.count("files", "taken") >= left and watch.count("files", "missing") == 0
    assert files_of(state[len("jvm-"):]) == []


@one_jdk
def test_two_of_them_do_not_take_each_others_files(hprof, watch, spinning, jdk, tmp_path):
    java = spinning(jdk)
    watch.write("attach name=Spin", "event cpu")
    watch.start()
    watch.records()
    (tmp_path / "other").mkdir()
    other = Watch(hprof, tmp_path / "other")
    other.write("attach name=Spin", "event cpu")
    with contextlib.ExitStack() as stack:
        stack.callback(other.end, signal.SIGKILL)
        other.start()
        other.wait_for(lambda: other.count("jvms", "others") == 1, "the other's recording")
        assert other.states() == [] and "another 'hprof watch' records it" in other.said()
        other.end()
        other.write("attach name=Spin")
        other.conf.write_text(other.conf.read_text().replace(str(other.spool), str(watch.spool)))
        out, err = ask(hprof, "watch", other.conf, status=1)
    assert not out and "another process uses it" in err and is_recorded(hprof, java)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@one_jdk
def test_a_jvm_of_another_user_with_other_files(watch, spinning, jdk, tmp_path, classes):
    own = tmp_path / "tmp"
    own.mkdir()
    own.chmod(0o1777)
    if classes.is_relative_to(TMP):
        shutil.copytree(classes, own / classes.relative_to(TMP))
        for folder in (own / classes.relative_to(TMP)).parents:
            if folder.is_relative_to(own) and folder != own:
                folder.chmod(0o755)
    inside = "mount --bind %s /tmp && exec %s \"$@\"" % (own, AS_NOBODY)
    java = spinning(jdk, before=(*unshare("--mount"), "sh", "-c", inside, "-"))
    with Receiver(tmp_path) as receiver:
        watch.write("attach name=Spin user=65534", "event cpu", url=receiver.url)
        watch.start()
        watch.wait_for(lambda: receiver.taken, "a request")
        java.signal(signal.SIGKILL)
        watch.wait_for(lambda: watch.states() == [], "the end of the JVM")
        said, _ = found(receiver)
    assert any("CpuHot.hot" in key for key in said["samples"])
    assert watch.count("files", "missing") == 0 and watch.count("unseen", "") == 0


@one_jdk
def test_dry_run_and_check_list_and_touch_nothing(hprof, watch, spinning, jdk):
    java = spinning(jdk, env=(("OTEL_SERVICE_NAME", "\033[31mshop"),))
    watch.write("skip name=*Nothing*", "attach name=Spin", "label team=x")
    for option in ("--dry-run", "--check"):
        out, err = ask(hprof, "watch", option, watch.conf)
        assert re.search(r"^attach %d \(Spin\).*, line 9\n    hprof\.test=\S+\n    service\.name=\?\[31mshop\n    team=x$" % java.pid, out, re.M), out
        assert "would be recorded" in err and "\033" not in out
    assert not (TMP / (".java_pid%d" % java.pid)).exists() and not watch.spool.exists()


@pytest.mark.parametrize("line, why", [
    ("colour red", "'colour': no setting is called so"),
    ("budget 5", "'5': wanted is a share of one processor core"),
    ("attach", "'attach': needs a value behind it"),
    ("metrics 0.0.0.0:80", "other machines could read the metrics there"),
    ("header Authorization: secret", "wanted is @FILE"),
    ("push ftp://x", "wanted is a URL"),
])
def test_a_wrong_configuration_is_one_clear_line(hprof, watch, line, why):
    watch.write("attach name=*", line)
    for options in ([], ["--check"], ["--dry-run"]):
        out, err = ask(hprof, "watch", *options, watch.conf, status=2)
        assert not out and err.count("\n") == 1 and why in err and "secret" not in err
    assert not watch.spool.exists()


def test_a_configuration_that_others_can_write_is_not_read(hprof, watch):
    watch.write("attach name=*")
    watch.conf.chmod(0o664)
    assert "nobody else can write" in ask(hprof, "watch", watch.conf, status=2)[1]
    assert "No such file" in ask(hprof, "watch", "/nowhere/watch.conf", status=2)[1]
    if os.geteuid() == 0:
        watch.conf.chmod(0o644)
        os.chown(watch.conf, 65534, 65534)
        assert "nobody else can write" in ask(hprof, "watch", watch.conf, status=2)[1]


def test_the_configurations_that_are_shipped_are_taken(hprof, tmp_path):
    daemonset = (ROOT / "examples/watch/daemonset.yaml").read_text()
    in_cluster = re.search(r"(?ms)^  watch.conf: \|\n(.*?)^---$", daemonset).group(1)
    for name, text in (("host", (ROOT / "examples/watch/watch.conf").read_text()), ("cluster", textwrap.dedent(in_cluster))):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o644)
        assert "would be recorded" in ask(hprof, "watch", "--dry-run", tmp_path / name)[1]


def test_systemd_hears_of_it(watch, tmp_path):
    watch.write("attach name=*Nothing*")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(TIMEOUT_S)
        watch.start(NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="1000000")
        heard = [manager.recv(4096).decode() for _ in range(3)]
        watch.process.send_signal(signal.SIGHUP)
        while not heard[-1].startswith("RELOADING=1\nMONOTONIC_USEC="):
            heard.append(manager.recv(4096).decode())
        assert watch.end() == 0
        while heard[-1] != "STOPPING=1":
            heard.append(manager.recv(4096).decode())
    assert heard[0] == "READY=1" and heard.count("WATCHDOG=1") >= 2 and heard.count("READY=1") == 2
