"""hprof record, killed: it leaves no recording, and nothing that another command has to be told apart from.

The like of dump-heap is in test_dump_fork.py.

SPDX-License-Identifier: Apache-2.0
"""
import fcntl
import os
import pathlib
import re
import signal
import subprocess

import pytest

from asking import ask, waiting  # noqa: F401
from attaching import attach  # noqa: F401
from conftest import TIMEOUT_S, compile_library, old_and_new, one_jdk
from robust import classes  # noqa: F401
from test_record import descriptors, recording

ATTEMPTS = 4
FILES = "/tmp/#"    # what has no name is shown as this, a number and "(deleted)"


def unnamed(java):
    return [name for name in descriptors(java.pid) if name.startswith(FILES)]


def is_idle(hprof, java):
    return "state=idle" in ask(hprof, "status", java.pid)[0]


def named(java):
    """Files of commands that it has open by a name of ours. Other JVMs have theirs in the same folder."""
    found = [pathlib.Path(name).name for name in descriptors(java.pid) if not name.endswith("(deleted)")]
    return [name for name in found if re.match(r"\.hprof-(record|heap|jdk)-", name)]


def kill(child):
    child.kill()
    child.wait()
    if child.stderr:
        child.stderr.close()


@old_and_new
def test_a_killed_record_ends_its_recording(hprof, waiting, jdk, tmp_path):
    """At once: nobody is asked which of two is to be stopped, and nothing waits for the end of a lease."""
    java, out = waiting(jdk), tmp_path / "out.jfr"
    recorder = recording(hprof, java, out)
    assert len(unnamed(java)) == 1 and named(java) == []
    ask(hprof, "start", "-e", "gc", "-o", tmp_path / "lasts.jfr", java.pid)
    kill(recorder)
    assert " id=2 " in ask(hprof, "stop", java.pid)[0]
    java.wait_for(lambda: is_idle(hprof, java), "the end of the recording")
    assert unnamed(java) == [] and named(java) == [] and not out.exists() and (tmp_path / "lasts.jfr").exists()


@pytest.fixture(scope="session")
def noname(tmp_path_factory):
    return compile_library(tmp_path_factory, "noname")


