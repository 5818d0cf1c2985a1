"""hprof query: recordings and JVMs, against the JDK's own tools and hprof's other commands.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import json
import re

import pytest
from asking import ask, told
from test_jfr_read import newest_tool, printed_json, programs, record, run    # noqa: F401


def rows(hprof, folder, sql, *inputs):
    """The answer, a dict for each row."""
    said = run([hprof, "query", *(inputs or ["x.jfr"]), "--format", "json", sql], folder)
    return [json.loads(line) for line in said.decode().splitlines()]


def nanoseconds(duration):
    """Of "PT0.012345S", as the JDK's tool writes it in JSON."""
    match = re.fullmatch(r"PT(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?", duration)
    minutes, seconds, digits = match.groups()
    return (int(minutes or 0) * 60 + int(seconds or 0)) * 10 ** 9 + int((digits or "0").ljust(9, "0"))


def is_plain(value):
    """A number or a text that SQL has as it is: not a time, which is a number there, nor a char."""
    return isinstance(value, (int, str)) and not isinstance(value, bool) and \
        not re.fullmatch(r"(?s)P(T|-).*|[+-]?\d{4,}-\d\d-\d\dT.*|.", str(value) if isinstance(value, str) else "")


def large(value):
    """An unsigned number that SQL has as the nearest real one."""
    return float(value) if isinstance(value, int) and value >= 2 ** 63 else value


def dotted(type_name):
    return type_name.replace("/", ".")


@pytest.mark.jdks(8, 17, 25, "newest")
def test_tables_of_events_have_what_the_newest_tool_prints(jdk, hprof, record, tmp_path):    # noqa: F811
    record(jdk, tmp_path, "profile")
    events = collections.defaultdict(list)
    for event in json.loads(printed_json(tmp_path))["recording"]["events"]:
        events[event["type"]].append(event["values"])
    counted = rows(hprof, tmp_path, "select type, count(*) as n, sum(duration) as ns from events group by type")
    assert {row["type"]: row["n"] for row in counted} == {name: len(found) for name, found in events.items()}
    for row in counted:
        lasted = [event["duration"] for event in events[row["type"]] if event.get("duration")]
        assert abs(row["ns"] - sum(map(nanoseconds, lasted))) <= len(lasted), row
    sorted_by_sqlite = rows(hprof, tmp_path, "select type, count(*) as n, sum(+duration) as ns from events group by type")
    assert sorted_by_sqlite == counted
    for name, found in events.items():
        # Numbers and texts of each event, in the order of the file on one side and of the ends on the other.
        fields = [key for key in found[0] if all(is_plain(event[key]) for event in found)]
        if not fields:
            continue
        said = rows(hprof, tmp_path, "select %s from \"%s\"" % (", ".join('"%s"' % key for key in fields), name))
        ours = sorted(json.dumps([row[key] for key in fields]) for row in said)
        assert len(ours) == len(found), name
        if "?" not in "".join(ours):    # characters that would control a terminal are not those of the tool
            assert ours == sorted(json.dumps([large(event[key]) for key in fields]) for event in found), name


@pytest.mark.jdks(17, 25)
def test_stacks_threads_and_classes_are_those_of_the_tool(jdk, hprof, record, tmp_path):    # noqa: F811
    record(jdk, tmp_path, "profile")
    said = json.loads(printed_json(tmp_path, "--events", "ObjectAllocationSample,JavaMonitorWait,ThreadPark", "--stack-depth", "64"))
    theirs = collections.Counter()
    for event in said["recording"]["events"]:
        values = event["values"]
        top = (values["stackTrace"] or {}).get("frames") or [None]
        method = top[0]["method"] if top[0] else None
        thread = values["eventThread"] and (values["eventThread"]["javaName"] or values["eventThread"]["osName"])
        theirs[event["type"], thread, method and dotted(method["type"]["name"]) + "." + method["name"], values.get("weight")] += 1
    ours = collections.Counter()
    for row in rows(hprof, tmp_path, "select type, thread, top_frame(stack) as top, case when type like '%Sample' then bytes end as bytes from events "
                                     "where type in ('jdk.ObjectAllocationSample', 'jdk.JavaMonitorWait', 'jdk.ThreadPark')"):
        ours[row["type"], row["thread"], row["top"], row["bytes"]] += 1
    assert ours == theirs and sum(theirs.values()) > 0
    everything = rows(hprof, tmp_path, "select count(distinct s.stack) as stacks, sum(f.line > 0) as lines from stacks s join frames f using (frame)")
    assert everything[0]["stacks"] > 10 and everything[0]["lines"] > 10


