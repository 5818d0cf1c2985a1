"""Classes of the JDK are looked up without the application's class loader.

It is Java code that takes monitors: whoever asked it while an agent of JVMPI's time holds its lock from GC_START to GC_FINISH waited for a thread that waits for that
lock. So neither an engine nor an event asks it.
SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

from jvmpi_agents import SOURCES, bridge, build_agent, path_of

LOADER = "-Djava.system.class.loader=AskedLoader"
OURS = ["cpu=samples,heap=all,monitor=y,file=out.txt", "cpu=times,monitor=all,file=out.txt", "event=wall,alloc,lock,load,gc,file=out.jfr",
        "event=live,exception,thrown,histo,file=out.jfr"]
ASKED = re.compile(r"^asked for .*", re.M)


def check(ended):
    assert ended.rc == 0 and ended.stdout.endswith("done\n"), ended.stdout + ended.stderr
    assert ASKED.findall(ended.stdout) == []


@pytest.mark.parametrize("options", [None, *OURS])
def test_no_engine_asks_the_loader_of_the_application(run_java, jdk, options):
    ended = run_java(jdk, options, "AskedLoader", vm=[LOADER])
    check(ended)


def test_no_event_of_jvmpi_asks_the_loader_of_the_application(run_java, jdk, tmp_path_factory):
    agent = build_agent(tmp_path_factory, SOURCES / "objects.c")
    ended = run_java(jdk, None, "AskedLoader", vm=[LOADER, bridge(), "-Xrunobjects"], env=path_of(agent))
    check(ended)
