"""Pauses that our libraries want while the VM ends. A JVM of JDK 17 to 26 hangs for ever if a pause is asked for while two of its
threads wait for each other's report of freed objects; here another agent makes the report last until the test has asked
(native/posting.c).

SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess

import pytest

from conftest import TIMEOUT_S, compile_library
from jvmpi_agents import SOURCES, bridge, build_agent, path_of


@pytest.fixture(scope="session")
def posting(tmp_path_factory):
    """posting(who): the options of the VM; `who` makes the report, "ender" or "service"."""
    library = compile_library(tmp_path_factory, "posting")
    # With escape analysis a walk waits first, in a way that holds up only the threads of the program.
    return lambda who: ["-agentpath:%s=%s" % (library, who)] + (["-XX:-DoEscapeAnalysis"] if who == "service" else [])


@pytest.mark.jdks(17, 21, 25, 26)
@pytest.mark.everyday(17, 25)
@pytest.mark.parametrize("who", ["ender", "service"])
@pytest.mark.parametrize("how", ["exit", "return"])
def test_the_bridge_counts_objects_when_the_vm_can_be_stopped(run_java, jdk, posting, how, who, tmp_path_factory):
    agent = build_agent(tmp_path_factory, SOURCES / "ends.c")
    ended = run_java(jdk, None, "Ends", how, who, vm=[*posting(who), bridge(), "-Xrunends"], env=path_of(agent))
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert "posting" in ended.files and "go" in ended.files, "the moment did not last"
    counts = re.findall(r"^ends: (\d+) objects$", ended.stderr, re.M)
    assert counts and all(int(count) > 1000 for count in counts), ended.stderr
    assert ended.stderr.endswith("ends: the VM is down\n"), ended.stderr


@pytest.mark.jdks(17, 21, 25, 26)
@pytest.mark.everyday(17, 25)
@pytest.mark.parametrize("who", ["ender", "service"])
def test_a_dump_is_refused_while_the_vm_cannot_be_stopped(start_java, jdk, posting, hprof, who):
    """The dump that is made at the end of the VM is made all the same."""
    java = start_java(jdk, "heap=sites,file=x.txt", "Ends", "exit", who, vm=posting(who))
    java.wait_for(lambda: (java.cwd / "ending").exists() and (java.cwd / "posting").exists(), "the end of the VM")
    command = [hprof, "dump", str(java.pid)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as asked:
        java.wait_for_stderr("no table of allocation sites (the JVM is about to end)")
        (java.cwd / "go").touch()
        asked.communicate(timeout=TIMEOUT_S)
    ended = java.end()
    assert ended.rc == 0 and ended.stderr.count("no table of allocation sites") == 1, ended.stderr
    assert ended.text("x.txt").count("SITES END") == 1
