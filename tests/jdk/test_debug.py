"""hprof debug, and hprof run --debug-on: the JDK's debugging agent sleeps until something happens.

SPDX-License-Identifier: Apache-2.0
"""
import re
import socket
import subprocess

import pytest

from asking import ask
from conftest import TIMEOUT_S, clean_environment, old_and_new, one_jdk, wait_until


def starts(hprof, tmp_path, on, *command, options=()):
    """The exit status and what is said of a program that ends by itself; no file but the profile may come."""
    done = subprocess.run([hprof, "run", *options, "--debug-on", on, "--", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                          env=clean_environment(), cwd=str(tmp_path), timeout=TIMEOUT_S)
    return done.returncode, done.stdout


def shakes_hands(port, until_told=False):
    """A debug wire is there, and greets as it must. `until_told`: and tells why it has stopped; who goes away before may leave
    the program stopped for ever."""
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as to:
        to.sendall(b"JDWP-Handshake")
        return to.recv(14) == b"JDWP-Handshake" and (not until_told or len(to.recv(11)) > 0)


@old_and_new
@pytest.mark.parametrize("on, args", [("throw=Fires$Mine", ["yours", "throw", "work:1"]), ("uncaught", ["throw", "dies:1", "work:1"])])
def test_it_stops_where_an_exception_is_thrown(jdk, hprof, classes, tmp_path, on, args):
    """Another exception, and one that is caught, did not stop it before; a debugger that goes away lets it go on."""
    log = tmp_path / "log"
    with open(log, "wb") as said:
        run = subprocess.Popen([hprof, "run", "--debug-on", on, "--", jdk.tool("java"), "-cp", str(classes),
                                "Fires", *args], stdout=said, stderr=said, env=clean_environment(), cwd=str(tmp_path))
    try:
        told = re.compile(r"the JVM \d+ has stopped and waits for a debugger by dt_socket at (\S+), as of 'jdb -attach ")
        wait_until(lambda: told.search(log.read_text()), "debugger", lambda: run.poll() is not None, log.read_text)
        port = int(told.search(log.read_text())[1].rsplit(":", 1)[-1])
        assert "does %s" % args[1 if on == "uncaught" else 1] in log.read_text() and "does work" not in log.read_text()
        assert shakes_hands(port, until_told=True)
        run.wait(timeout=TIMEOUT_S)
        assert "does work:1" in log.read_text()
    finally:
        run.kill()
        run.wait()


@pytest.mark.jdks(17, 21)
def test_a_jvm_that_was_started_for_it_listens(jdk, hprof, classes, tmp_path):
    log = tmp_path / "log"
    with open(log, "wb") as said:
        run = subprocess.Popen([hprof, "run", "--debug-on", "command", "--", jdk.tool("java"), "-cp",
                                str(classes), "Fires", "wait:1"], stdout=said, stderr=said, env=clean_environment(), cwd=str(tmp_path))
    try:
        wait_until(lambda: "does wait:1" in log.read_text(), "JVM", lambda: run.poll() is not None, log.read_text)
        pid = int(subprocess.run(["pgrep", "-P", str(run.pid)], stdout=subprocess.PIPE, check=True).stdout)
        answer = ask(hprof, "debug", pid)[0]
        assert answer.startswith("Debugging has been started.")
        assert shakes_hands(int(re.search(r"Address : 127\.0\.0\.1:(\d+)", answer)[1]))
        assert ask(hprof, "debug", pid)[0].startswith("Debugging is already active.")
        (tmp_path / "go1").touch()
        assert run.wait(timeout=TIMEOUT_S) == 0
    finally:
        run.kill()
        run.wait()


@pytest.mark.jdks(8, 25, 27)
@pytest.mark.parametrize("options", [(), ("-q", "-e", "cpu")])
def test_a_jdk_that_cannot_wait_for_a_command_is_told_before(jdk, hprof, classes, tmp_path, options):
    """Its debugging agent would end the JVM with a list of its options. Of a script the JDK is known only when the JVM starts."""
    java = [jdk.tool("java"), "-cp", str(classes), "Fires", "work:1"]
    status, said = starts(hprof, tmp_path, "command", *java, options=options)
    assert status == 1 and said.count("\n") == 1 and "libjdwp.so', has no onjcmd=" in said
    status, said = starts(hprof, tmp_path, "command", "env", *java, options=options)
    assert status == 1 and "HPROF ERROR: --debug-on command: " in said and "libjdwp.so', has no onjcmd=" in said
    assert "does work" not in said and "JDWP" not in said and list(tmp_path.iterdir()) == []


@pytest.mark.jdks(11, 17, 21)
def test_a_jdk_that_can_wait_for_a_command_starts(jdk, hprof, classes, tmp_path):
    java = [jdk.tool("java"), "-cp", str(classes), "Fires", "work:1"]
    for before in ([], ["env"]):
        status, said = starts(hprof, tmp_path, "command", *before, *java)
        assert status == 0 and "does work:1" in said and ("onjcmd=only" in said) == bool(before)
    assert list(tmp_path.iterdir()) == []


@old_and_new
def test_nothing_is_measured_unless_it_is_named(jdk, hprof, classes, tmp_path):
    java = [jdk.tool("java"), "-cp", str(classes), "Fires", "work:1"]
    assert "libhprof" not in starts(hprof, tmp_path, "uncaught", *java)[1] and list(tmp_path.iterdir()) == []
    assert "'x.txt' is not written" in starts(hprof, tmp_path, "uncaught", *java, options=["-o", "x.txt"])[1] and list(tmp_path.iterdir()) == []
    assert starts(hprof, tmp_path, "uncaught", *java, options=["-o", "x.txt", "-e", "cpu"])[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["x.txt"]


@pytest.mark.jdks(8, 17, 25)
def test_others_say_with_what_they_have_to_be_started(jdk, hprof, start_java):
    """JDK 8 and 25 have no such command; 17 has it, but no agent."""
    java = start_java(jdk, None, "Fires", "wait:1")
    java.wait_for_stdout("does wait:1")
    said = ask(hprof, "debug", java.pid, status=1)[1]
    has_command = jdk.number == 17
    assert ("was not started for this" in said) == has_command and ("has no command" in said) != has_command
    assert "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n," in said and said.count("\n") == 1


@one_jdk
def test_what_cannot_be_is_said(hprof, jdk):
    for on in ("throw=", "throw=a.B+", "throw=a,b", "nothing"):
        assert "--debug-on '%s': throw=CLASS" % on in ask(hprof, "run", "--debug-on", on, "--", jdk.tool("java"), "-version", status=1)[1]
    assert "--debug-port" in ask(hprof, "run", "--debug-port", "70000", "--", "true", status=2)[1]
    assert "TRANSPORT and ADDRESS" in ask(hprof, "debug", "--stopped", status=2)[1]
