"""What JVMPI agents of the time do and rely on (jvmpi/careless.c, whose head says how).

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

from jvmpi_agents import SOURCES, bridge, build_agent, build_program, path_of


@pytest.fixture
def run(run_java, tmp_path_factory):
    """run(jdk, mode of the agent, options of the VM): how many checks the agent has made, all of which held."""
    def start(jdk, mode, *options):
        agent = build_agent(tmp_path_factory, SOURCES / "careless.c")
        classes = build_program(tmp_path_factory, SOURCES / "Rough.java")
        ended = run_java(jdk, None, "Rough", "wait", vm=[bridge(), "-Xruncareless:" + mode, "-Xbootclasspath/a:%s" % classes, *options],
                         env=path_of(agent))
        assert ended.rc == 0, ended.stdout + ended.stderr
        found = re.findall(r"^careless: (.*): ([01])$", ended.stderr, re.M)
        assert [what for what, holds in found if holds != "1"] == [], ended.stderr
        return len(found)
    return start


@pytest.mark.everyday(8, 17)
def test_null_is_no_reason_to_crash(run, jdk):
    assert run(jdk, "null") == 12


@pytest.mark.everyday(17)
def test_the_status_of_a_thread_tells_of_raw_monitors(run, jdk):
    assert run(jdk, "raw") == 4


# How the VM keeps who waits differs with the JDK.
@pytest.mark.everyday(8, 25)
def test_a_monitor_that_nobody_owns_is_dumped(run, jdk):
    assert run(jdk, "unowned") == 7


@pytest.mark.everyday(8, 25)
def test_a_thread_that_wants_a_monitor_back_when_its_time_is_over_is_told_of(run, jdk):
    assert run(jdk, "timed") == 2


@pytest.mark.everyday(17)
def test_the_name_of_a_class_is_kept_after_its_request(run, jdk):
    assert run(jdk, "kept") == 2


# JDK 8 compiles nothing before VMInit.
@pytest.mark.jdks(since=11)
@pytest.mark.everyday(17, 25)
def test_code_that_was_compiled_while_the_vm_started_is_told(run, jdk):
    assert run(jdk, "compiled", "-Xcomp", "-XX:TieredStopAtLevel=1") == 3
