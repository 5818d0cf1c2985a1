"""Our programs, and agents of others, on one JVM together: what one of them does may not blind another.

The agent maps libjvm.so a second time, injects classes, and holds timers and tags; `hprof stack`, `hprof verify` and
libasgst must see the same JVM as without it. What each program says by itself is tested elsewhere.
SPDX-License-Identifier: Apache-2.0
"""
import re
import shutil

import pytest

from attaching import attach  # noqa: F401
from conftest import old_and_new
from cores import make_core  # noqa: F401
from test_asgst import ROUNDS, SOURCES, asgst, asgst_classes, build_agent, check_stacks, run_asgst  # noqa: F401
from test_stack import assert_same, core_of, jstack, stack, threads_of  # noqa: F401
from test_verify import mixed, programs, verify  # noqa: F401

# One row an engine, and all of them.
MODES = {
    "samples": "cpu=samples",
    "samples-native": "cpu=samples,native=y",
    "times": "cpu=times",
    "sites": "heap=sites",
    "dump": "heap=dump",
    "monitor": "monitor=all",
    "all": "cpu=samples,heap=all,monitor=all,thread=y",
}
# All of them at once have the engines that the other rows have one by one; the rows tell whose fault it is.
enough = pytest.mark.everyday(mode=["samples-native", "times", "all"])
INJECTING = "cpu=times,heap=sites,monitor=all"
LATE = ["samples", "sites", "dump"]
FILE = ",file=out.txt"


def assert_stack_sees_all(hprof, jdk, java):
    text, _ = stack(hprof, "--java", java.pid)
    ours, theirs = threads_of(text), threads_of(jstack(jdk, java.pid))
    for name in theirs.keys() & ours.keys():
        # Of a frame whose class was injected meanwhile jstack knows no line; ours reads it from the old method.
        for i, (our, their) in enumerate(zip(ours[name].frames, theirs[name].frames)):
            if their.endswith("(Unknown Source)"):
                theirs[name].frames[i] = their.replace("(Unknown Source)", our[our.index("("):])
    assert_same(ours, theirs)


@enough
@pytest.mark.parametrize("mode", MODES)
def test_stack_of_a_jvm_that_started_with_the_agent(hprof, start_java, jdk, mode):
    java = start_java(jdk, MODES[mode], "StackDemo", vm=["-Xmx64m"])
    java.wait_for_stdout("ready")
    assert_stack_sees_all(hprof, jdk, java)


@pytest.mark.parametrize("mode", LATE)
def test_stack_of_a_jvm_that_the_agent_was_attached_to(hprof, start_java, attach, jdk, mode):    # noqa: F811
    java = start_java(jdk, None, "StackDemo", vm=["-Xmx64m"])
    java.wait_for_stdout("ready")
    assert "return code: 0" in attach(jdk, java, MODES[mode] + FILE)
    assert_stack_sees_all(hprof, jdk, java)


@pytest.mark.parametrize("mode", LATE)
def test_stack_of_a_core_of_a_jvm_with_the_agent(hprof, core_of, jdk, mode):    # noqa: F811
    core, dump = core_of(jdk, "0x33", options=MODES[mode])
    text, _ = stack(hprof, "--java", core)
    assert_same(threads_of(text), threads_of(dump))
    core.unlink()


@enough
@pytest.mark.parametrize("mode", MODES)
def test_verify_of_a_jvm_with_a_second_copy_of_the_agent(verify, agent, programs, jdk, mode, tmp_path):    # noqa: F811
    """A second path is a second library, with memory of its own, as two versions of us on one JVM are."""
    other = tmp_path / "other/libhprof.so"
    other.parent.mkdir()
    shutil.copy(str(agent), str(other))
    java, *rest = mixed(jdk, programs, 1)
    ended = verify(["--share", "0"], [java, "-agentpath:%s=%s%s" % (other, MODES[mode], FILE), *rest])
    assert ended.json and ended.json["crashes"] == 0, ended.stderr
    stop = ended.json["counts"]["safepoint"]
    assert 0 < stop["compared"] == stop["agreed"], ended.json["examples"]


@old_and_new
@pytest.mark.parametrize("mode", ["times", "sites", "dump", "monitor"])
def test_libasgst_beside_the_agent(jdk, agent, build_agent, run_asgst, mode):    # noqa: F811
    profiler = build_agent(SOURCES / "iterator_profiler.cpp")
    # A call that is counted costs twenty that are not.
    _, folded = run_asgst(jdk, profiler, "output=OUT", "AsgstWork", 1000 if mode == "times" else ROUNDS, vm=["-agentpath:%s=%s%s" % (agent, MODES[mode], FILE)])
    # Who is no agent of ours sees the injected calls.
    check_stacks(re.sub(r";java/lang/Hprof\w+\.[^; ]*", "", folded))


@pytest.mark.parametrize("options", [MODES["all"], INJECTING], ids=["all", "injecting"])
@pytest.mark.parametrize("order", ["first", "last"])
def test_all_engines_beside_the_debugger(hprof, agent, start_java, jdk, options, order):
    ours, debugger = "-agentpath:%s=%s" % (agent, options), "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n"
    agents = [debugger, ours] if order == "last" else [ours, debugger]
    java = start_java(jdk, None, "StackDemo", vm=["-Xmx64m"] + agents)
    java.wait_for_stdout("ready")
    assert_stack_sees_all(hprof, jdk, java)
