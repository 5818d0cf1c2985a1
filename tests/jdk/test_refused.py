"""What the VM refuses us, mostly because another agent has it, is named; the engine that needs it is left out and the others go on.

native/greedy.c is that other agent. SPDX-License-Identifier: Apache-2.0
"""
import pytest
from conftest import compile_library, old_and_new, one_jdk
from robust import Profile, classes, crash_files  # noqa: F401


@pytest.fixture(scope="module")
def greedy(tmp_path_factory):
    return compile_library(tmp_path_factory, "greedy")


def run_with(run_java, jdk, greedy, options, wants=""):
    ended = run_java(jdk, options + ",file=out.txt", "Truth", 300, vm=["-agentpath:%s=%s" % (greedy, wants)])
    assert not crash_files(ended), ended.stderr
    return ended


@one_jdk
def test_the_others_go_on(run_java, jdk, greedy):
    ended = run_with(run_java, jdk, greedy, "cpu=samples,interval=1ms,monitor=y", "monitors")
    assert ended.rc == 0, ended.stderr
    assert ("this VM does not tell of contended monitors (can_generate_monitor_events: this VM does not give it)"
            in ended.stderr)
    assert Profile(ended.text("out.txt")).check().quality["walked"] > 0
    assert "MONITOR" not in ended.text("out.txt").split("THREAD START", 1)[1]


@pytest.mark.jdks(8, "newest")
def test_where_nothing_is_left_to_measure_the_vm_does_not_start(run_java, jdk, greedy):
    ended = run_with(run_java, jdk, greedy, "verify=verify.txt")
    assert ended.rc == 1
    assert "this VM lets nobody stop a thread (can_suspend: another agent has it)" in ended.stderr
    assert "Unable to get necessary JVMTI capabilities." in ended.stderr


@old_and_new
@pytest.mark.jdks(8, 17, "newest")
def test_where_the_sampler_is_taken_there_are_no_sites(run_java, jdk, greedy):
    """On JDK 8, which has none, injected code tells of allocations."""
    ended = run_with(run_java, jdk, greedy, "heap=sites,cpu=samples")
    assert ended.rc == 0, ended.stderr
    refused = "no allocation sites: can_generate_sampled_object_alloc_events: another agent has it" in ended.stderr
    assert refused == ("SITES BEGIN" not in ended.text("out.txt")) == (jdk.id != "8")
    assert "CPU SAMPLES BEGIN" in ended.text("out.txt")
