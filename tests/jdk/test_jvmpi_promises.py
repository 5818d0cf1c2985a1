"""Sentences of JVMPI's specification that one event or call can show (jvmpi/promises.c).

SPDX-License-Identifier: Apache-2.0
"""
import re
import signal

import pytest

from jvmpi_agents import SOURCES, bridge, build_agent, build_program, path_of


@pytest.fixture(scope="session")
def promises(tmp_path_factory):
    return build_agent(tmp_path_factory, SOURCES / "promises.c")


def program(tmp_path_factory, name):
    return "-Xbootclasspath/a:%s" % build_program(tmp_path_factory, SOURCES / (name + ".java"))


@pytest.mark.jdks(17)    # the bridge ends the process
def test_the_code_of_profiler_exit_is_the_status(run_java, jdk, promises, tmp_path_factory):
    ended = run_java(jdk, None, "Hooked", vm=[bridge("promises:exit"), program(tmp_path_factory, "Hooked")], env=path_of(promises))
    assert (ended.rc, ended.stdout) == (7, "")


@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.everyday(17)
def test_a_request_for_data_is_a_dump_and_a_reset(start_java, jdk, promises, tmp_path_factory):
    java = start_java(jdk, None, "Busy", vm=[bridge("promises:data"), program(tmp_path_factory, "Busy")], env=path_of(promises))
    java.wait_for_stdout("begun")
    java.process.send_signal(signal.SIGQUIT)
    java.wait_for_stderr("promises: reset")
    (java.cwd / "done").touch()
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    assert re.findall(r"^promises: (.*)$", ended.stderr, re.M) == ["dump", "reset"]


# The class load hooks of 8 and of later VMs.
@pytest.mark.jdks(8, 17)
def test_each_agent_changes_what_the_one_before_has_left(run_java, jdk, promises, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    (other / "libanother.so").write_bytes((promises / "libpromises.so").read_bytes())
    ended = run_java(jdk, None, "Hooked", vm=[bridge(), "-Xrunpromises:hook:text one>text two", "-Xrunanother:hook:text two>text six",
                                              program(tmp_path_factory, "Hooked")], env=path_of(promises, other))
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert ended.stdout == "text six\n"


# A class of the VM's archive (CDS), and the same from its class file; 8 calls the hook earlier than the others.
@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.everyday(8, 17, share="auto")
@pytest.mark.parametrize("share", ["auto", "off"])
def test_the_hook_is_nested_and_on_several_threads_and_calls_java(run_java, jdk, promises, tmp_path_factory, share):
    ended = run_java(jdk, None, "Nesting", vm=["-Xshare:" + share, bridge("promises:nest"), program(tmp_path_factory, "Nesting")],
                     env=path_of(promises))
    assert (ended.rc, ended.stdout) == (0, "ended\n"), ended.stdout + ended.stderr
    assert "promises: 8 nested, several threads, of the JDK 1\n" in ended.stderr, ended.stderr


# How allocations are heard differs: on 8 each round weaves all classes twice, which takes seconds. Each day has fewer rounds.
@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.everyday(8, 17)
def test_events_are_turned_on_and_off_under_load(run_java, jdk, promises, tmp_path_factory, pytestconfig):
    everyday = pytestconfig.getoption("everyday")
    rounds = (2 if everyday else 20) if jdk.number == 8 else (20 if everyday else 1000)
    ended = run_java(jdk, None, "Busy", vm=[bridge("include=Busy:int[],agent=promises:toggle:%d" % rounds),
                                            program(tmp_path_factory, "Busy")], env=path_of(promises), timeout=1800)
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert "promises: %d rounds, 0 silent, 0 late\n" % rounds in ended.stderr, ended.stderr
