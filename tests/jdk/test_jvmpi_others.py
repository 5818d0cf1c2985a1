"""JVMPI's monitors, raw monitors, JNI references, compiled methods, threads' states and requests (jvmpi/others.c).

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

from jvmpi_agents import SOURCES, bridge, build_agent, build_program, path_of

CHECKS = 31    # that the agent makes


# What JVM TI tells of monitors and of native frames differs with the JDK.
@pytest.mark.everyday(8, 17, 27)
def test_what_the_specification_says_of_other_events_and_functions_holds(start_java, jdk, tmp_path_factory):
    agent = build_agent(tmp_path_factory, SOURCES / "others.c")
    program = build_program(tmp_path_factory, SOURCES / "Others.java")
    java = start_java(jdk, None, "Others", vm=[bridge(), "-Xrunothers", "-Xbootclasspath/a:%s" % program], env=path_of(agent))
    java.wait_for_stderr("others: done")
    (java.cwd / "done").touch()
    ended = java.end()
    assert ended.rc == 0, ended.stdout + ended.stderr
    found = re.findall(r"^others: (.*): ([01])$", ended.stderr, re.M)
    assert [what for what, holds in found if holds != "1"] == []
    assert len(found) == CHECKS
