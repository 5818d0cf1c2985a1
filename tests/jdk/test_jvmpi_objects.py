"""JVMPI's objects, classes, threads and collections: an agent that doubts each event (jvmpi/objects.c) finds nothing wrong.

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

from jvmpi_agents import EXAMPLES, SOURCES, bridge, build_agent, build_program, path_of

MADE, KEPT = 21100, 1000    # of class Thing
MADE_AGAIN = 4    # at most: C2 has a clone() executed anew whose frame is deoptimized while the object is made
LINE = re.compile(r"objects: (\d+) allocs, (\d+) frees, (\d+) traced, (\d+) starts, (\d+) ends, (\d+) unloads, (\d) collections, "
                  r"(\d+) wrong\n")


@pytest.fixture(scope="session")
def objects(tmp_path_factory):
    return build_agent(tmp_path_factory, SOURCES / "objects.c"), build_program(tmp_path_factory, SOURCES / "Objects.java")


def check(ended):
    """Each Thing was told, with a stack that names its maker; those that are not kept were freed; so were classes."""
    assert ended.rc == 0, ended.stdout + ended.stderr
    line = LINE.search(ended.stderr)
    assert line, ended.stderr
    allocs, frees, traced, starts, ends, unloads, collections, wrong = map(int, line.groups())
    assert wrong == 0, ended.stderr
    assert MADE <= allocs <= MADE + MADE_AGAIN and (frees, traced) == (allocs - KEPT, allocs)
    assert starts > ends >= 5 and collections == 1
    assert unloads >= 9    # the last one may be on a stack


# How allocations and frees are heard differs with the JDK.
def test_each_object_is_told_once_and_freed_in_a_collection(run_java, jdk, objects):
    agent, program = objects
    check(run_java(jdk, None, "Objects", vm=[bridge(), "-Xrunobjects", "-Xbootclasspath/a:%s" % program], env=path_of(agent)))


def run_under(run_java, jdk, objects, collector):
    agent, program = objects
    check(run_java(jdk, None, "Objects", vm=[bridge(), "-Xrunobjects", "-XX:+Use%sGC" % collector, "-Xcheck:jni",
                                             "-Xbootclasspath/a:%s" % program], env=path_of(agent)))


# The class of an object is told by an address, which each JDK's collectors move in their way.
@pytest.mark.jdks(11, 17, "newest")
@pytest.mark.everyday(17)
@pytest.mark.parametrize("collector", ["Serial", "Parallel"])
def test_under_collectors_that_move_objects_in_pauses(run_java, jdk, objects, collector):
    run_under(run_java, jdk, objects, collector)


# ZGC of JDK 17 keeps objects with a tag for some collections more.
@pytest.mark.jdks("newest")
def test_under_zgc(run_java, jdk, objects):
    run_under(run_java, jdk, objects, "Z")


# By the sampler and by injected code.
@pytest.mark.jdks(8, 11, "newest")
def test_simpleprof_sees_the_large_objects(run_java, jdk, tmp_path_factory):
    agent = build_agent(tmp_path_factory, EXAMPLES / "simpleprof.c")
    program = build_program(tmp_path_factory, EXAMPLES / "MemConsumer.java")
    ended = run_java(jdk, None, "MemConsumer", "123456", "200000", "free", "gc", "300000",
                     vm=[bridge("simpleprof:100000"), "-Xbootclasspath/a:%s" % program], env=path_of(agent))
    assert ended.rc == 0, ended.stdout + ended.stderr
    said = [line for line in ended.stderr.splitlines() if line.startswith("simpleprof: ")]
    assert said == ["simpleprof: the VM is ready"] + ["simpleprof: an object of %d bytes" % size
                                                      for size in (123472, 200016, 300016)]
