"""JVMPI's promises where an agent is not careful: suspended threads, threads of no VM, ends of threads, of monitors, of the VM
(jvmpi/rough.c, whose head says what it does).

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

from jvmpi_agents import SOURCES, bridge, build_agent, build_program, path_of


@pytest.fixture(scope="session")
def rough(tmp_path_factory):
    return build_agent(tmp_path_factory, SOURCES / "rough.c", "-pthread")


@pytest.fixture
def run(run_java, tmp_path_factory, rough):
    """run(jdk, mode of the agent, Java file, what it does): what the agent found, in order."""
    def start(jdk, mode, program, *args, vm=()):
        classes = build_program(tmp_path_factory, SOURCES / (program + ".java"))
        ended = run_java(jdk, None, program, *args, vm=[bridge("rough:" + mode), "-Xbootclasspath/a:%s" % classes, *vm],
                         env=path_of(rough))
        assert ended.rc == 0, ended.stdout + ended.stderr
        found = re.findall(r"^rough: (.*): ([01])$", ended.stderr, re.M)
        assert [what for what, holds in found if holds != "1"] == [], ended.stderr
        return [what for what, holds in found]
    return start


# How a thread stops differs: by a flag on 8, by handshakes on the newer ones.
@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.everyday(8, 17)
def test_no_thread_is_suspended_with_a_lock_of_the_bridge(run, jdk):
    assert run(jdk, "suspend", "Rough", "wait") == ["suspended"]


# How a thread stops differs: by a flag on 8, by handshakes on the newer ones.
@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.everyday(17)
def test_a_thread_that_was_suspended_while_it_ends_the_vm_is_resumed(run, jdk):
    assert run(jdk, "last", "Rough", "wait") == ["the last thread is suspended"]


@pytest.mark.jdks(17)    # what is refused, is by the bridge
def test_a_thread_that_the_vm_does_not_know_is_refused(run, jdk):
    assert run(jdk, "unknown", "Rough", "wait") == ["from a thread of no VM", "and from a known one"]


# Objects are told to be freed in the pause on 8, behind it on 17.
@pytest.mark.jdks(8, 17)
def test_regions_without_frees(run, jdk):
    assert len(run(jdk, "hold", "Rough", "wait")) == 6


@pytest.mark.jdks(17)    # no matter of the VM
def test_a_raw_monitor_that_is_destroyed_while_its_exit_is_told(run, jdk):
    assert run(jdk, "destroy", "Rough", "wait") == ["the exit of a destroyed monitor"]


# Before 23 the VM lists who waits to be notified among those who want to enter.
@pytest.mark.jdks(17, "newest")
def test_who_had_a_monitor_and_who_stands_in_its_lists(run, jdk):
    assert sorted(run(jdk, "monitors", "Rough", "monitors")) == ["who had it before"] * 3 + ["who waits does not want to enter"]


@pytest.mark.jdks(8, 17)
@pytest.mark.everyday(17)
def test_nothing_is_told_of_a_thread_or_of_the_vm_that_has_ended(run, jdk):
    assert len(run(jdk, "ends", "Rough", "ends")) == 5


# JDK 16 and later make such objects one thread after the other.
@pytest.mark.jdks(11, 17, "newest")
@pytest.mark.everyday(17)
def test_a_handler_may_wait_for_a_walk_where_the_vm_makes_an_object_that_a_compiler_kept(run, jdk):
    assert run(jdk, "remade", "Rough", "points") == ["a handler that waits for a walk of the heap"]


@pytest.mark.jdks(17)
def test_unloaded_classes_are_told_where_loads_are_not(run, jdk):
    assert run(jdk, "unload", "Objects") == ["classes are unloaded"]


@pytest.mark.jdks(17)    # where frees are told when a heap walk begins
def test_who_wants_nothing_of_collections_has_no_walks_of_the_heap(run_java, jdk, tmp_path_factory):
    agent = build_agent(tmp_path_factory, SOURCES / "loading.c")
    program = build_program(tmp_path_factory, SOURCES / "Objects.java")
    ended = run_java(jdk, None, "Objects", vm=[bridge("loading:loads"), "-Xbootclasspath/a:%s" % program, "-Xlog:safepoint"],
                     env=path_of(agent))
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert "G1" in ended.stdout and "Heap" not in ended.stdout, ended.stdout
