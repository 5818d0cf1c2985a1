"""publish=y: what hprof.jar is told is published by OpenTelemetry's standards, and read by another process.

The reader is native/reads_context.c, which shares no code with hprof. It stops the threads of programs_publishing/Publishing.java
at any moment: each value has the number of its thread and round, so each look is judged by itself.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import pathlib
import re
import subprocess
import time

import conftest
import jfr_file
import pytest
from attaching import attach  # noqa: F401 pylint: disable=unused-import
from test_context import CONTEXTS, compile_with_jar, judge
from test_context import classes as context_classes  # noqa: F401 pylint: disable=unused-import

NEWEST = conftest.JDKS[max(conftest.JDKS)]
NONE = "0" * 32, "0" * 16
READER = conftest.HERE / "native/reads_context.c"
GIVES_WAY = "publish=y: contexts are not published: something else in this process publishes by the same standard"


@pytest.fixture(scope="session", name="programs")
def programs_fixture(tmp_path_factory):
    return compile_with_jar(tmp_path_factory, "programs_publishing", 8)


@pytest.fixture(scope="session", name="reader")
def reader_fixture(tmp_path_factory):
    program = tmp_path_factory.mktemp("reader") / "reads_context"
    subprocess.run(["cc", "-std=gnu11", "-O1", "-Wall", "-Werror", "-o", str(program), str(READER)], check=True)
    return program


def look(reader, java, looks):
    """The names of keys, and (thread, (trace, span), [(key, value), ...]) of each look at a thread that has a record."""
    ran = subprocess.run([str(reader), str(java.pid), str(looks)], stdout=subprocess.PIPE, text=True, check=False, timeout=conftest.TIMEOUT_S)
    assert ran.returncode == 0, ran.stdout[-1000:]
    keys, *rows = ran.stdout.splitlines()
    seen = [row.split("\t") for row in rows]
    return keys.split("\t")[1:], [(row[0], tuple(row[1:3]), [tuple(text.split("=")) for text in row[3:]]) for row in seen if row[1] != "-"]


def contexts_of(reader, java):
    """How many process contexts the process has, where it is not one."""
    ran = subprocess.run([str(reader), str(java.pid), "1"], stdout=subprocess.PIPE, text=True, check=False)
    return 1 if ran.returncode == 0 else int(re.fullmatch(r"contexts\t(\d+)\n", ran.stdout).group(1))


def legal(t, n):
    """The states of a round: by name, what the reader sees."""
    ids, child = ("%024x%08x" % (t, n), "%08x%08x" % (t, n)), ("%024x%08x" % (t, n), "%08x%08x" % (t + 1000, n))
    user, action, inner, none = [("user", "user-%d-%d" % (t, n))], [("action", "action-%d-%d" % (t, n))], [("user", "inner-%d-%d" % (t, n))], [("user", "")]
    return {"user": (NONE, user), "ids": (ids, user), "action": (ids, user + action), "inner": (ids, user + action + inner),
            "none": (ids, user + action + inner + none), "child": (child, user + action + inner + none)}


def judge_look(ids, attributes):
    """The state that a look has seen, and the thread and round that it belongs to; fails if it is none."""
    if not attributes:
        assert ids == NONE
        return "empty", None, None
    if attributes[0] == ("user", "waits"):
        # A text ends with a whole character, in 255 bytes.
        whole = attributes == [("user", "waits"), ("action", "\u00e9" * 127)] and ids == ("ab" * 16, "cd" * 8)
        return ("waits" if whole else "begins"), None, None
    t, n = (int(text) for text in attributes[0][1].split("-")[1:3])
    if attributes[0][1].startswith("fill"):
        assert ids == NONE
        # 612 bytes; beyond, an empty text takes the place of one that has no room, in as many scopes as are kept.
        texts = ["fill-%d-%d-%d-%s" % (t, n, depth, 40 * ".") for depth in range(40, 0, -1)]
        full = next((i for i, (key, text) in enumerate(attributes) if not text), len(attributes))
        assert [text for key, text in attributes] == texts[:full] + [""] * (len(attributes) - full), attributes
        assert len(attributes) <= 32 and (full == len(attributes) or 9 <= full <= 12), attributes
        return ("full" if len(attributes) == 32 else "fill"), t, n
    states = [name for name, state in legal(t, n).items() if state == (ids, attributes)]
    assert states, (ids, attributes)
    return states[0], t, n


def check_looks(reader, java, threads, may_move):
    """Looks until each state was seen three times, and that many threads of the program."""
    found, thread_of, last = collections.Counter(), {}, {}
    deadline = time.monotonic() + conftest.TIMEOUT_S
    while min(found[state] for state in ("user", "ids", "action", "inner", "none", "child", "waits")) < 3 or len(last) < threads:
        assert time.monotonic() < deadline, (found, last)
        keys, seen = look(reader, java, 50)
        assert sorted(keys) == ["action", "span_id", "trace_id", "user"]
        for thread, ids, attributes in seen:
            state, t, n = judge_look(ids, attributes)
            found[state] += 1
            if t is None:
                continue
            assert may_move or thread_of.setdefault(thread, t) == t, (thread, t, thread_of)
            assert n >= last.get(t, 0), (t, n, last)  # no look goes back
            last[t] = n
    return found


@pytest.mark.everyday(8, 17, 25, 27)
def test_another_process_reads_what_threads_work_for(jdk, start_java, programs, reader):
    """Exactly: each moment is one that has been, in running threads and in those that wait, also in one that a task was handed to."""
    java = start_java(jdk, "publish=y,file=x.jfr", "-cp", programs, "Publishing")
    java.wait_for_stdout("ready")
    found = check_looks(reader, java, 2, may_move=False)
    assert found["waits"] >= 50, found
    java.process.kill()


@pytest.mark.jdks(since=21)
@pytest.mark.everyday(21, 25, 27)
def test_a_record_follows_its_virtual_thread(jdk, start_java, programs, reader):
    java = start_java(jdk, "publish=y,file=x.jfr", "-cp", programs, "Publishing", "virtual")
    java.wait_for_stdout("ready")
    check_looks(reader, java, 20, may_move=True)
    java.process.kill()


@pytest.mark.jdks(8, 25)
@pytest.mark.everyday(25)
def test_it_is_published_while_it_is_asked_for(jdk, start_java, programs, reader, attach):  # noqa: F811 pylint: disable=redefined-outer-name
    """Not without publish=y; the end takes all away; and begins anew with the scopes that are opened then."""
    java = start_java(jdk, "cpu=samples,file=x.jfr", "-cp", programs, "Publishing")
    java.wait_for_stdout("ready")
    assert contexts_of(reader, java) == 0
    for _ in range(2):
        assert "return code: 0" in attach(jdk, java, "start,publish=y,file=y.jfr,name=two")
        java.wait_for(lambda: contexts_of(reader, java) == 1, "a process context")
        _, seen = look(reader, java, 100)
        for _, ids, attributes in seen:
            assert judge_look(ids, attributes)[0] != "waits"  # that scope was opened before
        assert len(seen) >= 100
        assert "return code: 0" in attach(jdk, java, "stop,two")
        assert contexts_of(reader, java) == 0
    java.process.kill()


@pytest.mark.parametrize("is_first", (False, True))
@pytest.mark.jdks(8, 25)
@pytest.mark.everyday(25)
def test_it_gives_way_to_an_sdk(jdk, start_java, programs, reader, attach, tmp_path_factory, is_first):  # noqa: F811 pylint: disable=redefined-outer-name
    """One that is there, and one that comes later: a process has one process context."""
    library = conftest.compile_library(tmp_path_factory, "publishes")
    java = start_java(jdk, None if is_first else "publish=y,file=x.jfr", "-cp", programs, "Publishing", library)
    java.wait_for_stdout("ready")
    if not is_first:
        assert contexts_of(reader, java) == 1
    (java.cwd / "go").touch()
    java.wait_for_stdout("another")
    if is_first:
        assert "return code: 0" in attach(jdk, java, "start,publish=y,file=x.jfr")
    java.wait_for_stderr(GIVES_WAY)
    assert pathlib.Path("/proc/%d/maps" % java.pid).read_text().count("OTEL_CTX") == 1
    assert java.err.read_text().count("publish=y") == 1
    java.process.kill()


@pytest.mark.everyday(8, 25)
@pytest.mark.jdks(8, 17, 25)
def test_samples_have_what_is_published_once(jdk, run_java, context_classes):  # noqa: F811 pylint: disable=redefined-outer-name
    """The recording itself has its contexts by the keys alone."""
    ended = run_java(jdk, "cpu=samples,interval=1ms,depth=64,publish=y,file=x.jfr", "-cp", context_classes, "Contexts", 2, 30, 10000)
    assert ended.rc == 0 and ended.stdout == "loaded true\ndone true\n", ended.stdout + ended.stderr
    events = jfr_file.events(NEWEST, ended.cwd / "x.jfr", "jdk.ExecutionSample", depth=64)
    found = judge(events, "Contexts", CONTEXTS)
    assert min(found.values()) >= 5, found
    assert {key for event in events for key in (event.get("context") or {})} == {"user", "action"}
