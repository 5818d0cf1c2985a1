"""hprof.jar inside applications that one server has: each has a jar and a class loader of its own, threads are the server's.

SPDX-License-Identifier: Apache-2.0
"""
import subprocess

import conftest
import jfr_file
import pytest
from test_context import NEWEST, compile_with_jar, jar


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """The server's alone."""
    folder = tmp_path_factory.mktemp("loaders")
    oldest = conftest.JDKS[min(conftest.JDKS)]
    subprocess.run([oldest.tool("javac"), "-nowarn", "-d", str(folder), str(conftest.HERE / "programs_loaders/Loaders.java")], check=True)
    return str(folder)


@pytest.fixture(scope="session")
def application(tmp_path_factory):
    return compile_with_jar(tmp_path_factory, "programs_loaded", 8).partition(":")[0]


@pytest.mark.jdks(8, 17, 25)
def test_two_applications_have_one_agent_and_one_is_deployed_anew(jdk, run_java, application, tmp_path):
    """The library is loaded by the first one, when the other has found none; while the recording goes on, nothing holds the classes of one that is taken away, nor when it
    has run the command, whose end a thread of the JDK waits for."""
    own = tmp_path / "own"
    ended = run_java(jdk, None, "Loaders", application + "/", jar(), vm=["-Dhprof.folder=%s" % own])
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert ended.stdout == "early false\nstarted\none true two true\ngone true\nagain true two true\nstopped\ncommand 0\ngone true\n", ended.stdout + ended.stderr
    assert sorted(path.name.partition("-")[2] for path in own.iterdir()) == ["hprof", "libhprof.so"]
    by_type = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", ["app.Done", "jdk.ExecutionSample"], depth=64)
    assert [event["name"] for event in by_type["app.Done"]] == ["one", "two", "again", "two"]
    assert [event["context"]["name"] for event in by_type["app.Done"]] == ["one", "two", "again", "two"]
    contexts = [(event.get("context") or {}).get("name") for event in by_type["jdk.ExecutionSample"]]
    assert min(contexts.count(name) for name in ("one", "two", "again")) >= 10, contexts
