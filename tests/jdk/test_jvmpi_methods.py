"""JVMPI's METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT: an agent that keeps the stack of each thread (jvmpi/open_calls.c).

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

from jvmpi_agents import EXAMPLES, SOURCES, bridge, build_agent, build_program, path_of

# Two threads, 1,000 rounds each; every tenth throws through five calls of fail and one of passes. A third thread ends by an exception.
CALLS = {"main": 1, "work": 2, "recurse": 2 * (10 * 1000 + 2 * 100), "<init>": 2000, "self": 2000, "catches": 200, "passes": 200,
         "fail": 200 * 5 + 3}
WITH_OBJECT = {"<init>", "self"}


@pytest.fixture(scope="session")
def methods(tmp_path_factory):
    return build_agent(tmp_path_factory, SOURCES / "open_calls.c"), build_program(tmp_path_factory, SOURCES / "Methods.java")


def run(run_java, jdk, methods, options, *args):
    agent, program = methods
    ended = run_java(jdk, None, "Methods", *args, vm=[bridge("open_calls:" + options), "-Xbootclasspath/a:%s" % program],
                     env=path_of(agent))
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert "done\n" in ended.stdout
    return ended


# Exceptions and constructors as each JDK compiles and verifies them.
@pytest.mark.everyday(8, 17, 27)
def test_each_call_has_its_entry_and_its_exit(run_java, jdk, methods):
    ended = run(run_java, jdk, methods, "")
    assert "open_calls: 0 wrong, 0 late, toggled 0\n" in ended.stderr, ended.stderr
    found = {name: tuple(map(int, numbers.split())) for name, numbers in
             re.findall(r"^open_calls: ([\w<>]+) (\d+ \d+ \d+)$", ended.stderr, re.M)}
    assert {name: found[name] for name in CALLS} == {
        name: (calls, calls, calls if name in WITH_OBJECT else 0) for name, calls in CALLS.items()}


@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.everyday(17)
def test_events_that_are_turned_off_and_on_under_load(run_java, jdk, methods):
    ended = run(run_java, jdk, methods, "toggle", "toggled")
    assert "open_calls: 0 wrong, 0 late, toggled 5\n" in ended.stderr, ended.stderr


@pytest.mark.jdks(17)
def test_the_counter_of_the_specification_needs_no_check_for_null(run_java, jdk, methods, tmp_path_factory):
    counter = build_agent(tmp_path_factory, EXAMPLES / "method_counter.c")
    ended = run_java(jdk, None, "Methods", vm=[bridge("method_counter"), "-Xbootclasspath/a:%s" % methods[1]],
                     env=path_of(counter))
    assert ended.rc == 0, ended.stdout + ended.stderr
    counts = dict(re.findall(r"^method counter: (.*) called (\d+) methods$", ended.stderr, re.M))
    assert int(counts["main"]) > int(counts["Thread-0"]) >= 1000 * 12, counts
