"""All events of JVMPI at once, but for INSTRUCTION_START, on 200 threads: nothing crashes, hangs or is lost.

The storm lasts two seconds; HPROF_STORM_S= says how many. Thirty minutes on one JDK:
    HPROF_STORM_S=1800 python3 -m pytest -s tests/jdk/test_jvmpi_storm.py -k jdk17
SPDX-License-Identifier: Apache-2.0
"""
import os
import re

import pytest

from jvmpi_agents import SOURCES, bridge, build_agent, build_program, path_of

STORM_S = int(os.environ.get("HPROF_STORM_S", "2"))
SLOW_END_S = 300
# Each kind that a storm of any length has: not those that are never issued, that need a signal, or that compilers cause.
KINDS = {1, 2, 3, 4, 5, 33, 34, 35, 37, 38, 39, 40, 41, 42, 43, 46, 47, 54, 55, 56, 57, 58, 59, 60, 61}


@pytest.mark.everyday(17)    # what the others have of their own, each event's test has; here they are beside each other
def test_all_events_at_once_lose_nothing(run_java, jdk, tmp_path_factory):
    agent = build_agent(tmp_path_factory, SOURCES / "storm.c")
    program = build_program(tmp_path_factory, SOURCES / "Storm.java")
    ended = run_java(jdk, None, "Storm", STORM_S, vm=[bridge(), "-Xrunstorm", "-Xmx256m", "-Xbootclasspath/a:%s" % program],
                     env=path_of(agent), timeout=STORM_S + SLOW_END_S)
    print(ended.stderr)
    assert (ended.rc, ended.stdout) == (0, "done\n"), ended.stdout + ended.stderr
    line = re.search(r"^storm: (\d+) made, (\d+) freed, (\d+) steps, (\d+) ends, (\d+) traces, (\d+) wrong$", ended.stderr, re.M)
    assert line, ended.stderr
    made, freed, steps, ends, traces, wrong = map(int, line.groups())
    assert wrong == 0, ended.stderr
    assert made == freed == steps == ends > 0 and traces > 0, ended.stderr
    assert KINDS <= set(map(int, re.findall(r"^storm: event (\d+): \d+$", ended.stderr, re.M))), ended.stderr
