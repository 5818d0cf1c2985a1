"""hprof jfr cut, scrub, merge, assemble, disassemble: what is written is read by the tool of every JDK, with the same values.

SPDX-License-Identifier: Apache-2.0
"""
import json
import re

import pytest
from conftest import JDKS
from test_jfr_read import newest_tool, programs, record, run  # noqa: F401 (fixtures)


def printed(tool, folder, name, *options):
    return json.loads(run([*tool, "print", "--json", "--stack-depth", "64", *options, name], folder))["recording"]["events"]


# JDK 8 has the metadata behind the events, and another version of the format; its tool and the newest read all files.
@pytest.mark.everyday(17)
@pytest.mark.jdks(8, 17, 25)
def test_every_tool_reads_what_is_left(jdk, hprof, record, tmp_path):
    record(jdk, tmp_path, "profile")
    whole = printed(newest_tool(), tmp_path, "x.jfr")
    run([hprof, "jfr", "scrub", "--exclude-events", "jdk.Native*,Initial*", "--exclude-categories", "Flag", "x.jfr"], tmp_path)
    left = [event for event in whole if event["type"].startswith(("test.", "tracer.", "jdk.Thread", "jdk.Execution", "jdk.GC", "jdk.Class"))]
    assert 100 < len(left) < len(whole)
    names = {event["type"] for event in left}
    options = ["--events", ",".join(sorted(names))]
    for number in {8, jdk.number, max(JDKS)} & set(JDKS):
        tool = JDKS[number].short_tool("jfr")
        assert printed(tool, tmp_path, "x-scrubbed.jfr", *options) == printed(tool, tmp_path, "x.jfr", *options), number
    newest = printed(newest_tool(), tmp_path, "x-scrubbed.jfr")
    assert [event for event in newest if event["type"] in names] == left
    assert not [event for event in newest if "InitialSystemProperty" in event["type"] or "jdk.NativeLibrary" == event["type"]]
    assert b"java.vm.specification.vendor" not in (tmp_path / "x-scrubbed.jfr").read_bytes()


@pytest.mark.everyday(25)
@pytest.mark.jdks(17, 25)
def test_events_are_those_that_the_jdks_scrub_keeps(jdk, hprof, record, tmp_path):
    """Where it has such a word; samples are of the thread they show, which the JDK's tool does not ask."""
    record(jdk, tmp_path, "default")
    for number, options in enumerate((["--include-events", "test.*,jdk.Thread*,Span"], ["--include-categories", "JVM", "--exclude-events", "jdk.GC*"],
                                      ["--exclude-events", "ExecutionSample,NativeMethodSample", "--exclude-threads", "ma*"])):
        theirs, ours = "t%d.jfr" % number, "o%d.jfr" % number
        run([*newest_tool(), "scrub", *options, "x.jfr", theirs], tmp_path)
        run([hprof, "jfr", "scrub", *options, "x.jfr", ours], tmp_path)
        assert printed(newest_tool(), tmp_path, ours) == printed(newest_tool(), tmp_path, theirs) != [], options


@pytest.mark.everyday(25)
@pytest.mark.jdks(8, 25)
def test_texts_that_are_redacted_are_nowhere(jdk, hprof, record, tmp_path):
    record(jdk, tmp_path, "default", "-Dmy.password=verysecret", "-Dplain=seen")
    run([hprof, "jfr", "scrub", "--redact-key", "my.password", "--redact", "*Recorded*", "x.jfr"], tmp_path)
    data = (tmp_path / "x-scrubbed.jfr").read_bytes()
    assert b"verysecret" not in data and "verysecret".encode("utf-16-be") not in data
    said = {event["values"]["key"]: event["values"]["value"] for event in printed(newest_tool(), tmp_path, "x-scrubbed.jfr")
            if event["type"] == "jdk.InitialSystemProperty"}
    assert said["my.password"] == "(redacted)" and said["plain"] == "seen"
    stacks = json.dumps(printed(newest_tool(), tmp_path, "x-scrubbed.jfr", "--events", "ExecutionSample"))
    assert "(redacted)" in stacks and '"Recorded"' not in stacks


