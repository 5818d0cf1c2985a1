"""The bridge's options that say of what agents are told: natives=, include=, exclude= (jvmpi/open_calls.c, filtered.c).

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

from jvmpi_agents import SOURCES, bridge, build_agent, build_program, path_of


@pytest.fixture
def run(run_java, tmp_path_factory):
    """run(jdk, agent, its options and the bridge's, program): what it wrote on standard error."""
    def start(jdk, agent, options, program):
        library = build_agent(tmp_path_factory, SOURCES / (agent + ".c"), "-pthread")
        classes = build_program(tmp_path_factory, SOURCES / (program + ".java"))
        ended = run_java(jdk, None, program, vm=[bridge(options), "-Xcheck:jni", "-Xbootclasspath/a:%s" % classes],
                         env=path_of(library))
        assert ended.rc == 0, ended.stdout + ended.stderr
        assert "done\n" in ended.stdout and "WARNING in native" not in ended.stdout
        return ended.stderr
    return start


def calls(stderr):
    """Of the watched class: each method's calls, exits, and calls that named an object."""
    assert "open_calls: 0 wrong, 0 late, toggled 0\n" in stderr, stderr
    return {name: tuple(map(int, numbers.split())) for name, numbers in
            re.findall(r"^open_calls: ([\w<>]+) (\d+ \d+ \d+)$", stderr, re.M)}


# Which methods are native, and what the VM tells of them, differs with the JDK.
@pytest.mark.everyday(8, 17, 27)
def test_native_methods_are_told_with_their_objects(run, jdk):
    found = calls(run(jdk, "open_calls", "natives=y,agent=open_calls:java.lang.Runtime", "Natives"))
    assert found["maxMemory"] == (500, 500, 500)


@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.everyday(17)
def test_a_native_method_that_throws_ends(run, jdk):
    found = calls(run(jdk, "open_calls", "natives=y,agent=open_calls:java.lang.reflect.Array", "Natives"))
    assert found["getLength"] == (200, 200, 0)


@pytest.mark.jdks(17)    # the default is the bridge's
def test_native_methods_are_not_told_of_unless_asked(run, jdk):
    found = calls(run(jdk, "open_calls", "open_calls:java.lang.Runtime", "Natives"))
    assert found["maxMemory"] == (0, 0, 0) and found["getRuntime"][0] >= 500


@pytest.mark.jdks(17)    # patterns are no matter of the VM
@pytest.mark.parametrize("options, natives, has_java", [
    ("include=Natives.most:java.lang.Run*,exclude=*.getRuntime", 500, False),
    ("include=java.lang.Runtime.maxMemory", 500, False),
    ("exclude=*.maxMemory", 0, True),
])
def test_patterns_choose_methods(run, jdk, options, natives, has_java):
    found = calls(run(jdk, "open_calls", "natives=y,%s,agent=open_calls:java.lang.Runtime" % options, "Natives"))
    assert found["maxMemory"][0] == natives
    assert found["getRuntime"][0] >= 500 if has_java else found["getRuntime"][0] == 0


OBJECT, ARRAY = "0", "2"


# By the sampler and by injected code.
@pytest.mark.jdks(8, 17)
def test_patterns_choose_objects(run, jdk):
    stderr = run(jdk, "filtered", "include=Filtered$*:int[]*,exclude=Filtered$Item[]:int[],agent=filtered", "Filtered")
    found = {(name, kind): int(count) for name, kind, count in re.findall(r"^filtered: (\S+) (\d+) (\d+)$", stderr, re.M)}
    assert found.pop(("Filtered$Item", OBJECT)) == 1000
    assert found.pop(("Filtered$Other", OBJECT)) == 100
    assert sum(found.values()) >= 300 and all(kind == ARRAY for name, kind in found), found    # int[][]
