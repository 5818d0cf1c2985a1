"""JVMPI's monitors: who gives a contended one back, told in its own thread (jvmpi/exits.c); sleeps as
waits for no object (jvmpi/sleeps.c).

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

from jvmpi_agents import SOURCES, bridge, build_agent, build_program, path_of

# How each thread of Exits.java gives its monitor back. The VM alone sees the last two, and tells of them when the rival enters.
OWN = ["block", "method", "class", "throwing method", "nested blocks"]
OTHER = ["block that throws", "waits"]


# The code that compilers and VMs take differs with the JDK, as does what the VM tells of monitors.
@pytest.mark.everyday(8, 17, 27)
def test_the_exit_of_a_contended_monitor_is_told_in_its_thread(run_java, jdk, tmp_path_factory):
    agent = build_agent(tmp_path_factory, SOURCES / "exits.c", "-pthread")
    program = build_program(tmp_path_factory, SOURCES / "Exits.java")
    ended = run_java(jdk, None, "Exits", vm=[bridge(), "-Xrunexits", "-Xcheck:jni", "-Xbootclasspath/a:%s" % program],
                     env=path_of(agent))
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert ended.stdout == "done\n", ended.stdout
    told = re.findall(r"^exits: (.*) (own|other)$", ended.stderr, re.M)
    assert [row for row in told if row[0] in OWN + OTHER] == [(name, "own") for name in OWN] + [(name, "other") for name in OTHER]
    assert "exits: 0 early\n" in ended.stderr, ended.stderr


# How Thread.sleep is made differs with the JDK: a native method on 8 and 17, each method by itself on 21, one for all on 27.
@pytest.mark.everyday(8, 17, 21, 27)
def test_a_sleep_is_a_wait_for_no_object(run_java, jdk, tmp_path_factory):
    agent = build_agent(tmp_path_factory, SOURCES / "sleeps.c")
    program = build_program(tmp_path_factory, SOURCES / "Sleeps.java")
    ended = run_java(jdk, None, "Sleeps", vm=[bridge(), "-Xrunsleeps", "-Xcheck:jni", "-Xbootclasspath/a:%s" % program],
                     env=path_of(agent))
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert ended.stdout == ("5 sleeps\n" if jdk.number >= 21 else "no virtual threads\n3 sleeps\n")
    told = [(kind, int(ms)) for kind, ms in re.findall(r"^sleeps: (wait|waited) (\d+)$", ended.stderr, re.M)]
    # The second is 29 ms and nearly one more, which JDK 21 does not count.
    lengths = [30, 29 if jdk.number == 21 else 30, 100000] + ([32, 31] if jdk.number >= 21 else [])
    assert [ms for kind, ms in told if kind == "wait"] == lengths
    slept = [ms for kind, ms in told if kind == "waited"]
    assert len(slept) == len(lengths)
    assert slept[0] >= 30 and slept[1] >= 29 and slept[2] < 100000 and min(slept[3:], default=31) >= 31
    assert [kind for kind, ms in told] == ["wait", "waited"] * len(lengths)
