"""What an event of JVMPI leaves behind when it is off: nothing that would cost (jvmpi/costless.c).

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

from jvmpi_agents import SOURCES, bridge, build_agent, build_program, path_of

INJECTED, TABLE, INTERPRETED = ["METHOD_ENTRY", "METHOD_ENTRY2", "METHOD_EXIT", "MONITOR_CONTENDED_EXIT"], [
    "JNI_%sGLOBALREF_%s" % (kind, what) for kind in ("", "WEAK_") for what in ("ALLOC", "FREE")], ["INSTRUCTION_START"]


# Allocations are told by injected code on 8, by the sampler on later ones; sleeps by injected code from 21 on.
@pytest.mark.jdks(8, 17, "newest")
def test_an_event_that_is_off_leaves_methods_and_functions_as_they_were(run_java, jdk, tmp_path_factory):
    agent, program = build_agent(tmp_path_factory, SOURCES / "costless.c"), build_program(tmp_path_factory, SOURCES / "Costless.java")
    ended = run_java(jdk, None, "Costless", vm=[bridge("costless"), "-Xbootclasspath/a:%s" % program], env=path_of(agent))
    assert ended.rc == 0, ended.stdout + ended.stderr
    found = {name: (changed, left, told) for name, changed, left, told in
             re.findall(r"^costless: (\w+): changed (\d), left (\d), told (\d)$", ended.stderr, re.M)}
    changed = set(INJECTED + TABLE + INTERPRETED)
    changed |= {"OBJECT_ALLOC"} if jdk.number == 8 else set()
    changed |= {"MONITOR_WAIT"} if jdk.number >= 21 else set()
    assert set(found) == changed | {"OBJECT_ALLOC", "MONITOR_WAIT"}
    for name, values in found.items():
        assert values == ("1" if name in changed else "0", "0", "1"), (name, ended.stderr)
