"""JVMPI's dumps of objects and of the heap (jvmpi/dumps.c, heaps.c): what they say of a known program is what JNI and
the events before say of it.

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

from jvmpi_agents import SOURCES, bridge, build_agent, build_program, path_of


def checks(start_java, jdk, tmp_path_factory, name):
    """How many checks the agent has made, all of which held; and what was said."""
    agent = build_agent(tmp_path_factory, SOURCES / (name + ".c"))
    program = build_program(tmp_path_factory, SOURCES / "Dumps.java")
    java = start_java(jdk, None, "Dumps", vm=[bridge(), "-Xrun" + name, "-Xcheck:jni", "-Xmx256m",
                                              "-Xbootclasspath/a:%s" % program], env=path_of(agent))
    java.wait_for_stderr(name + ": done")
    (java.cwd / "done").touch()
    ended = java.end()
    assert ended.rc == 0, ended.stdout + ended.stderr
    found = re.findall(r"^%s: (.*): ([01])$" % name, ended.stderr, re.M)
    assert [what for what, holds in found if holds != "1"] == []
    assert "WARNING in native" not in ended.stdout
    return len(found), ended.stderr


# How JVM TI numbers fields, and follows references, differs with the JDK.
@pytest.mark.everyday(8, 17, 27)
def test_a_dump_says_of_each_object_what_jni_says(start_java, jdk, tmp_path_factory):
    assert checks(start_java, jdk, tmp_path_factory, "dumps")[0] == 22


# What the VM reports as roots, and in which order, differs with the JDK, as do its own objects.
@pytest.mark.everyday(8, 17, 27)
def test_a_heap_dump_has_what_is_reachable_at_each_level(start_java, jdk, tmp_path_factory):
    count, said = checks(start_java, jdk, tmp_path_factory, "heaps")
    assert count == 54
    assert len(re.findall(r"^libjvmpi: no HEAP_DUMP: there is no room for 64 MB, in", said, re.M)) == 1


# To change a class, each VM loads others.
@pytest.mark.everyday(8, 17, 27)
def test_a_dump_that_is_asked_for_at_the_end_has_only_what_was_told(run_java, jdk, tmp_path_factory):
    agent = build_agent(tmp_path_factory, SOURCES / "last_dump.c")
    program = build_program(tmp_path_factory, SOURCES / "Hooked.java")
    ended = run_java(jdk, None, "Hooked", vm=[bridge(), "-Xrunlast_dump", "-Xmx256m", "-Xbootclasspath/a:%s" % program],
                     env=path_of(agent))
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert re.findall(r"^last_dump: (.*): 1$", ended.stderr, re.M) == [
        "its classes were told", "its objects are told to who asks", "a dump"], ended.stderr


def free_mb():
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("MemAvailable:"))


# Lengths are written in one place, and sizes clipped in one: by what tells of objects on 8, and on later ones.
@pytest.mark.jdks(8, 17)
@pytest.mark.everyday(17)
def test_an_array_of_2_gb_is_told_by_what_a_jint_can_say(run_java, jdk, tmp_path_factory):
    if free_mb() < 6000:
        pytest.skip("an array of 2 GB needs 6 GB of free memory")
    agent, program = build_agent(tmp_path_factory, SOURCES / "large.c"), build_program(tmp_path_factory, SOURCES / "Large.java")
    ended = run_java(jdk, None, "Large", vm=[bridge("include=byte[],agent=large"), "-Xbootclasspath/a:%s" % program, "-Xmx4g"],
                     env=path_of(agent))
    assert (ended.rc, ended.stdout) == (0, "2147483639\n"), ended.stderr
    assert re.findall(r"^large: (.*): (\d)$", ended.stderr, re.M) == [
        ("its size is the largest that there is", "1"), ("there is no dump of it", "1"), ("which has its length", "1"),
        ("a heap dump", "1")], ended.stderr
    assert "an object of more than 2 GB has no OBJECT_DUMP" in ended.stderr
