"""libjvmpi.so loads JVMPI agents, by the VM's -Xrun or by itself, and says what is wrong where it cannot.

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

from jvmpi_agents import EXAMPLES, SOURCES, bridge, build_agent, build_program, path_of


@pytest.fixture(scope="session")
def tracer(tmp_path_factory):
    return build_agent(tmp_path_factory, EXAMPLES / "classload_tracer.c")


@pytest.fixture(scope="session")
def probe(tmp_path_factory):
    """An agent for what the examples have no use of; see its head."""
    return build_agent(tmp_path_factory, SOURCES / "loading.c")


@pytest.fixture(scope="session")
def consumer(tmp_path_factory):
    return build_program(tmp_path_factory, EXAMPLES / "MemConsumer.java")


@pytest.fixture
def run(run_java, consumer):
    """run(jdk, folders of agents, *options of the VM): MemConsumer allocates 3000 bytes."""
    def start(jdk, folders, *vm, env=()):
        return run_java(jdk, None, "MemConsumer", "3000", vm=[*vm, "-Xbootclasspath/a:%s" % consumer],
                        env={**path_of(*folders), **dict(env)})
    return start


# How the VM loads -Xrun agents, and in which phase, differs from JDK to JDK.
@pytest.mark.parametrize("how", ["Xrun", "agent", "variable"])
def test_the_tracer_of_the_specification_sees_each_class_once(run, jdk, tracer, how):
    vm = {"Xrun": [bridge(), "-Xrunclassload_tracer"], "agent": [bridge("classload_tracer")],
          "variable": ["-Xrunclassload_tracer"]}[how]
    env = {"JAVA_TOOL_OPTIONS": bridge()} if how == "variable" else {}
    ended = run(jdk, [tracer], *vm, env=env)
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert "3000: 1 kept\n" in ended.stdout
    loads = re.findall(r"^class load: (.*?), (\d+) methods, (\d+) static fields, (\d+) fields$", ended.stderr, re.M)
    names = [load[0] for load in loads]
    assert ("MemConsumer", "2", "0", "0") in loads
    assert "java.lang.Object" in names and "java.lang.String" in names, "those that were there before"
    assert names.count("MemConsumer") == names.count("java.lang.Object") == 1


@pytest.mark.jdks(17)    # texts of ours
@pytest.mark.parametrize("options, line", [
    ("nosuch", r"agent nosuch was not found; tried in turn: /\S+/lib/libnosuch.so: No such file or directory; "
               r"/\S+/lib/amd64/libnosuch.so: No such file or directory; libnosuch.so: cannot open .*"),
    ("java", r"agent java has no JVM_OnLoad: it is no JVMPI agent"),
    ("classnames=slash,agent=x", r'options: there is no option "classnames": classname=, cputime=, natives=, include=, exclude=, '
                               r'and agent= as the last'),
    ("cputime=x,agent=x", r'options: cputime= is cpu or wall, not "x"'),
    ("cputime,agent=x", r'options: "cputime" has no value'),
    ("agent=:x", r"options: the name of an agent is missing"),
    ("loading:fail", r"JVM_OnLoad of agent loading failed: it returned -1"),
])
def test_what_cannot_be_loaded_ends_the_start_with_a_line(run, jdk, probe, options, line):
    ended = run(jdk, [probe], bridge(options))
    assert ended.rc == 1
    assert re.search("^libjvmpi: %s$" % line, ended.stderr, re.M), ended.stderr
    assert "kept" not in ended.stdout


@pytest.mark.jdks(17)
def test_a_bad_variable_is_named(run, jdk, probe):
    ended = run(jdk, [probe], bridge(), env={"JVMPI_BRIDGE": "x=y"})
    assert ended.rc == 1
    assert 'libjvmpi: JVMPI_BRIDGE: there is no option "x"' in ended.stderr


@pytest.mark.jdks(8, 17, "newest")
def test_what_a_loading_agent_is_given(run, jdk, probe):
    """The three versions are answered and no other; options arrive as they are; each agent has one table of its own."""
    ended = run(jdk, [probe], bridge("cputime=wall,agent=loading:a=b,c:d"), "-Xrunloading:second")
    assert ended.rc == 0, ended.stdout + ended.stderr
    said = [line for line in ended.stderr.splitlines() if line.startswith("loading: ")]
    assert sorted(said) == ["loading: 1 0 -3 -3, same table, options " + options for options in ("a=b,c:d", "second")]


@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.parametrize("order", ["first", "last"])
def test_two_agents_each_have_their_events(run, jdk, tracer, probe, order):
    agents = ["-Xrunclassload_tracer", "-Xrunloading:loads"]
    ended = run(jdk, [tracer, probe], bridge(), *(agents if order == "first" else agents[::-1]))
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert ended.stderr.count("class load: MemConsumer,") == 1
    assert ended.stderr.count("loading: begins") == ended.stderr.count("loading: ends") == 1
    assert "loading: another event" not in ended.stderr


@pytest.mark.jdks(8, 17, "newest")
def test_beside_the_agent_of_this_project(run, jdk, agent, tracer):
    ended = run(jdk, [tracer], "-agentpath:%s=cpu=times,heap=sites,file=out.txt" % agent, bridge(), "-Xrunclassload_tracer")
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert ended.stderr.count("class load: MemConsumer, 2 methods") == 1
    assert "Hprof_" not in ended.stderr, "trackers are nobody's classes"
    assert b"MemConsumer.main" in ended.read("out.txt")


@pytest.mark.jdks(17)    # a matter of the header
def test_an_agent_in_the_cxx_of_its_time_needs_no_change(run_java, jdk, tmp_path_factory):
    agent = build_agent(tmp_path_factory, SOURCES / "unchecked.cc", "-std=c++98", "-Wall", "-Werror")
    classes = build_program(tmp_path_factory, SOURCES / "Hooked.java", SOURCES / "Retext.java")
    ended = run_java(jdk, None, "Hooked", vm=[bridge("unchecked:Retext"), "-Xbootclasspath/a:%s" % classes],
                     env=path_of(agent))
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert ended.stdout == "text two\n"
    assert "unchecked: 2 methods" in ended.stderr
