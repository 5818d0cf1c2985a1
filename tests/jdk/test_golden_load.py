"""The ways to load the agent and to give it options: each must end in the same profile.

SPDX-License-Identifier: Apache-2.0
"""
import golden
import hprof_text
import pytest

OURS = "This file was written by hprof, a profiler of the Java virtual machine"


def check_hello(ended, is_ours=True):
    assert (ended.rc, ended.stdout) == (0, "Hello\n"), ended.stderr
    assert ended.files == ["java.hprof.txt"]
    text = hprof_text.Text(ended.text())
    hprof_text.check(text)
    assert len(text.tables) == 1
    assert (OURS in text.prologue) == is_ours


@pytest.mark.parametrize("switch", ["-agentlib:hprof=cpu=samples", "-Xrunhprof:cpu=samples"])
def test_the_library_path_finds_it(jdk, run_java, agent, switch):
    """JDK 8 looks into its own folder first, and its own agent lies there."""
    ended = run_java(jdk, None, "Hello", vm=[switch], env={"LD_LIBRARY_PATH": str(agent.parent)})
    check_hello(ended, is_ours=jdk.original_agent is None)
    assert golden.DUMPED in ended.stderr


@pytest.mark.jdks(since=11)
def test_xrun_as_recorded(jdk, start_java, agent):
    java = start_java(jdk, None, "Hello", vm=["-Xrunhprof:cpu=samples"], env={"LD_LIBRARY_PATH": str(agent.parent)})
    golden.check_run("xrun", java, java.end())


@pytest.mark.jdks(since=11)
def test_without_the_library_the_vm_says_so(jdk, run_java):
    ended = run_java(jdk, None, "Hello", vm=["-agentlib:hprof=cpu=samples"])
    assert ended.rc == 1 and "Could not find agent library hprof" in ended.stdout + ended.stderr


def test_java_tool_options(jdk, run_java, agent):
    options = "-agentpath:%s=cpu=samples" % agent
    ended = run_java(jdk, None, "Hello", env={"JAVA_TOOL_OPTIONS": options})
    check_hello(ended)
    assert golden.as_original(ended.stderr) == "Picked up JAVA_TOOL_OPTIONS: %s\n%s" % (options, golden.DUMPED)


def test_the_environment_adds_options(jdk, start_java):
    java = start_java(jdk, "cpu=samples", "CpuWork", 300, env={"_JAVA_HPROF_OPTIONS": "depth=1,lineno=n"})
    ended = java.end()
    golden.check_run("envopt", java, ended)
    about = {"depth": 1, "lines": False}
    text = hprof_text.Text(ended.text())
    hprof_text.check(text, **about)
    recorded = hprof_text.Text(golden.recorded_text("envopt"))
    hprof_text.check(recorded, **about)
    assert text.shape() == recorded.shape() == ["Trace", "Table"]


def test_help_shows_every_option_of_the_original(jdk, run_java):
    ended = run_java(jdk, "help", "Hello")
    assert (ended.rc, ended.stderr, ended.files) == (0, "", [])
    assert "Hello" not in ended.stdout
    ours = ended.stdout.split("\n")
    for row in (golden.DATA / "golden-corpus/help_options.txt").read_text(encoding="utf-8").splitlines():
        assert row.split() in [line.split() for line in ours]


def test_a_second_agent_lets_the_first_go_on(jdk, run_java, agent):
    golden.listed("Two agents in one VM")
    ended = run_java(jdk, "cpu=samples", "Hello", vm=["-agentpath:%s=cpu=samples,file=second.txt" % agent])
    assert ended.rc == 0 and ended.files == ["second.txt"]
    assert ended.stderr.count("HPROF ERROR: Cannot load this JVM TI agent twice, check your java command line for "
                              "duplicate hprof options.") == 1
    hprof_text.check(hprof_text.Text(ended.text("second.txt")))
