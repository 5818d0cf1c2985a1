"""hprof run and build tools: the JVM that is profiled is the program's, not that of Maven or Gradle which starts it.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import shutil
import signal
import subprocess

import pytest

from conftest import TIMEOUT_S, clean_environment, compile_programs, old_and_new, one_jdk

MAIN = "org.gradle.launcher.GradleMain"


@pytest.fixture(scope="session")
def tools(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs_tools")


def run(hprof, jdk, tmp_path, *words):
    env = clean_environment({"JAVA_HOME": jdk.home, "PATH": "%s/bin:%s" % (jdk.home, os.environ["PATH"])})
    return subprocess.run([hprof, "run", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=env, cwd=str(tmp_path), timeout=TIMEOUT_S)


@old_and_new
def test_what_a_build_tool_starts_is_profiled_and_the_tool_is_not(jdk, hprof, classes, tools, tmp_path):
    java = jdk.tool("java")
    ended = run(hprof, jdk, tmp_path, "-o", "x.txt", java, "-cp", str(tools), MAIN, java, "-cp", str(classes), "CpuHot", "1")
    assert ended.returncode == 0, ended.stderr
    assert "run: left alone: Gradle (process " in ended.stderr and "--all" in ended.stderr
    # The first JVM to write has the name.
    assert [name for name in os.listdir(tmp_path) if name.endswith(".txt")] == ["x.txt"]
    assert "Program: CpuHot" in (tmp_path / "x.txt").read_text()


@one_jdk
def test_with_all_the_tool_is_profiled_too(jdk, hprof, classes, tools, tmp_path):
    java = jdk.tool("java")
    ended = run(hprof, jdk, tmp_path, "--all", "-o", "x.txt", java, "-cp", str(tools), MAIN, java, "-cp", str(classes), "Hello")
    assert ended.returncode == 0 and "left alone" not in ended.stderr, ended.stderr
    texts = [path.read_text() for path in tmp_path.glob("x*.txt")]
    assert sorted("Program: Hello" in text for text in texts) == [False, True]
    assert any("Program: " + MAIN in text for text in texts)


@one_jdk
def test_where_only_the_tool_ran_a_sentence_says_so(jdk, hprof, tools, tmp_path):
    ended = run(hprof, jdk, tmp_path, "-o", "x.txt", jdk.tool("java"), "-cp", str(tools), MAIN)
    assert ended.returncode == 1 and os.listdir(tmp_path) == []
    assert "only the JVMs of build tools took the agent, and these are left alone: Gradle (process " in ended.stderr


@one_jdk
def test_what_a_script_leaves_behind_goes_on_and_is_named(jdk, hprof, classes, tmp_path):
    """As a server whose script ends once it runs: its recording is finished later, and is asked for here."""
    script = '"$0" -cp "$1" CpuHot 600000 > out 2>&1 & while ! [ -s x.jfr ]; do sleep 0.1; done; sleep 0.5'
    ended = run(hprof, jdk, tmp_path, "-o", "x.jfr", "sh", "-c", script, jdk.tool("java"), str(classes))
    said = re.search(r"run: process (\d+) goes on, and records into '(.*)' until it ends, or 'hprof stop \1'", ended.stderr)
    try:
        assert ended.returncode == 0 and said and said[2] == str(tmp_path.resolve() / "x.jfr"), ended.stderr
        subprocess.run([hprof, "stop", said[1]], check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT_S)
        listed = subprocess.run([hprof, "jfr", "summary", tmp_path / "x.jfr"], stdout=subprocess.PIPE, text=True, check=True, timeout=TIMEOUT_S)
        assert int(re.search(r"jdk.ExecutionSample +(\d+)", listed.stdout)[1]) > 0
    finally:
        if said:
            os.kill(int(said[1]), signal.SIGKILL)
    assert "manifest" not in (tmp_path / "out").read_text().replace("manifest=", "")


@one_jdk
def test_of_a_killed_program_there_is_what_was_recorded(jdk, hprof, classes, tmp_path):
    """As by the kernel, for lack of memory. A text has its tables at the end alone."""
    script = '"$0" -cp "$1" CpuHot 600000 & while ! [ -s %s ]; do sleep 0.1; done; sleep 3; kill -9 $!; wait $!; exit 7'
    ended = run(hprof, jdk, tmp_path, "-o", "x.html", "sh", "-c", script % "x.jfr", jdk.tool("java"), str(classes))
    assert ended.returncode == 7 and "was killed; its recording goes so far" in ended.stderr
    assert "CpuHot" in (tmp_path / "x.html").read_text()
    ended = run(hprof, jdk, tmp_path, "-o", "x.txt", "sh", "-c", script % "x.txt", jdk.tool("java"), str(classes))
    assert ended.returncode == 7 and "was killed before the end" in ended.stderr and "x.jfr" in ended.stderr


@old_and_new
def test_a_jvm_that_only_tells_its_version_takes_no_name_away(jdk, hprof, classes, tools, tmp_path):
    """Gradle's script asks first which Java there is: that JVM would be the first to write."""
    java = jdk.tool("java")
    ended = run(hprof, jdk, tmp_path, "-o", "x.txt", "sh", "-c", "%s -version; %s -cp %s Hello" % (java, java, classes))
    assert ended.returncode == 0 and os.listdir(tmp_path) == ["x.txt"], ended.stderr
    assert "Program: Hello" in (tmp_path / "x.txt").read_text()


@one_jdk
def test_a_version_that_was_asked_for_is_profiled(jdk, hprof, tmp_path):
    assert run(hprof, jdk, tmp_path, "-q", "-o", "x.txt", jdk.tool("java"), "-version").returncode == 0
    assert os.listdir(tmp_path) == ["x.txt"]


@one_jdk
def test_a_build_tool_that_was_left_alone_can_be_recorded(jdk, hprof, classes, tools, tmp_path):
    """The agent lies idle there: it was loaded, and has begun nothing."""
    java = jdk.tool("java")
    ended = run(hprof, jdk, tmp_path, "-o", "x.txt", java, "-cp", str(tools), MAIN, "sh", "-c",
                "unset JAVA_TOOL_OPTIONS; exec %s record -d 1s -o y.jfr $PPID" % hprof)
    assert "y.jfr" in os.listdir(tmp_path), ended.stderr


@pytest.mark.jdks(since=17)  # as Maven 4 wants
@one_jdk
def test_mavens_own_jvm_is_left_alone(jdk, hprof, tmp_path):
    if not shutil.which("mvn"):
        pytest.skip("no Maven on this machine")
    ended = run(hprof, jdk, tmp_path, "-o", "x.txt", "mvn", "-version")
    assert "left alone: Maven (process " in ended.stderr and os.listdir(tmp_path) == []