def is_locked(path):
    with open(path, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@one_jdk
def test_a_killed_record_ends_its_recording_where_files_have_names(hprof, waiting, noname, attach, jdk, tmp_path):  # noqa: F811
    """As elsewhere, and not because its lease is over: that is renewed here. The file stays for the next command."""
    java, out = waiting(jdk, env={"LD_PRELOAD": str(noname)}), tmp_path / "out.jfr"
    recorder = recording(hprof, java, out)
    (path,) = [pathlib.Path("/proc/%d/root/tmp" % java.pid) / name for name in named(java)]
    assert unnamed(java) == [] and "for a command that waits" in ask(hprof, "status", java.pid)[0] and is_locked(path)

    def is_over():
        attach(jdk, java, "status,id=1")
        return is_idle(hprof, java)

    assert not is_over()
    kill(recorder)
    java.wait_for(is_over, "the end of the recording")
    assert not is_locked(path) and not out.exists()
    path.unlink()


@one_jdk
def test_stop_means_what_no_command_waits_for(hprof, waiting, jdk, tmp_path):
    java, out = waiting(jdk), tmp_path / "out.txt"
    recorder = recording(hprof, java, out)
    assert "for a command that waits" in ask(hprof, "status", java.pid)[0]
    ask(hprof, "start", "-e", "gc", "-o", tmp_path / "lasts.jfr", java.pid)
    assert " id=2 " in ask(hprof, "stop", java.pid)[0]
    ask(hprof, "start", "-e", "gc", "-o", tmp_path / "a.jfr", java.pid)
    ask(hprof, "start", "-e", "gc", "-o", tmp_path / "b.jfr", java.pid)
    assert re.search(r"which recording\? There are: id=3 name=3, id=4 name=4\n", ask(hprof, "stop", java.pid, status=1)[1])
    for number in 3, 4:
        ask(hprof, "stop", java.pid, number)
    assert " id=1 " in ask(hprof, "stop", java.pid)[0]
    recorder.send_signal(signal.SIGINT)
    assert "ends before its time" in recorder.communicate(timeout=TIMEOUT_S)[1] and out.exists()


@one_jdk
@pytest.mark.parametrize("first", ["jvm", "command"])
def test_both_are_killed(hprof, waiting, jdk, tmp_path, first):
    java, out = waiting(jdk), tmp_path / "out.txt"
    recorder = recording(hprof, java, out)
    since = pathlib.Path("/proc/%d" % java.pid).stat().st_mtime
    recorder.send_signal(signal.SIGSTOP)
    if first == "jvm":
        java.signal(signal.SIGKILL)
        java.process.wait()
    kill(recorder)
    if first == "command":
        java.signal(signal.SIGKILL)
        java.process.wait()
    left = [path for path in pathlib.Path("/tmp").glob(".hprof-record-*") if path.stat().st_mtime >= since]
    assert left == [] and not out.exists()


@one_jdk
def test_a_command_that_is_stopped_for_long_loses_its_recording_alone(hprof, waiting, jdk, tmp_path):
    """It holds the file still, so that it is the lease that ends the recording; and what was recorded is brought."""
    java, out = waiting(jdk), tmp_path / "out.txt"
    recorder = recording(hprof, java, out)
    recorder.send_signal(signal.SIGSTOP)
    ask(hprof, "stop", java.pid)
    assert is_idle(hprof, java) and unnamed(java) == []
    recorder.send_signal(signal.SIGCONT)
    recorder.send_signal(signal.SIGINT)
    said = recorder.communicate(timeout=TIMEOUT_S)[1]
    assert recorder.returncode == 1 and "ends before its time" in said and "CPU SAMPLES END" in out.read_text(), said


@one_jdk
def test_what_is_left_is_removed_by_the_next_command_and_said(hprof, waiting, jdk):
    """What is locked, young or another user's stays, and what has no name of ours; of answers nobody is told."""
    java, tmp = waiting(jdk), pathlib.Path("/tmp")

    def swept(number):
        """What of the four was said. A command that another test runs may have been faster: it says it instead."""
        left = [tmp / (".hprof-%s-%s" % (kind, number + end)) for kind, end in (("record", ".jfr"), ("jdk", ".jfr"), ("heap", ".hprof.TMP"), ("answer", "-1"))]
        locked, young, theirs, other = (tmp / name for name in (".hprof-record-%s.txt" % number, ".hprof-record-%s.hprof" % number,
                                                                ".hprof-heap-%s.hprof" % number, ".hprof-record-%s.jfr" % number[1:]))
        try:
            with locked.open("w+b") as held:
                fcntl.flock(held, fcntl.LOCK_EX)
                for path in *left, locked, young, theirs, other:
                    path.write_bytes(b"x" * 100000)
                os.chown(theirs, 65534, 65534)
                for path in locked, theirs, other, *left:
                    os.utime(path, (0, 0))
                said = ask(hprof, "record", "-d", "300ms", "-o", tmp / ("hprof-test-%s.txt" % number), java.pid)[1]
            assert [path for path in left if path.exists()] == []
            assert all(path.exists() for path in (locked, young, theirs, other)), said
            return [("removed '%s' of 0.1 MB" % path.name) in said for path in left]
        finally:
            for path in *left, locked, young, theirs, other, tmp / ("hprof-test-%s.txt" % number):
                path.unlink(missing_ok=True)

    found = [swept("%016x" % (os.getpid() << 32 | attempt)) for attempt in range(ATTEMPTS)]
    assert [True, True, True, False] in found and not any(of_answer for *_, of_answer in found), found


@old_and_new
def test_the_jvms_own_recording_of_a_killed_command_is_ended(hprof, waiting, jdk, tmp_path):
    """It has no duration, so that it would go on for ever; the next command that has the JVM record ends it, and no other one's."""
    java, out = waiting(jdk), tmp_path / "x.jfr"
    ask(hprof, "jcmd", java.pid, "JFR.start name=another")
    killed, lives = (recording(hprof, java, tmp_path / ("%s.jfr" % name), "--jfr") for name in ("killed", "lives"))
    kill(killed)
    said = ask(hprof, "record", "--jfr", "-d", "1s", "-o", out, java.pid)[1]
    names = re.findall(r"ended the JVM's own recording '(hprof-\w{16})', which a command left that was killed\n", said)
    assert len(names) == 1, said
    running = ask(hprof, "jcmd", java.pid, "JFR.check")[0]
    assert names[0] not in running and "another" in running and len(re.findall(r'name="?hprof-\w{16}', running)) == 1, running
    lives.send_signal(signal.SIGINT)
    assert lives.wait(TIMEOUT_S) == 0 and out.exists()
    lives.stderr.close()
    assert subprocess.run([hprof, "jfr", "summary", str(out)], stdout=subprocess.DEVNULL, check=False).returncode == 0
