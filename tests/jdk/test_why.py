"""hprof why: each cause for which a JVM cannot be asked, made for real.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import shutil
import subprocess

import pytest

from asking import ask, inner_java, open_command, unshare, waiting  # noqa: F401
from conftest import TIMEOUT_S, wait_until
from robust import classes  # noqa: F401


def verdict(hprof, pid, *before):
    return ask(hprof, "why", pid, status=1, before=before)[0].splitlines()[-1]


@pytest.mark.everyday(17)
@pytest.mark.jdks(8, 17, "newest")
def test_why_has_each_cause(hprof, start_java, waiting, classes, jdk, tmp_path):
    """A JVM that has not come as far as its handler; one without a /tmp to write to; one whose socket was removed under -Xrs."""
    pause = tmp_path / "pause"
    starting = start_java(jdk, None, "Robust", "wait", vm=["-XX:+UnlockDiagnosticVMOptions", "-XX:+PauseAtStartup", "-XX:PauseAtStartupFile=%s" % pause])
    starting.wait_for(pause.exists, "a start that waits")
    pathlib.Path("/tmp/.java_pid%d" % starting.pid).unlink(missing_ok=True)    # of a killed JVM that had the number before
    assert verdict(hprof, starting.pid).startswith("verdict:  STARTING: ")
    pause.unlink()
    starting.wait_for_stdout("running")
    reduced = waiting(jdk, "-Xrs")
    ask(hprof, "jcmd", reduced.pid, "VM.version")
    pathlib.Path("/tmp/.java_pid%d" % reduced.pid).unlink()
    assert verdict(hprof, reduced.pid).startswith("verdict:  REDUCED_SIGNALS: ")
    script = 'mount --bind "$1" /mnt && mount -t tmpfs -o ro none /tmp && cd / && exec "$0" -Xmx64m -cp /mnt Robust wait'
    with inner_java([*unshare("--mount"), "sh", "-c", script, jdk.tool("java"), str(classes)], tmp_path / "out") as pid:
        assert verdict(hprof, pid).startswith("verdict:  TMP_READ_ONLY: ")


@pytest.mark.jdks(17)
def test_why_knows_who_may_not_ask(waiting, jdk, open_command):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("takes root, and setpriv")
    java = waiting(jdk)
    assert verdict(open_command, java.pid, "setpriv", "--reuid=65533", "--regid=65533", "--clear-groups").startswith("verdict:  NOT_PERMITTED: ")


@pytest.fixture
def freezer():
    """freezer(pid) freezes a process, in a group of its own, of either version of control groups; it goes on at the end."""
    if pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists():
        group, state, words = pathlib.Path("/sys/fs/cgroup"), "cgroup.freeze", ("1", "0")
    else:
        group, state, words = pathlib.Path("/sys/fs/cgroup/freezer"), "freezer.state", ("FROZEN", "THAWED")
    group = group / ("hprof-test-%d" % os.getpid())
    try:
        group.mkdir()
        (group / state).read_text()
    except OSError as error:
        pytest.skip("no control group can be made here: %s" % error)
    pids = []

    def freeze(pid):
        pids.append(pid)
        (group / "cgroup.procs").write_text(str(pid))
        (group / state).write_text(words[0])
    freeze.thaw = lambda: (group / state).write_text(words[1])
    yield freeze
    (group / state).write_text(words[1])
    for pid in pids:
        (group.parent / "cgroup.procs").write_text(str(pid))
    group.rmdir()


@pytest.mark.jdks(17)
def test_a_frozen_jvm(hprof, waiting, freezer, jdk):
    """As docker pause leaves it."""
    java = waiting(jdk)
    freezer(java.pid)
    wait_until(lambda: subprocess.run([hprof, "why", str(java.pid)], stdout=subprocess.PIPE, text=True, check=False,
                                      timeout=TIMEOUT_S).stdout.splitlines()[-1].startswith("verdict:  FROZEN: "), "a frozen JVM")
    assert "control group of the process is frozen" in ask(hprof, "jcmd", java.pid, "VM.version", status=1)[1]
    # The advice is to read it as it is. Of version 1 its threads cannot be stopped, and are let go once they can.
    assert '"main"' in ask(hprof, "stack", java.pid)[0]
    with open(java.cwd / "pages", "wb") as pages:
        watching = subprocess.Popen([hprof, "top", "--json", "--rows", "0", "-d", "100ms", str(java.pid)], stdout=pages, stderr=pages)
    try:
        wait_until(lambda: b'"main"' in (java.cwd / "pages").read_bytes(), "a page")
        freezer.thaw()
        wait_until(lambda: b'"page":true' in (java.cwd / "pages").read_bytes(), "a page with a stop, so that all have been let go before")
    finally:
        watching.kill()
        watching.wait()
    assert "JDK" in ask(hprof, "jcmd", java.pid, "VM.version")[0]
    freezer(java.pid)
    wait_until(lambda: "control group" in subprocess.run([hprof, "jcmd", str(java.pid), "VM.version"], stderr=subprocess.PIPE, text=True,
                                                         check=False, timeout=TIMEOUT_S).stderr, "a frozen JVM")
    out, said = ask(hprof, "dump-heap", "--fork", java.pid, java.cwd / "out", status=1)
    assert out == "" and "control group of the process is frozen" in said and not (java.cwd / "out").exists()