@pytest.mark.everyday(25)
@pytest.mark.jdks(25)
def test_a_part_of_the_time_is_cut_out(jdk, hprof, record, tmp_path):
    """By System.nanoTime, where the recording has its clock, and by times; what is said once in a chunk stays."""
    record(jdk, tmp_path, "profile")
    whole = printed(newest_tool(), tmp_path, "x.jfr", "--events", "test.*")
    times = sorted(event["values"]["startTime"] for event in whole)
    start, end = times[len(times) // 4], times[len(times) // 2]
    run([hprof, "jfr", "cut", "--from", start, "--to", end, "x.jfr", "y.jfr"], tmp_path)
    left = printed(newest_tool(), tmp_path, "y.jfr")
    assert [e for e in left if e["type"].startswith("test.") and start < e["values"]["startTime"] < end] == \
        [e for e in whole if start < e["values"]["startTime"] < end]
    assert max(e["values"]["startTime"] for e in left if e["type"].startswith("test.")) <= end
    assert [e for e in left if e["type"] == "jdk.JVMInformation"] and len(left) < len(printed(newest_tool(), tmp_path, "x.jfr"))


@pytest.mark.everyday(25)
@pytest.mark.jdks(11, 25)
def test_chunks_go_apart_and_together(jdk, hprof, record, tmp_path):
    """A recording of one chunk thrice; what the JDK's tool takes apart is what ours does."""
    one = record(jdk, tmp_path, "default").read_bytes()
    (tmp_path / "many.jfr").write_bytes(3 * one)
    for folder in ("ours", "theirs"):
        (tmp_path / folder).mkdir()
    run([hprof, "jfr", "disassemble", "--max-chunks", "2", "--output", "ours", "many.jfr"], tmp_path)
    run([*newest_tool(), "disassemble", "--max-chunks", "2", "--output", "theirs", "many.jfr"], tmp_path)
    files = sorted(path.name for path in (tmp_path / "theirs").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "ours").iterdir()) == ["many_0.jfr", "many_1.jfr"]
    assert all((tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes() for name in files)
    run([hprof, "jfr", "assemble", "ours", "again.jfr"], tmp_path)
    assert (tmp_path / "again.jfr").read_bytes() == 3 * one


def values(events):
    """As lines. The numbers of types, which jdk.ActiveSetting tells, are not those of the parts."""
    return sorted(json.dumps(event) for event in events if event["type"] != "jdk.ActiveSetting")


# Files are all that is merged: a test that takes one JDK's, and those of the oldest and the newest there is, whose types differ most.
@pytest.mark.everyday(25)
@pytest.mark.jdks(25)
def test_recordings_of_several_jvms_become_one(jdk, hprof, record, tmp_path):
    """Each event keeps its values, for tools of old and new JDKs, which read a chunk by what they know of the one before; a second dump of the first adds none."""
    jvms = {"a": jdk, "b": jdk, "c": JDKS[min(JDKS)], "d": JDKS[max(JDKS)]}
    for name, of in jvms.items():
        (tmp_path / name).mkdir()
        record(of, tmp_path / name, "default", "-Dof=" + name)
    (tmp_path / "again.jfr").write_bytes((tmp_path / "a" / "x.jfr").read_bytes())
    run([hprof, "jfr", "merge", "--output", "all.jfr", *(name + "/x.jfr" for name in sorted(jvms, reverse=True)), "again.jfr"], tmp_path)
    for tool in (newest_tool(), [hprof, "jfr"]):
        parts = [printed(tool, tmp_path / name, "x.jfr") for name in jvms]
        merged = printed(tool, tmp_path, "all.jfr")
        assert min(map(len, parts)) > 100 and values(merged) == values(sum(parts, []))
        assert len(merged) == sum(map(len, parts)) and len({e["values"]["pid"] for e in merged if e["type"] == "jdk.JVMInformation"}) == 4
    assert b"ExecutionSample" in run([*JDKS[min(JDKS)].short_tool("jfr"), "summary", "all.jfr"], tmp_path)


@pytest.mark.everyday(25)
@pytest.mark.jdks(25)
def test_an_event_of_another_jvm_encloses_nothing(jdk, hprof, record, tmp_path):
    """A copy of a recording that does not say whose it is has its own threads, though they have the same numbers and times."""
    record(jdk, tmp_path, "default")
    run([hprof, "jfr", "scrub", "--exclude-events", "jdk.JVMInformation,tracer.Span", "x.jfr", "y.jfr"], tmp_path)
    run([hprof, "jfr", "merge", "--output", "both.jfr", "x.jfr", "y.jfr"], tmp_path)
    said = run([hprof, "jfr", "view", "tracer.Read", "--group-by", "span.user", "--sum", "bytesRead", "both.jfr"], tmp_path).decode()
    rows = re.findall(r"^ +(\d+) +[\d.]+% +(\d+) bytes .* (\S+)$", said, re.M)
    assert sorted(rows) == [("1", "100", "user0"), ("2", "300", "user1"), ("3", "600", "N/A"), ("8", "1010", "(none)")], said
