"""JVMPI's dumps of objects (jvmpi/dumps.c): what they say of a known program is what JNI says of it.

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

from jvmpi_agents import SOURCES, bridge, build_agent, build_program, path_of

CHECKS = 21    # that the agent makes


# How JVM TI numbers fields, and follows references, differs with the JDK.
@pytest.mark.everyday(8, 17, 27)
def test_a_dump_says_of_each_object_what_jni_says(start_java, jdk, tmp_path_factory):
    agent = build_agent(tmp_path_factory, SOURCES / "dumps.c")
    program = build_program(tmp_path_factory, SOURCES / "Dumps.java")
    java = start_java(jdk, None, "Dumps", vm=[bridge(), "-Xrundumps", "-Xcheck:jni", "-Xbootclasspath/a:%s" % program],
                      env=path_of(agent))
    java.wait_for_stderr("dumps: done")
    (java.cwd / "done").touch()
    ended = java.end()
    assert ended.rc == 0, ended.stdout + ended.stderr
    found = re.findall(r"^dumps: (.*): ([01])$", ended.stderr, re.M)
    assert [what for what, holds in found if holds != "1"] == []
    assert len(found) == CHECKS
    assert "WARNING in native" not in ended.stdout
