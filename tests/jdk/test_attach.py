"""Loading the agent into a running JVM.

JDK 11 and later: jcmd JVMTI.agent_load. JDK 8 cannot do that, there a program uses its com.sun.tools.attach.
SPDX-License-Identifier: Apache-2.0
"""
import subprocess

import pytest
from conftest import HERE, TIMEOUT_S, clean_environment
from kept import made_once
from robust import Profile, classes, crash_files  # noqa: F401

OPTIONS = "cpu=samples,interval=1ms,depth=32,thread=y,cutoff=0,file="


@pytest.fixture
def attach(agent, tmp_path_factory):
    """attach(jdk, java, options): the tool's output."""
    def call(argv):
        return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S,
                              env=clean_environment(), check=False).stdout

    def load(jdk, java, options):
        if jdk.number > 8:
            return call([*jdk.asking_tool("jcmd"), str(java.pid), "JVMTI.agent_load", str(agent), '"%s"' % options])
        tools = jdk.home + "/lib/tools.jar"
        source = HERE / "programs_robust/attach/Attach.java"
        folder = made_once([source], lambda into: [jdk.tool("javac"), "-cp", tools, "-d", into, str(source)],
                           tmp_path_factory.mktemp("attach"), clean_environment())
        return call([*jdk.asking_tool("java"), "-cp", "%s:%s" % (tools, folder), "Attach", str(java.pid), str(agent), options])

    return load


def running(start_java, jdk):
    java = start_java(jdk, None, "Robust", "wait")
    java.wait_for_stdout("running")
    return java


def finish(java):
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and "stopped\n" in ended.stdout and not crash_files(ended), ended.stderr
    return ended


def wait_for_samples(java, file):
    """A dump by SIGQUIT shows that existing threads are sampled."""
    java.wait_for(lambda: (java.cwd / file).exists(), file)
    java.wait_for_cpu(0.3)
    java.signal(3)
    java.wait_for(lambda: "CPU SAMPLES END" in (java.cwd / file).read_text(), "a table in " + file)


def test_threads_that_ran_already_are_sampled(start_java, attach, jdk):
    java = running(start_java, jdk)
    assert "return code: 0" in attach(jdk, java, OPTIONS + "out.txt")
    wait_for_samples(java, "out.txt")
    ended = finish(java)
    profile = Profile(ended.text("out.txt")).check()
    said, = [line for line in ended.stderr.splitlines() if "from now on" in line]
    assert said == "HPROF: CPU samples from now on, into %s" % (java.cwd / "out.txt").resolve()
    assert len(profile.tables) == 2
    assert profile.of_thread("main") > 0
    assert profile.with_frame("Robust.round") > 0


def test_bad_option_leaves_the_jvm_as_it_was_and_a_good_one_works_later(start_java, attach, jdk):
    java = running(start_java, jdk)
    assert "return code: 0" not in attach(jdk, java, "cpu=samples,dpeth=3")
    java.wait_for_stderr("HPROF ERROR")
    assert "return code: 0" in attach(jdk, java, OPTIONS + "later.txt")
    wait_for_samples(java, "later.txt")
    assert Profile(finish(java).text("later.txt")).check().of_thread("main") > 0


def test_second_load_is_refused_and_the_first_goes_on(start_java, attach, jdk):
    java = running(start_java, jdk)
    assert "return code: 0" in attach(jdk, java, OPTIONS + "first.txt")
    assert "return code: 0" not in attach(jdk, java, OPTIONS + "second.txt")
    wait_for_samples(java, "first.txt")
    ended = finish(java)
    assert "second.txt" not in ended.files and "twice" in ended.stderr
    assert Profile(ended.text("first.txt")).check().of_thread("main") > 0


def test_load_where_the_command_line_has_it_is_refused(start_java, attach, jdk):
    java = start_java(jdk, OPTIONS + "first.txt", "Robust", "wait")
    java.wait_for_stdout("running")
    assert "return code: 0" not in attach(jdk, java, OPTIONS + "second.txt")
    ended = finish(java)
    assert "second.txt" not in ended.files
    assert Profile(ended.text("first.txt")).check().of_thread("main") > 0


@pytest.mark.jdks(8, 11, "newest")
def test_after_its_end_it_says_that_it_cannot_begin_again(start_java, attach, jdk):
    java = running(start_java, jdk)
    assert "return code: 0" in attach(jdk, java, OPTIONS + "out.txt")
    assert "return code: 0" in attach(jdk, java, "stop")
    assert "return code: 0" not in attach(jdk, java, OPTIONS + "again.txt")
    ended = finish(java)
    assert ended.stderr.count("it cannot begin again in this JVM") == 1 and "twice" not in ended.stderr
    assert ended.files.count("again.txt") == 0
    assert len(Profile(ended.text("out.txt")).check().tables) == 1
