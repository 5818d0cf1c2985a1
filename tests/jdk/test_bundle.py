"""hprof bundle: one archive, which GNU tar reads, has what its index says, and hprof doctor and threads take it in place of the JVM.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import signal
import subprocess
import tarfile

import pytest

from conftest import TIMEOUT_S, compile_programs, wait_until

ITEMS = {"info.txt", "flags.txt", "properties.txt", "counters.txt", "metrics.json", "stack.txt", "doctor.json", "top.txt", "threads.txt",
         "recording.jfr", "histogram.txt", "index.json"}


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs_doctor")


@pytest.fixture
def sick(start_java, jdk, tmp_path):
    """A JVM with a deadlock, secrets and a log."""
    log = ["-Xloggc:%s/gc.log" % tmp_path] if jdk.number == 8 else ["-Xlog:gc*:file=%s/gc.log" % tmp_path]
    java = start_java(jdk, None, "Sick", "monitors", vm=["-Ddb.password=tiger", "-Dshown=lion", *log])
    java.wait_for_stdout("ready")
    return java


def run(hprof, *words):
    ran = subprocess.run([hprof, *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT_S)
    print(ran.stdout[:2000], ran.stderr)
    return ran


def contents(path):
    """The files of an archive that is packed by gzip or not at all, by name."""
    with tarfile.open(path) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar}


@pytest.mark.jdks(8, 17, 25, "newest")
def test_an_incident_in_one_file(hprof, sick, tmp_path):
    made = run(hprof, "bundle", "-d", "2s", "-o", tmp_path / "i.tar.gz", sick.process.pid)
    assert made.returncode == 0
    assert all(word in made.stderr for word in ("threads.txt: it stands still", "recording.jfr: an agent is attached", "histogram.txt: "))
    files = contents(tmp_path / "i.tar.gz")
    assert ITEMS <= set(files)
    assert {"proc/limits.txt", "proc/maps.txt", "proc/smaps_rollup.txt"} <= set(files)
    assert any(name.startswith("logs/") and name.endswith("gc.log") for name in files)
    assert not any(b"tiger" in text for text in files.values())
    assert b"db.password=[REDACTED]" in files["properties.txt"] and b"shown=lion" in files["properties.txt"]
    assert files["threads.txt"].count(b"Full thread dump") == 2
    index = json.loads(files["index.json"])
    assert {one["file"]: one["bytes"] for one in index["files"] if one["file"] in files} == {n: len(t) for n, t in files.items() if n != "index.json"}
    assert index["redacted"] == sum(one.get("redacted", 0) for one in index["files"]) > 0
    assert all("ms" in one and "status" in one for one in index["files"] if "command" in one)
    assert str(tmp_path) not in json.dumps([one.get("command") for one in index["files"]])
    # The commands take it in place of the JVM.
    assert run(hprof, "doctor", tmp_path / "i.tar.gz").returncode == 20
    threads = run(hprof, "threads", "-s", tmp_path / "i.tar.gz")
    assert threads.returncode == 2 and threads.stdout.count("deadlocks: 1") == 2
    (tmp_path / "recording.jfr").write_bytes(files["recording.jfr"])
    assert run(hprof, "jfr", "summary", tmp_path / "recording.jfr").returncode == 0


@pytest.mark.jdks(17, "newest")
def test_outside_leaves_the_jvm_alone(hprof, sick, tmp_path):
    assert run(hprof, "bundle", "--outside", "-d", "1s", "-o", tmp_path / "o.tar", sick.process.pid).returncode == 0
    files = contents(tmp_path / "o.tar")
    assert not {"threads.txt", "recording.jfr", "histogram.txt"} & set(files)
    tasks = pathlib.Path("/proc/%d/task" % sick.process.pid).glob("*/comm")
    assert "Attach Listener" not in {task.read_text().strip() for task in tasks}
    assert "libhprof.so" not in open("/proc/%d/maps" % sick.process.pid).read()
    assert run(hprof, "doctor", tmp_path / "o.tar").returncode == 20


@pytest.mark.jdks(17, 25)
@pytest.mark.parametrize("number", (signal.SIGKILL, signal.SIGTERM), ids=("killed", "ended"))
def test_nothing_is_left_behind(hprof, sick, tmp_path, number):
    (tmp_path / "tmp").mkdir()
    bundle = subprocess.Popen([hprof, "bundle", "-d", "60s", "-o", tmp_path / "i.tar.gz", str(sick.process.pid)],
                              env={**os.environ, "TMPDIR": str(tmp_path / "tmp")}, stderr=subprocess.PIPE)
    wait_until(lambda: list((tmp_path / "tmp").glob("hprof-*")), "it has begun")
    wait_until(lambda: "libhprof" in open("/proc/%d/maps" % sick.process.pid).read(), "it records")
    bundle.send_signal(number)
    bundle.communicate(timeout=TIMEOUT_S)
    wait_until(lambda: not list((tmp_path / "tmp").iterdir()), "its folder is gone")
    if number == signal.SIGTERM:    # what was taken until then is kept
        assert json.loads(contents(tmp_path / "i.tar.gz")["index.json"])["ended_early"]
    else:
        assert not (tmp_path / "i.tar.gz").exists()
    assert sick.process.poll() is None


def test_a_log_that_may_not_be_read_is_not_taken(hprof, start_java, jdk, tmp_path):
    """The name of a log may be a link to a file of somebody else; a folder or a FIFO is no log."""
    os.mkfifo(tmp_path / "fifo.log")
    java = start_java(jdk, None, "Sick", "nothing", vm=["-XX:ErrorFile=%s/fifo.log" % tmp_path])
    java.wait_for_stdout("ready")
    assert run(hprof, "bundle", "--outside", "-d", "100ms", "-o", tmp_path / "o.tar", java.process.pid).returncode == 0
    assert not any(name.startswith("logs/") for name in contents(tmp_path / "o.tar"))