@pytest.mark.jdks(17, 25)
def test_the_accepted_question_is_answered(jdk, hprof, record, tmp_path):    # noqa: F811
    record(jdk, tmp_path, "profile")
    sql = "select top_frame(stack), sum(bytes) from \"jdk.ObjectAllocationSample\" group by 1 order by 2 desc limit 10"
    lines = run([hprof, "query", "x.jfr", sql], tmp_path).decode().splitlines()
    assert re.fullmatch(r"top_frame\(stack\) +sum\(bytes\)", lines[0]) and 2 <= len(lines) <= 11
    assert run([hprof, "query", "x.jfr", "x.jfr", "--format", "csv", "select count(*)/2 from events"], tmp_path).split()[1] == \
        run([hprof, "query", "x.jfr", "--format", "csv", "select count(*) from events"], tmp_path).split()[1]


@pytest.mark.jdks(8, 17, 25)
def test_a_live_jvm_has_counters_threads_and_locks(jdk, hprof, start_java, tmp_path):
    java = start_java(jdk, None, "HeapHolds", 1000, 600000)
    java.wait_for_stdout("ready")
    out, _ = ask(hprof, "counters", java.pid, "java.property.java.vm.version")
    said = rows(hprof, tmp_path, "select value from counters where name = 'java.property.java.vm.version'", java.pid)
    assert said and said[0]["value"] in out
    threads = {row["thread"]: row for row in rows(hprof, tmp_path, "select * from java_threads", java.pid)}
    dumped = told(jdk, "jcmd", java.pid, "Thread.print")
    assert {"main", "Reference Handler", "Finalizer"} <= set(threads)
    assert all('"%s"' % name in dumped for name in ("main", "Finalizer"))
    assert threads["main"]["state"].startswith(re.search(r'(?s)"main".*?State: (\w+)', dumped).group(1))
    assert rows(hprof, tmp_path, "select count(*) as n from locks where thread = 'Finalizer'", java.pid)[0]["n"] >= 1


@pytest.mark.jdks(17, 25)
def test_a_heap_has_what_its_questions_say(jdk, hprof, start_java, tmp_path):
    java = start_java(jdk, None, "HeapHolds", 3000, 600000)
    java.wait_for_stdout("ready")
    ask(hprof, "dump-heap", "--fork", java.pid, tmp_path / "x.hprof")
    out, _ = ask(hprof, "heap", "--json", "-n", 1000000, tmp_path / "x.hprof", "histo")
    theirs = collections.defaultdict(lambda: [0, 0])
    for row in json.loads(out)["rows"]:
        theirs[row["class"]][0] += row["objects"]
        theirs[row["class"]][1] += row["shallow_bytes"]
    ours = {row["class"]: [row["objects"], row["shallow"]] for row in
            rows(hprof, tmp_path, "select class, count(*) as objects, sum(shallow) as shallow from objects group by 1", "x.hprof")}
    assert ours == {name: row for name, row in theirs.items() if row[0] > 0}
    sums = rows(hprof, tmp_path, "select (select sum(retained) from dominators where dominator is null) as held, "
                                 "(select sum(shallow) from objects where reachable) as bytes", "x.hprof")
    assert sums[0]["held"] == sums[0]["bytes"]
    counts = rows(hprof, tmp_path, "select (select count(*) from refs where from_id = o.id) as out, "
                                   "(select count(*) from refs where to_id = o.id) as back from objects o "
                                   "where class = 'java.util.HashMap' order by retained desc limit 1", "x.hprof")
    assert counts[0]["out"] > 0 and counts[0]["back"] > 0
