"""A .jfr file is a whole recording at each moment: while the agent writes it, and after the JVM was killed.

SPDX-License-Identifier: Apache-2.0
"""
import signal
import subprocess
import time

import conftest
import jfr_file
import pytest
from kept import jar_of
from test_heapdump_readers import java_reader
from test_jfr import JMC

OPTIONS = "cpu=samples,interval=1ms,event=alloc,depth=64,file=x.jfr"
ROUNDS = 3
QUICK_S = 0.3    # less than what lies between the constants of an event and the event


def begun(start_java, jdk, options=OPTIONS):
    """A JVM that records for ever, and its file, which has a beginning."""
    java = start_java(jdk, options, "CpuHot", 600000)
    path = java.cwd / options.rpartition("file=")[2]
    conftest.wait_until(lambda: path.exists() and path.stat().st_size > 0, "the beginning of the file")
    return java, path


def killed(java):
    java.signal(signal.SIGKILL)
    java.end()


def samples(hprof, path):
    """How many samples each reader finds, one after the other: all of them take the file."""
    found = [jfr_file.counts(reader, path).get("jdk.ExecutionSample", 0) for reader in conftest.JDKS.values()]
    said = subprocess.run([hprof, "jfr", "summary", path], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert not said.stderr
    rows = [line.split() for line in said.stdout.splitlines()]
    return found + [int(row[1].replace(",", "")) for row in rows if row and row[0] == "jdk.ExecutionSample"]


@pytest.mark.jdks(8, 17, 27)
def test_each_reader_takes_what_is_being_written(jdk, hprof, start_java, tmp_path_factory):
    read = java_reader(tmp_path_factory.mktemp("jmc"), "JmcReader", JMC)
    java, path = begun(start_java, jdk)
    found = []
    for _ in range(ROUNDS):
        found += samples(hprof, path)
        folded = subprocess.run([*conftest.JDKS[max(conftest.JDKS)].short_tool("java"), "-jar", jar_of("jfr-converter"), "--cpu", "-o", "collapsed",
                                 str(path), str(path.with_name("x.collapsed"))], check=False, timeout=120, stderr=subprocess.STDOUT,
                                stdout=subprocess.PIPE)
        assert folded.returncode == 0, folded.stdout
        assert any(line.startswith("events jdk.ExecutionSample ") for line in read(path))
    assert found == sorted(found) and found[-1] > found[0], found
    assert java.process.poll() is None
    killed(java)
    found = samples(hprof, path)
    assert len(set(found)) == 1 and found[0] > 0, found
    assert "events jdk.ExecutionSample %d" % found[0] in read(path)


@pytest.mark.jdks(11, 25)
def test_what_an_event_names_is_there_before_it(jdk, start_java):
    """Who reads the file within half a second, here by copying it, finds no sample without its thread or stack."""
    java, path = begun(start_java, jdk)
    copy, found = path.with_name("copy.jfr"), 0
    while found < ROUNDS:
        began = time.monotonic()
        copy.write_bytes(path.read_bytes())
        if time.monotonic() - began > QUICK_S:
            continue
        samples_there = jfr_file.events(conftest.JDKS[max(conftest.JDKS)], copy, "jdk.ExecutionSample", depth=1)
        found += bool(samples_there)
        for event in samples_there:
            assert event["stackTrace"]["frames"] and event["sampledThread"]["javaName"], event
    killed(java)


@pytest.mark.jdks(8, 21)
@pytest.mark.parametrize("after_ms", [0, 20, 200, 700, 1000, 1300])
def test_what_is_left_after_a_kill_is_whole(jdk, after_ms, start_java):
    java, path = begun(start_java, jdk)
    time.sleep(after_ms / 1000)
    killed(java)
    data = path.read_bytes()
    for chunk in jfr_file.chunks(data):
        assert (chunk.state, chunk.flags & 1) == (0, 1) and 0 < chunk.metadata < chunk.size and chunk.checkpoint < chunk.size
    found = jfr_file.counts(conftest.JDKS[max(conftest.JDKS)], path)
    assert "jdk.ExecutionSample" in found


@pytest.mark.jdks(17)
def test_the_end_has_nothing_that_was_held_free(jdk, run_java):
    """Files that are done are no longer than what they have: the room is given back."""
    ended = run_java(jdk, OPTIONS, "CpuHot", 1200)
    assert ended.rc == 0, ended.stderr
    path = ended.cwd / "x.jfr"
    assert path.stat().st_size < 2 << 20
    assert [chunk.size for chunk in jfr_file.chunks(path.read_bytes())] == [path.stat().st_size]
