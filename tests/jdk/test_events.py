"""hprof.jar: events that a program defines and commits, in JFR files.

SPDX-License-Identifier: Apache-2.0
"""
import json
import re
import subprocess

import conftest
import jfr_file
import pytest
from test_context import NEWEST, compile_with_jar


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    return compile_with_jar(tmp_path_factory, "programs_event", 8)


def text_of(number):
    return None if number % 3 == 0 else "t\u00e4xt \U0001f600 %d" % number


def judge_all(events, count):
    """Each has the values that the program has given it."""
    assert [-event["count"] for event in events] == list(range(1, count + 1))
    for number, event in enumerate(events, 1):
        assert event["flag"] == (number % 2 == 1) and event["size"] == 1 << 40 | number and event["span"] == "PT0.0015S", event
        assert event["share"] == 0.25 and event["text"] == text_of(number) and event["ratio"] == -1.5, event
        assert event["other"]["javaName"] == event["eventThread"]["javaName"] == "main" and event["type"]["name"] == "Events", event
        assert (event.get("context") or {}).get("user") == ("bob" if number % 2 == 0 else None), event
        assert [frame["method"]["name"] for frame in event["stackTrace"]["frames"]] == ["all", "main"], event


@pytest.mark.everyday(8, 25)
def test_events_have_the_values_that_they_were_given(jdk, run_java, hprof):
    """Of all types of fields, with label and annotations; and those that were too short are not there."""
    ended = run_java(jdk, "cpu=samples,file=x.jfr", "Events", 7)
    assert ended.rc == 0 and ended.stdout == "loaded true enabled true used true\ndone\n", ended.stdout + ended.stderr
    by_type = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", ["com.acme.All", "com.acme.Long", "Plain"])
    judge_all(by_type["com.acme.All"], 7)
    assert len(by_type["Plain"]) == 7 and not any("stackTrace" in event for event in by_type["Plain"])
    assert [event["asked"] for event in by_type["com.acme.Long"]] == [30] * 3
    assert all(float(re.fullmatch(r"PT([0-9.]+)S", event["duration"])[1]) >= 0.03 for event in by_type["com.acme.Long"])
    said = jfr_file.tool(NEWEST, "metadata", "--events", "com.acme.All", ended.cwd / "x.jfr")
    for piece in ('@Label("All of them")', '@Description("An event with a field of each type")', '@Category({"Acme", "Test"})',
                  '@DataAmount("BYTES")\n  long size;', '@Timespan("NANOSECONDS")\n  long span;', "@Percentage\n  double share;",
                  '@Timestamp("MILLISECONDS_SINCE_EPOCH")\n  long when;', '@Label("Count")\n  int count;'):
        assert piece in said, said
    ours = subprocess.run([hprof, "jfr", "print", "--events", "com.acme.Long", str(ended.cwd / "x.jfr")], stdout=subprocess.PIPE, text=True, check=True)
    assert ours.stdout.count("com.acme.Long {") == 3 and "asked = 30" in ours.stdout
    view = subprocess.run([hprof, "jfr", "view", "com.acme.Long", str(ended.cwd / "x.jfr")], stdout=subprocess.PIPE, text=True, check=True)
    assert view.stdout.count(" 30 ") >= 3, view.stdout
    subprocess.run([hprof, "report", "-o", str(ended.cwd / "x.firefox.json"), str(ended.cwd / "x.jfr")], check=True)
    markers = []
    page = json.loads((ended.cwd / "x.firefox.json").read_text())
    for thread in page["threads"]:
        strings = thread.get("stringArray") or page["shared"]["stringArray"]
        markers += [(strings[name], end is not None and end > start, data.get("asked"))
                    for name, start, end, data in zip(*(thread["markers"][column] for column in ("name", "startTime", "endTime", "data")))]
    assert markers.count(("com.acme.Long", True, 30)) == 3 and markers.count(("Plain", False, None)) == 7, markers
    schemas = {schema["name"]: {field["label"]: field["format"] for field in schema["fields"]} for schema in page["meta"]["markerSchema"]}
    assert schemas["com.acme.All"].items() >= {"Count": "integer", "Share": "percentage"}.items(), schemas["com.acme.All"]


@pytest.mark.jdks(8, 17, 25)
def test_without_a_recording_nothing_is_made(jdk, run_java):
    """Neither without the agent nor with one that writes no JFR file."""
    for options, said in ((None, "false enabled false used false"), ("cpu=samples,file=x.txt", "true enabled false used true")):
        ended = run_java(jdk, options, "Events", 3)
        assert ended.rc == 0 and ended.stdout == "loaded %s\ndone\n" % said, ended.stdout + ended.stderr


@pytest.mark.jdks(8, 17, 25)
def test_more_types_than_there_is_room_for(jdk, run_java):
    """Those beyond are refused in one line and counted; a definition that comes again is the same type."""
    ended = run_java(jdk, "event=custom,file=x.jfr", "Types")
    assert ended.rc == 0, ended.stderr
    said = ended.stdout.splitlines()
    assert said[0] == "used 64" and len(said) == 9 and all(line.startswith("refused HprofEvent") for line in said[1:]), said
    assert ended.stderr.count("HPROF ERROR: events of type types.T64 are not recorded: there are 64 types") == 1
    names = ["types.T%d" % number for number in range(70)]
    by_type = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", names + ["hprof.Quality"])
    for number, name in enumerate(names):
        assert [event["value"] for event in by_type[name]] == ([number, 1000 + number] if number < 64 else []), name
    quality = {event["name"]: event["count"] for event in by_type["hprof.Quality"]}
    assert quality["custom_events"] == 128 and quality["custom_types_lost"] == 12


@pytest.mark.jdks(8, 17, 25)
def test_recordings_come_and_go_while_many_threads_commit(jdk, run_java):
    """Two at a time; each has the events of its own time, whole, or counts them as lost."""
    ended = run_java(jdk, None, "Storm", 4, 4)
    assert ended.rc == 0 and ended.stdout.startswith("done "), ended.stdout + ended.stderr
    for number in range(4):
        for name in "ab":
            by_type = jfr_file.events_by_type(NEWEST, ended.cwd / ("%s%d.jfr" % (name, number)), ["storm.Hit", "hprof.Quality"], depth=1)
            quality = {event["name"]: event["count"] for event in by_type["hprof.Quality"]}
            events = by_type["storm.Hit"]
            assert len(events) + quality.get("jfr_lost", 0) >= quality["custom_events"] > 0, (len(events), quality)
            seen = set()
            for event in events:
                assert event["text"] == "hit %d" % event["number"] and event["what"]["name"] == "Storm", event
                assert event["who"]["javaName"] == event["eventThread"]["javaName"] and event["who"]["javaName"].startswith("storm-"), event
                assert event["stackTrace"]["frames"][0]["method"]["name"] == "deep", event
                seen.add(event["number"])
            assert len(seen) == len(events)


@conftest.one_jdk
def test_settings_go_by_the_name_of_the_event(jdk, run_java):
    """A threshold in place of the program's own, and a type that is turned off."""
    ended = run_java(jdk, "cpu=samples,file=x.jfr,com.acme.Long#threshold=0 ms,Plain#enabled=false", "Events", 2)
    assert ended.rc == 0, ended.stderr
    by_type = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", ["com.acme.All", "com.acme.Long", "Plain"])
    assert [event["asked"] for event in by_type["com.acme.Long"]] == [1, 30] * 3
    assert len(by_type["com.acme.All"]) == 2 and not by_type.get("Plain")
