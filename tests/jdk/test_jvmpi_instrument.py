"""An agent of JVMPI whose class load hook calls Java, which weaves: a JDBC driver and a server of others.

SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess

import pytest

from jvmpi_agents import EXAMPLES, SOURCES, bridge, build_agent, build_program, path_of
from kept import jar_of

WEAVER = EXAMPLES / "instrument"
ITEM = "SELECT name FROM item WHERE id = ?"
METHODS = ["org.h2.jdbc.JdbcStatement.execute*", "org.h2.jdbc.JdbcConnection.prepareStatement", "org.h2.jdbc.JdbcPreparedStatement.set*",
           "org.apache.catalina.core.ApplicationFilterChain.doFilter", "javax.servlet.http.HttpServlet.service"]
# The calls of the driver by its user, in order. The driver calls its own methods too, of other types of arguments.
SQL = ['org.h2.jdbc.JdbcStatement.execute("CREATE TABLE item(id INT PRIMARY KEY, name VARCHAR(20))")',
       """org.h2.jdbc.JdbcStatement.executeUpdate("INSERT INTO item VALUES(1, 'lamp'), (2, 'chair')")""",
       'org.h2.jdbc.JdbcStatement.executeQuery("SELECT price FROM item")']


@pytest.fixture(scope="session")
def weaver(tmp_path_factory):
    """What stands behind -Xbootclasspath/a: the weaving class and its library."""
    asm = jar_of("asm")
    return "%s:%s" % (build_program(tmp_path_factory, *sorted(WEAVER.glob("*.java")), jars=[asm]), asm)


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """The class path of the program Shop."""
    jars = [jar_of(name) for name in ("h2", "tomcat-embed-core", "tomcat-annotations-api")]
    return ":".join([str(build_program(tmp_path_factory, SOURCES / "Shop.java", jars=jars)), *jars])


@pytest.fixture(scope="session")
def weave(tmp_path_factory):
    return build_agent(tmp_path_factory, WEAVER / "class_hook.c")


def timed(ended):
    """The calls that were measured, each as (call, what it failed with), in the order of their ends."""
    return re.findall(r"^timed: (.*): \d+\.\d{3} ms(?:, failed: (.*))?$", ended.stderr, re.M)


# How a VM hands class files to a hook that calls Java, and which class files it can load, is its own.
def test_a_driver_and_a_server_are_timed_by_java_code_that_the_hook_calls(run_java, jdk, weave, weaver, shop):
    ended = run_java(jdk, None, "-cp", shop, "Shop", "/item?id=2", "/item?id=3",
                     vm=[bridge(), "-Xrunclass_hook:TimingWeaver,dump=first.class", "-Dtimed.methods=" + ":".join(METHODS),
                         "-Xbootclasspath/a:" + weaver], env=path_of(weave))
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines() == ["refused: 42122", "/item?id=2: chair", "/item?id=3: nothing"], ended.stdout + ended.stderr
    calls = timed(ended)
    assert [call for call, failed in calls if call in SQL] == SQL, ended.stderr
    assert (SQL[-1], "org.h2.jdbc.JdbcSQLSyntaxErrorException") in calls
    names = [re.sub(r"\(.*", "", call) for call, failed in calls]
    request = ['org.h2.jdbc.JdbcConnection.prepareStatement("%s")' % ITEM, "org.h2.jdbc.JdbcPreparedStatement.setInt(1, %d)",
               "javax.servlet.http.HttpServlet.service", "org.apache.catalina.core.ApplicationFilterChain.doFilter"]
    for number in (2, 3):
        assert request[1] % number in dict(calls), ended.stderr
    assert [call for call, failed in calls].count(request[0]) == 2
    # Each request is the filters, in which is the servlet: HttpServlet has two methods of this name.
    assert [name for name in names if name in request] == [request[2], request[2], request[3]] * 2, ended.stderr
    woven = subprocess.run([jdk.tool("javap"), "-p", "first.class"], cwd=str(ended.cwd), stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    assert re.search(r"private void service\$timed\(javax.servlet.ServletRequest, ", woven), woven


@pytest.mark.jdks(17)    # texts of the agent
@pytest.mark.parametrize("options, line", [
    ("", r'class_hook: its options are CLASS\[,dump=FILE\], not ""'),
    (":NoSuch", r'class_hook: no class NoSuch with "public static byte\[\] instrumentClass\(byte\[\]\)" can be used: .*'),
    (":Hooked,dump=x", r'class_hook: no class Hooked with .*'),
    (":Hooked,x", r'class_hook: its options are .*, not "Hooked,x"'),
])
def test_a_weaver_that_cannot_be_used_ends_the_start_with_a_line(run_java, jdk, weave, tmp_path_factory, options, line):
    program = build_program(tmp_path_factory, SOURCES / "Hooked.java")
    ended = run_java(jdk, None, "Hooked", vm=[bridge(), "-Xrunclass_hook" + options, "-Xbootclasspath/a:%s" % program], env=path_of(weave))
    assert ended.rc == 1
    assert re.search("^%s$" % line, ended.stderr, re.M), ended.stderr
    assert "text one" not in ended.stdout


@pytest.mark.jdks(17)
def test_a_file_that_is_there_is_not_overwritten_with_the_first_woven_class(run_java, jdk, weave, tmp_path_factory):
    classes = build_program(tmp_path_factory, SOURCES / "Hooked.java", SOURCES / "Retext.java")
    ended = run_java(jdk, None, "Hooked", vm=[bridge(), "-Xrunclass_hook:Retext,dump=%s/Hooked.class" % classes,
                                              "-Xbootclasspath/a:%s" % classes], env=path_of(weave))
    assert (ended.rc, ended.stdout) == (0, "text two\n"), ended.stderr
    assert "Hooked.class was not written: File exists\n" in ended.stderr
    assert b"text one" in (classes / "Hooked.class").read_bytes()
