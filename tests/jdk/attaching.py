"""Loading the agent into a running JVM: what several test files share.

Use: `from attaching import attach, command, running, finish` and `from robust import classes`.
SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

import pytest
from conftest import HERE, TIMEOUT_S, clean_environment
from kept import made_once
from robust import crash_files


def call(argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S,
                          env=clean_environment(), check=False).stdout


def call_vm(java, *words):
    """The answer of HotSpot's attach listener to a command and its three arguments, as the tools of each JDK ask it."""
    door = pathlib.Path("/tmp/.java_pid%d" % java.pid)
    if not door.exists():
        asked = pathlib.Path("/proc/%d/cwd/.attach_pid%d" % (java.pid, java.pid))
        asked.touch()
        java.signal(signal.SIGQUIT)
        try:
            java.wait_for(door.exists, "attach listener")
        finally:
            asked.unlink()
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(TIMEOUT_S)
        line.connect(str(door))
        line.sendall(b"".join(os.fsencode(word) + b"\0" for word in ("1", *words)))
        with line.makefile("rb") as answer:
            return answer.read().decode(errors="replace")


def load(java, library, options):
    """The return code of one load; no JVM of a tool is started for it."""
    said = call_vm(java, "load", str(library), "true", options)
    found = re.fullmatch(r"0\n(?:return code: )?(-?\d+)\n", said)
    assert found, "%s: %r\n%s" % (options, said, java.said())
    return int(found.group(1))


def load_each(java, library, lines):
    codes = []
    for line in lines:
        if line.startswith("pause="):
            time.sleep(int(line[len("pause="):]) / 1000)
        else:
            codes.append(load(java, library, line))
    return codes


def load_by_tool(jdk, java, library, tmp_path_factory, options):
    """The output of jcmd, or of a program that says the same where jcmd cannot load."""
    if jdk.number > 8:
        return call([*jdk.asking_tool("jcmd"), str(java.pid), "JVMTI.agent_load", str(library), '"%s"' % options])
    tools = jdk.home + "/lib/tools.jar"
    source = HERE / "programs_robust/attach/Attach.java"
    folder = made_once([source], lambda into: [jdk.tool("javac"), "-cp", tools, "-d", into, str(source)],
                       tmp_path_factory.mktemp("attach"), clean_environment())
    return call([*jdk.asking_tool("java"), "-cp", "%s:%s" % (tools, folder), "Attach", str(java.pid), str(library), options])


@pytest.fixture
def command(agent):
    """command(jdk, java, *lines): the return codes of that many loads; "pause=N" waits for N ms."""
    return lambda jdk, java, *lines: load_each(java, agent, lines)


@pytest.fixture
def attach(agent):
    """attach(jdk, java, options): what jcmd would say of one load."""
    return lambda jdk, java, options: "return code: %d" % load(java, agent, options)


@pytest.fixture
def attach_by_tool(agent, tmp_path_factory):
    """The same by the tools that people use."""
    return lambda jdk, java, options: load_by_tool(jdk, java, agent, tmp_path_factory, options)


def running(start_java, jdk):
    java = start_java(jdk, None, "Robust", "wait", vm=["-Xmx64m"])
    java.wait_for_stdout("running")
    return java


def round_of(java, number):
    """Lets a program that counts its rounds do one, which the file goNUMBER asks for."""
    (java.cwd / ("go%d" % number)).touch()
    java.wait_for_stdout("round %d\n" % number)


def finish(java):
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and "stopped\n" in ended.stdout and not crash_files(ended), ended.stderr
    return ended
