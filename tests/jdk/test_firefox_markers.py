"""The Firefox Profiler's markers: each event of a recording is one, with the fields that its type's metadata name.

The JDK's own tool says what the events are; the profiler's own loader shows the markers.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import json
import math
import os
import re
import subprocess

import foreign
import pytest
from test_jfr_read import printed_json, programs, record, run    # noqa: F401
from test_pictures import PROFILER_CLI, check_firefox_types, load
from test_pictures import run as run_program

SAMPLES = {"jdk.ExecutionSample", "jdk.CPUTimeSample"}
COMMON = {"startTime", "duration", "eventThread", "stackTrace"}
FORMATS = {"string", "sanitized-string", "unique-string", "integer", "decimal", "bytes", "percentage", "duration", "time"}


def spans_ms(text):
    """Of PT1M2.5S, in ms; None for what is no span."""
    said = re.fullmatch(r"(-)?PT(?:(\d+)H)?(?:(-?\d+)M)?(?:(-?[0-9.]+)S)?", text) if isinstance(text, str) else None
    if not said or text.startswith("-"):
        return None
    return (int(said[2] or 0) * 3600 + int(said[3] or 0) * 60 + float(said[4] or 0)) * 1000


def started(event):
    """When, as a text that sorts: the tool leaves zeros at the end out."""
    second, _, fraction = event["values"]["startTime"].rstrip("Z").partition(".")
    return second + "." + fraction.ljust(9, "0")


def text_of(value):
    """As a marker shows it: a structure is called by its name."""
    if isinstance(value, dict):
        name = value.get("javaName") or value.get("osName") or value.get("name")
        if "descriptor" in value:
            name = value["type"]["name"].replace("/", ".") + "." + name
        if name is None and isinstance(value.get("type"), dict):
            name = value["type"]["name"].replace("/", ".")
        value = name
    return re.sub(r"[\n\r\t]", " ", value).strip("\0") if value else None


def agree(theirs, ours, form):
    """Whether the value of a marker is that of the event; None is none."""
    if isinstance(theirs, list):
        return True
    if theirs is None:
        return ours is None
    if form in ("integer", "decimal", "bytes", "percentage"):
        if ours is None or not math.isfinite(float(theirs)):
            return ours is None and theirs in (-2**63, 2**63 - 1) or not math.isfinite(float(theirs))
        return math.isclose(ours, float(theirs), rel_tol=1e-6, abs_tol=1e-40)
    if form == "duration":
        span = spans_ms(theirs)
        return ours is None or span is None or math.isclose(ours, span, rel_tol=1e-6, abs_tol=1e-5)
    if isinstance(theirs, str) and theirs.startswith("-999999999-"):
        return ours is None
    if form == "time":
        return theirs is None or isinstance(ours, (int, float)) or ours is None
    if isinstance(theirs, bool):
        return ours == ("true" if theirs else "false")
    if isinstance(theirs, int):    # an address
        return ours == hex(theirs % 2**64)
    if isinstance(theirs, str) and re.match(r"\d{4}-\d\d-\d\dT", theirs) and isinstance(ours, str):
        return bool(re.match(r"\d{4}-\d\d-\d\dT", ours))
    theirs = text_of(theirs)
    if form == "unique-string" and theirs:    # a class
        theirs = theirs.replace("/", ".")
        return theirs == ours or "[" in theirs or ".0x" in theirs
    if theirs is not None and len(theirs.encode()) > 900:
        return bool(ours) and len(ours) > 800
    return (theirs or None) == (ours or None) or "\ufffd" in (theirs or "") or "?" in (ours or "")


def field_of(values, name):
    for part in name.split("."):
        values = values.get(part) if isinstance(values, dict) else None
    return values


def markers_of(page):
    """{type: [(start, end, thread, data)]}, in the order of time."""
    found = collections.defaultdict(list)
    strings = page["shared"]["stringArray"]
    for thread in page["threads"]:
        markers = thread["markers"]
        for name, start, end, phase, data in zip(*(markers[column] for column in ("name", "startTime", "endTime", "phase", "data"))):
            assert strings[name] == data["type"] and phase == (0 if end is None else 1)
            found[data["type"]].append((start, end, thread["name"], data))
    return {name: sorted(rows, key=lambda row: row[0]) for name, rows in found.items()}


def names_of(events):
    """{number of the system: all names that the thread had}: one has them after another."""
    found = collections.defaultdict(set)
    for event in events:
        for thread in (event["values"].get("eventThread"), event["values"].get("sampledThread")):
            if isinstance(thread, dict):
                found[thread["osThreadId"]].add(thread["javaName"] or thread["osName"])
    return found


def compare(event, marker, schema, strings, names):
    """A marker has what its event has: thread, duration and every field."""
    values = event["values"]
    start, end, thread, data = marker
    named = values.get("eventThread") or values.get("sampledThread") or {}
    number = named["osThreadId"] if isinstance(named, dict) and named else 0
    assert thread in names[number] if number > 0 else thread == "all threads", (event, marker)
    duration = spans_ms(values.get("duration"))
    if duration is not None:
        assert math.isclose((end or start) - start, duration, abs_tol=2e-6), (event, marker)
    assert ("cause" in data) == bool(values.get("stackTrace") and values["stackTrace"]["frames"]), (event, marker)
    for key, form, path in schema:
        ours = data.get(key)
        if form == "unique-string" and ours is not None:
            ours = strings[ours]
        assert agree(field_of(values, path), ours, form), (path, form, field_of(values, path), ours)


def fields_by_path(page, events):
    """{type: [(key, format, path of names in the event)]}: a key is the path with underscores for its dots."""
    found = {}
    for schema in page["meta"]["markerSchema"]:
        example = next((event["values"] for event in events if event["type"] == schema["name"]), {})
        paths = {re.sub(r"\W", "_", name): name for name in example}
        for outer, inner in example.items():
            if isinstance(inner, dict):
                paths.update({re.sub(r"\W", "_", outer + "." + name): outer + "." + name for name in inner})
        rows = found[schema["name"]] = []
        for field in schema["fields"]:
            assert field["format"] in FORMATS and field["label"], field
            path = paths.get(field["key"]) or paths.get(re.sub(r"_\d+$", "", field["key"]))
            if path:
                rows.append((field["key"], field["format"], path))
    return found


@pytest.mark.everyday(8, 25)
def test_each_event_is_a_marker_with_the_fields_of_its_type(jdk, hprof, record, tmp_path):    # noqa: F811
    """Of the settings "profile": of every type but the samples, event by event and field by field."""
    record(jdk, tmp_path, "profile")
    run([hprof, "report", "-o", "x.firefox.json", "x.jfr"], tmp_path)
    check_firefox_types(tmp_path / "x.firefox.json")
    page = json.loads((tmp_path / "x.firefox.json").read_text())
    groups = {data["type"]: page["meta"]["categories"][category]["name"] for thread in page["threads"]
              for data, category in zip(thread["markers"]["data"], thread["markers"]["category"])}
    assert groups["jdk.GarbageCollection"] == "Java Virtual Machine" and groups["jdk.JavaMonitorEnter"] == "Java Application"
    events = json.loads(printed_json(tmp_path, "--stack-depth", "1"))["recording"]["events"]
    markers, fields, strings, names = markers_of(page), fields_by_path(page, events), page["shared"]["stringArray"], names_of(events)
    by_type = collections.defaultdict(list)
    for event in events:
        if event["type"] not in SAMPLES:
            by_type[event["type"]].append(event)
    assert {name: len(rows) for name, rows in markers.items()} == {name: len(rows) for name, rows in by_type.items()}
    assert {"jdk.GarbageCollection", "jdk.JavaMonitorEnter", "jdk.ActiveSetting", "test.Everything", "tracer.Span"} <= markers.keys()
    compared = 0
    for name, rows in by_type.items():
        schema = fields[name]
        plain = {key for key, value in rows[0]["values"].items()
                 if key not in COMMON and not isinstance(value, (list, dict)) and value is not None}
        assert plain <= {path for _, _, path in schema} or name.startswith("test."), (name, plain, schema)
        moments = collections.Counter(map(started, rows))
        for event, marker in zip(sorted(rows, key=started), markers[name]):
            if moments[started(event)] == 1:    # of one moment there is no order
                compare(event, marker, schema, strings, names)
                compared += 1
    assert compared > 100


@pytest.mark.jdks(8, 25)
def test_the_firefox_profiler_shows_the_markers(jdk, hprof, record, tmp_path):    # noqa: F811
    """Labels with the values of their fields, by its own loader; and only what was asked for."""
    record(jdk, tmp_path, "profile")
    program = [foreign.node(), foreign.npm("@firefox-devtools/profiler-cli", PROFILER_CLI) / "dist/profiler-cli.js"]
    env = dict(os.environ, PROFILER_CLI_SESSION_DIR=str(tmp_path / "session"))
    (tmp_path / "session").mkdir()
    run([hprof, "report", "--markers", "jdk.JVMInformation, *MonitorEnter, test.*", "-o", "x.firefox.json", "x.jfr"], tmp_path)
    page = json.loads((tmp_path / "x.firefox.json").read_text())
    assert {"jdk.JVMInformation", "jdk.JavaMonitorEnter", "test.Everything"} <= markers_of(page).keys()
    assert all(name.startswith(("test.", "jdk.J")) for name in markers_of(page)) and any(thread["samples"]["length"] for thread in page["threads"])
    try:
        load(program, tmp_path / "x.firefox.json", env)
        for at, thread in enumerate(page["threads"]):
            said = run_program(*program, "thread", "markers", "--list", "--limit", "0", "--thread", "t-%d" % at, env=env)
            assert "— %d markers" % thread["markers"]["length"] in said, said
            assert "(null)" not in said and "undefined" not in said, said
            if thread["name"] == "all threads":
                assert "jdk.JVMInformation" in said and "OpenJDK" in said, said
    finally:
        run_program(*program, "stop", "--all", env=env)


@pytest.mark.jdks("newest")
def test_types_that_are_not_there_are_said_to_be_missing(jdk, hprof, record, tmp_path):    # noqa: F811
    record(jdk, tmp_path, "profile")
    run([hprof, "report", "--markers", "no.Such", "-o", "x.firefox.json", "x.jfr"], tmp_path, status=1)
    assert not (tmp_path / "x.firefox.json").exists()
    run([hprof, "report", "-e", "cpu", "--to", "firefox", "-o", "cpu.json", "x.jfr"], tmp_path)
    assert not markers_of(json.loads((tmp_path / "cpu.json").read_text()))
    run([hprof, "report", "-e", "alloc", "--markers", "ExecutionSample", "--to", "firefox", "-o", "alloc.json", "x.jfr"], tmp_path)
    assert markers_of(json.loads((tmp_path / "alloc.json").read_text())).keys() == {"jdk.ExecutionSample"}


@pytest.mark.jdks("newest")
def test_of_too_many_events_it_is_said_which_are_markers(jdk, hprof, record, tmp_path):    # noqa: F811
    """A recording after itself, again and again: of a type without durations events of all of them stay, of one with the longest."""
    once = record(jdk, tmp_path, "profile").read_bytes()
    run([hprof, "report", "-o", "x.firefox.json", "x.jfr"], tmp_path)
    page = json.loads((tmp_path / "x.firefox.json").read_text())
    counts = {name: (len(rows), len({end is None for _, end, _, _ in rows}) == 1 and rows[0][1] is None) for name, rows in markers_of(page).items()}
    most = next(entry["value"] for extra in page["meta"]["extra"] for entry in extra["entries"] if entry["label"] == "of a type at most")
    for is_instant, said in ((True, "from all of the time"), (False, "those that took longest")):
        count, name = max((count, name) for name, (count, instant) in counts.items() if instant == is_instant and not name.startswith("jdk.ObjectAlloc"))
        times = most // count + 2
        (tmp_path / "many.jfr").write_bytes(once * times)
        left = subprocess.run([str(hprof), "report", "--markers", name, "--to", "firefox", "-o", "many.json", "many.jfr"], cwd=str(tmp_path),
                              stderr=subprocess.PIPE, text=True, check=True).stderr
        many = json.loads((tmp_path / "many.json").read_text())
        kept = len(markers_of(many)[name])
        assert most // 2 <= kept <= most
        words = "%d of %d" % (kept, count * times)
        assert "many.jfr: %s events of %s are markers: %s" % (words, name, said) in left, left
        assert {"label": name, "format": "string", "value": "%s, %s" % (words, said)} in [entry for extra in many["meta"]["extra"] for entry in extra["entries"]]
