"""JVMPI's agents ask for what an event names while they handle it (jvmpi/asks.c, whose head says what).

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

from jvmpi_agents import SOURCES, bridge, build_agent, build_program, path_of

CALLS = 400    # of a constructor and of a method, of 200 objects each
LINE = re.compile(r"^asks: (\d+) calls, (\d+) waits, (\d+) threads, (\d+) references, (\d+) objects$", re.M)


# Objects are told by injected code on 8, by the sampler on later ones.
@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.parametrize("on", ["both", "classes", "objects"])
def test_what_an_event_names_is_told_to_the_handler_that_asks(run_java, jdk, tmp_path_factory, on):
    agent, program = build_agent(tmp_path_factory, SOURCES / "asks.c"), build_program(tmp_path_factory, SOURCES / "Asked.java")
    ended = run_java(jdk, None, "Asked", vm=[bridge("asks:" + on), "-Xbootclasspath/a:%s" % program], env=path_of(agent))
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert ended.stdout == "39800\n" and "wrong" not in ended.stderr, ended.stderr
    calls, waits, threads, references, objects = map(int, LINE.search(ended.stderr).groups())
    assert calls >= (0 if on == "objects" else CALLS) and waits >= 1 and threads >= 1 and references >= 1, ended.stderr
    assert objects >= (0 if on == "classes" else CALLS), ended.stderr
