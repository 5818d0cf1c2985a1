"""JVMPI's monitors: who gives a contended one back, told in its own thread (jvmpi/exits.c).

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
