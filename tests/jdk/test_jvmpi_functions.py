"""Sentences about JVMPI's functions and numbers that one thread can check (jvmpi/functions.c, whose head says how).

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

from jvmpi_agents import SOURCES, bridge, build_agent, build_program, path_of
from emulated import emulated

pytestmark = emulated


@pytest.fixture
def run(run_java, tmp_path_factory):
    """run(jdk, mode of the agent, options of the bridge): how many checks the agent has made, all of which held."""
    def start(jdk, mode, *options):
        agent = build_agent(tmp_path_factory, SOURCES / "functions.c")
        classes = build_program(tmp_path_factory, SOURCES / "Rough.java")
        ended = run_java(jdk, None, "Rough", "wait", vm=[bridge(*options), "-Xrunfunctions:" + mode, "-Xbootclasspath/a:%s" % classes],
                         env=path_of(agent))
        assert ended.rc == 0, ended.stdout + ended.stderr
        found = re.findall(r"^functions: (.*): ([01])$", ended.stderr, re.M)
        assert [what for what, holds in found if holds != "1"] == [], ended.stderr
        return len(found)
    return start


# The phase of the VM in which JVM_OnLoad is called differs on 8.
@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.everyday(8, 17)
def test_all_functions_may_be_called_in_jvm_onload(run, jdk):
    assert run(jdk, "early") == 13


@pytest.mark.jdks(17)    # clocks of the system
@pytest.mark.parametrize("mode", ["cpu", "wall"])
def test_the_time_of_a_thread_is_its_cpu_time_or_the_wall_clock(run, jdk, mode):
    assert run(jdk, mode, *(["cputime=wall"] if mode == "wall" else [])) == 1


# Walks of the heap differ with the VM, and those of 17 and later tell of frees.
@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.everyday(17)
def test_objects_in_use_are_counted_where_allocations_are_not_told(run, jdk):
    assert run(jdk, "used") == 2


# What the VM makes of a method that is replaced while it runs, differs with the JDK.
@pytest.mark.everyday(8, 17, 27)
def test_traces_name_methods_as_they_were_told_when_they_run_in_code_that_was_replaced(run, jdk):
    assert run(jdk, "woven") == 8


# Thread.suspend ended with JDK 20.
@pytest.mark.jdks(8, 11, 17)
@pytest.mark.everyday(8, 17)
def test_what_java_has_suspended_is_not_resumed_by_an_agent(run, jdk):
    assert run(jdk, "suspend") == 4
