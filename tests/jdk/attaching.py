"""Loading the agent into a running JVM: what several test files share.

Use: `from attaching import attach, command, running, finish` and `from robust import classes`.
SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess

import pytest
from conftest import HERE, TIMEOUT_S, clean_environment
from kept import made_once
from robust import crash_files


def call(argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S,
                          env=clean_environment(), check=False).stdout


def load_each(jdk, java, library, tmp_path_factory, lines):
    tools = [jdk.home + "/lib/tools.jar"] if jdk.number == 8 else []
    source = HERE / "programs_robust/attach/Attach.java"
    folder = made_once([source], lambda into: [jdk.tool("javac"), *(["-cp", *tools] if tools else []), "-d", into, str(source)],
                       tmp_path_factory.mktemp("attach"), clean_environment())
    said = call([*jdk.asking_tool("java"), "-cp", ":".join([*tools, str(folder)]), "Attach", str(java.pid), str(library), *lines])
    codes = [int(code) for code in re.findall(r"^return code: (-?\d+)$", said, re.M)]
    assert len(codes) == len([line for line in lines if not line.startswith("pause=")]), said
    return codes


@pytest.fixture
def command(agent, tmp_path_factory):
    """command(jdk, java, *lines): the return codes of that many loads by com.sun.tools.attach; "pause=N" waits for N ms."""
    return lambda jdk, java, *lines: load_each(jdk, java, agent, tmp_path_factory, lines)


@pytest.fixture
def attach(agent, tmp_path_factory):
    """attach(jdk, java, options): the tool's output, of jcmd where it can."""
    def load(jdk, java, options):
        if jdk.number > 8:
            return call([*jdk.asking_tool("jcmd"), str(java.pid), "JVMTI.agent_load", str(agent), '"%s"' % options])
        return "return code: %d" % load_each(jdk, java, agent, tmp_path_factory, [options])[0]

    return load


def running(start_java, jdk):
    java = start_java(jdk, None, "Robust", "wait")
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
