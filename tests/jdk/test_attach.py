"""Loading the agent into a running JVM.

The first test does it as people do. JDK 11 and later: jcmd JVMTI.agent_load. JDK 8 cannot do that, there a program uses its
com.sun.tools.attach. The other tests, here and elsewhere, tell the VM what these tell it.
SPDX-License-Identifier: Apache-2.0
"""
from conftest import one_jdk
import pytest
from attaching import attach, attach_by_tool, finish, running  # noqa: F401
from robust import Profile, classes  # noqa: F401

OPTIONS = "cpu=samples,interval=1ms,depth=32,thread=y,cutoff=0,file="


def wait_for_samples(java, file):
    """A dump by SIGQUIT shows that existing threads are sampled."""
    java.wait_for(lambda: (java.cwd / file).exists(), file)
    java.wait_for_cpu(0.3)
    java.signal(3)
    java.wait_for(lambda: "CPU SAMPLES END" in (java.cwd / file).read_text(), "a table in " + file)


def test_threads_that_ran_already_are_sampled(start_java, attach_by_tool, jdk):
    java = running(start_java, jdk)
    assert "return code: 0" in attach_by_tool(jdk, java, OPTIONS + "out.txt")
    wait_for_samples(java, "out.txt")
    ended = finish(java)
    profile = Profile(ended.text("out.txt")).check()
    said, = [line for line in ended.stderr.splitlines() if "from now on" in line]
    assert said == "HPROF: CPU samples from now on, into %s" % (java.cwd / "out.txt").resolve()
    assert len(profile.tables) == 2
    assert profile.of_thread("main") > 0
    assert profile.with_frame("Robust.round") > 0


@one_jdk
def test_bad_option_leaves_the_jvm_as_it_was_and_a_good_one_works_later(start_java, attach, jdk):
    java = running(start_java, jdk)
    assert "return code: 0" not in attach(jdk, java, "cpu=samples,dpeth=3")
    java.wait_for_stderr("HPROF ERROR")
    assert "return code: 0" in attach(jdk, java, OPTIONS + "later.txt")
    wait_for_samples(java, "later.txt")
    assert Profile(finish(java).text("later.txt")).check().of_thread("main") > 0


@one_jdk
@pytest.mark.parametrize("engines", ["cpu=samples", "cpu=times", "heap=all", "monitor=all"])
def test_file_that_cannot_be_made_leaves_the_jvm_as_it_was(start_java, attach, jdk, engines):
    java = running(start_java, jdk)
    assert "return code: 0" not in attach(jdk, java, engines + ",file=no/such/folder/out.txt")
    java.wait_for_stderr("HPROF ERROR")
    finish(java)


@one_jdk
def test_after_a_file_that_cannot_be_made_another_one_works(start_java, attach, jdk):
    java = running(start_java, jdk)
    assert "return code: 0" not in attach(jdk, java, "cpu=samples,file=no/such/folder/out.txt")
    assert "return code: 0" in attach(jdk, java, OPTIONS + "later.txt")
    wait_for_samples(java, "later.txt")
    assert Profile(finish(java).text("later.txt")).check().of_thread("main") > 0


@one_jdk
def test_second_load_is_refused_and_the_first_goes_on(start_java, attach, jdk):
    java = running(start_java, jdk)
    assert "return code: 0" in attach(jdk, java, OPTIONS + "first.txt")
    assert "return code: 0" not in attach(jdk, java, OPTIONS + "second.txt")
    wait_for_samples(java, "first.txt")
    ended = finish(java)
    assert "second.txt" not in ended.files and "twice" in ended.stderr
    assert Profile(ended.text("first.txt")).check().of_thread("main") > 0


@one_jdk
def test_load_where_the_command_line_has_it_is_refused(start_java, attach, jdk):
    java = start_java(jdk, OPTIONS + "first.txt", "Robust", "wait")
    java.wait_for_stdout("running")
    assert "return code: 0" not in attach(jdk, java, OPTIONS + "second.txt")
    ended = finish(java)
    assert "second.txt" not in ended.files
    assert Profile(ended.text("first.txt")).check().of_thread("main") > 0
