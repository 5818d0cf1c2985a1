"""Flags, properties and the command line of JVMs that do not answer, and of cores: as the JVM itself tells them.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import signal

import pytest

from asking import ask
from conftest import wait_until
from cores import make_core  # noqa: F401

# Of every type that a flag has, and properties beyond ASCII, on several lines, and empty.
VM = ["-Xmx64m", "-XX:+UseSerialGC", "-XX:MaxRAMPercentage=12.5", "-XX:ErrorFile=/dev/null", "-XX:OnOutOfMemoryError=true a;true b",
      "-Dmine=one two", "-Dempty=", "-Dlines=a\nb", "-Dumlauts=\u00e4\u20ac"]
NAMED = ["UseSerialGC", "MaxHeapSize", "MaxRAMPercentage", "OnOutOfMemoryError", "ErrorFile", "CICompilerCount", "MinHeapFreeRatio"]


def words_of(text):
    return sorted(text.split(" "))


def outside_of(hprof, target, *options):
    """What the commands tell without the JVM's help."""
    return {
        "flags": words_of(ask(hprof, "flags", *options, target)[0]),
        "named": ask(hprof, "flags", *options, target, *NAMED)[0],
        "props": ask(hprof, "props", *options, target)[0],
        "mine": ask(hprof, "props", *options, target, "mine")[0],
    }


def told_by(hprof, pid):
    """The same as the JVM tells it; to tell its properties it sets one of them, user.timezone."""
    ask(hprof, "props", pid)
    said = outside_of(hprof, pid)
    said["flags"] = words_of(ask(hprof, "jcmd", pid, "VM.flags")[0].replace(f"{pid}:\n", "").replace(" \n", "\n"))
    return said


def start(start_java, jdk):
    java = start_java(jdk, None, "StackDemo", vm=VM)
    java.wait_for_stdout("ready")
    return java


def test_what_is_read_outside_is_what_the_jvm_tells(hprof, start_java, jdk):
    java = start(start_java, jdk)
    told = told_by(hprof, java.pid)
    assert outside_of(hprof, java.pid, "--outside") == told
    text = ask(hprof, "info", "--outside", java.pid)[0]
    assert f"jvm_args: {' '.join(VM)}" in text and "java_command: StackDemo" in text
    assert ask(hprof, "info", java.pid, "version")[0].split("version ")[1].split("\n")[0] in text.split("\n")[0]
    assert "has no flag 'Nonsense'" in ask(hprof, "flags", "--outside", java.pid, "Nonsense", status=1)[1]
    assert "has no property 'nonsense'" in ask(hprof, "props", "--outside", java.pid, "nonsense", status=1)[1]
    assert "only a JVM that answers tells 'heap'" in ask(hprof, "info", "--outside", java.pid, "heap", status=1)[1]


def test_the_origins_of_flags(hprof, start_java, jdk):
    java = start(start_java, jdk)
    rows = {line.split()[1]: line for line in ask(hprof, "flags", "--all", "--outside", java.pid)[0].splitlines()}
    assert rows["MaxHeapSize"].split("=")[1].split() == ["67108864", "{command", "line}"]
    assert rows["CICompilerCount"].endswith("{ergonomic}") and rows["MinHeapFreeRatio"].endswith("{default}")
    told = {line.split()[1] for line in ask(hprof, "flags", "--all", java.pid)[0].splitlines()[1:]}
    assert told <= set(rows)    # which has those, too, that are locked


@pytest.mark.everyday(17)
def test_a_stopped_jvm_and_the_way_around(hprof, start_java, jdk):
    java = start(start_java, jdk)
    java.signal(signal.SIGSTOP)
    wait_until(lambda: " T " in pathlib.Path(f"/proc/{java.pid}/stat").read_text(), "it is stopped")
    for command in ("flags", "props", "info"):
        assert f"'{command} --outside' reads it without its help" in ask(hprof, command, java.pid, status=1)[1]
    assert ask(hprof, "props", "--outside", java.pid, "mine")[0] == "one two\n"
    java.signal(signal.SIGCONT)


def test_a_core_tells_what_the_jvm_told(hprof, make_core, jdk):    # noqa: F811
    core, told = make_core(jdk, "0x3f", vm=VM, before=lambda java: told_by(hprof, java.pid))
    assert outside_of(hprof, core) == told
    assert "signal" in ask(hprof, "info", core)[0].splitlines()[0]
    assert "a core cannot be asked" in ask(hprof, "why", core, status=1)[0]
    if jdk.number == 8:
        assert "took them back" in ask(hprof, "counters", core, status=1)[1]
        return
    counters = dict(line.split("=", 1) for line in ask(hprof, "counters", core)[0].splitlines())
    assert "StackDemo" in counters["sun.rt.javaCommand"]
    assert len(ask(hprof, "stat", core)[0].splitlines()) == 2
