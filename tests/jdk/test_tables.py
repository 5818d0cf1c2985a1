"""--sort, --from, --to and --format of tables, on real JVMs and recordings.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import datetime
import io
import json
import re

import pytest

from asking import ask  # noqa: F401
from test_asked import demo, demo_classes    # noqa: F401
from test_jfr_read import programs    # noqa: F401
from test_jfr_views import views    # noqa: F401

ROW = re.compile(r" *\d+: +(\d+) +(\d+) +(\S+)")


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_histogram_is_the_same_in_every_form(hprof, demo, jdk):    # noqa: F811
    pid = demo(jdk).pid
    text, _ = ask(hprof, "histo", pid, "--sort", "class")
    names = [ROW.match(line).group(3) for line in text.splitlines() if ROW.match(line)]
    assert names == sorted(names) and len(names) > 100
    rows = rows_of(ask(hprof, "histo", pid, "--format", "csv")[0])
    assert [int(row["bytes"]) for row in rows] == sorted((int(row["bytes"]) for row in rows), reverse=True)
    assert len({row["class"] for row in rows} ^ set(names)) < 20, "classes come while it runs"
    assert all((row["module"] != "") == (jdk.number > 8) for row in rows if row["class"] == "java.lang.String")
    objects = json.loads(ask(hprof, "histo", pid, "--format", "json", "--sort", "objects", "-n", 5)[0])
    assert len(objects) == 5 and [row["objects"] for row in objects] == sorted((row["objects"] for row in objects), reverse=True)


def test_threads_are_rows(hprof, demo, jdk):    # noqa: F811
    pid = demo(jdk).pid
    rows = rows_of(ask(hprof, "threads", pid, "--format", "csv")[0])
    whole = json.loads(ask(hprof, "threads", pid, "--json")[0])["threads"]
    named = {row["name"]: row for row in rows}
    for thread in whole:
        if thread["name"] in named and thread.get("state") and thread["name"] != "spinner" and thread["frames"]:
            row = named[thread["name"]]
            assert row["state"] == thread["state"].split()[0]
            assert (row["frame"], int(row["frames"])) == (thread["frames"][0], len(thread["frames"])), row
    assert any(row["waits_for"] and row["held_by"] for row in rows), "a thread waits for a monitor that another one has"
    if jdk.number >= 11:
        by_cpu = json.loads(ask(hprof, "threads", pid, "--format", "json", "--sort", "cpu_ms")[0])
        times = [row["cpu_ms"] for row in by_cpu if row["cpu_ms"] is not None]
        assert times and times == sorted(times, reverse=True)


@pytest.mark.everyday(25)
@pytest.mark.jdks(17, 25)
def test_a_view_of_a_span_has_the_events_that_print_has(hprof, views, jdk):    # noqa: F811
    file = views(jdk) / "x.jfr"
    every = rows_of(ask(hprof, "jfr", "view", "jdk.CPULoad", file, "-n", 10000, "--format", "csv")[0])
    moments = sorted(int(row["startTime"]) for row in every)
    first, last = (datetime.datetime.utcfromtimestamp(moments[at] // 10**9).isoformat() + ".%09dZ" % (moments[at] % 10**9)
                   for at in (len(moments) // 3, len(moments) * 2 // 3))
    for span in ([], ["--from", first], ["--to", last], ["--from", first, "--to", last], ["--from", "+0s"]):
        rows = rows_of(ask(hprof, "jfr", "view", "jdk.CPULoad", file, *span, "-n", 10000, "--format", "csv")[0])
        events = json.loads(ask(hprof, "jfr", "print", "--json", "--events", "CPULoad", *span, file)[0])["recording"]["events"]
        assert len(rows) == len(events) > 0, span
        assert (len(rows) == len(every)) == (span in ([], ["--from", "+0s"])), span
        assert [float(row["machineTotal"]) for row in rows] == pytest.approx([event["values"]["machineTotal"] for event in events])
        (count,) = [row for row in rows_of(ask(hprof, "jfr", "view", "events-by-name", file, *span, "--format", "csv")[0])
                    if row["event"] == "jdk.CPULoad"]
        assert int(count["count"]) == len(events)


@pytest.mark.everyday(25)
@pytest.mark.jdks(17, 25)
def test_every_view_is_sorted_by_each_of_its_columns(hprof, views, jdk):    # noqa: F811
    file = views(jdk) / "x.jfr"
    every = json.loads(ask(hprof, "jfr", "view", "all-views", file, "--format", "json")[0])
    tables = {row["table"]: row for row in every}
    assert len(tables) > 40
    for table, first in tables.items():
        for column in set(first) - {"table"}:
            rows = json.loads(ask(hprof, "jfr", "view", table, file, "-n", 100000, "--sort", column + ":asc", "--format", "json")[0])
            values = [row[column] for row in rows if row[column] is not None]
            assert values == sorted(values, key=lambda v: (1, v.encode()) if isinstance(v, str) else (0, v)), (table, column)
            assert [row[column] is None for row in rows] == sorted(row[column] is None for row in rows)


# Views that have no SQL; docs/tables.md says why.
UNSAID = {"pinned-threads", "memory-leaks-by-site", "gc-allocation-trigger", "class-modifications", "active-settings", "settings"}


def plain(rows):
    """The header, and the rows in one order: numbers as they are told apart with nine digits. A view writes the number of a hidden class
    behind a point, and knows frames of reflection that are hidden by a mark (docs/tables.md)."""
    def cell(text):
        try:
            return float("%.9g" % float(text))
        except ValueError:
            text = re.sub(r"/(0x[0-9a-f]+)", r".\1", text)
            return re.sub(r"^(jdk\.internal\.reflect|java\.lang\.reflect|java\.lang\.invoke)\..*\(.*", "reflection", text)
    return rows[0], sorted([[cell(text) for text in row] for row in rows[1:]], key=str)


def are_alike(rows, others, different):
    """Whether they are the same but for so many rows: a view knows hidden frames by a mark, such as that of Thread.runWith() (docs/tables.md)."""
    (head, ours), (other_head, theirs) = plain(rows), plain(others)
    return head == other_head and len(ours) == len(theirs) and sum(row not in theirs for row in ours) <= different


def lines_of(text):
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.everyday(25)
@pytest.mark.jdks(17, 25, "newest")
def test_every_view_has_its_rows_in_sql(hprof, views, jdk):    # noqa: F811
    file = views(jdk) / "x.jfr"
    every = json.loads(ask(hprof, "jfr", "view", "all-views", file, "--format", "json")[0])
    names = sorted({row["table"] for row in every})
    unsaid = UNSAID.intersection(names)
    compared = 0
    for name in [*names, "jdk.GarbageCollection", "jdk.FileRead", "jdk.CPULoad", "jdk.JavaMonitorEnter"]:
        if name in unsaid:
            said = ask(hprof, "jfr", "view", "--sql", name, file, status=1)[1]
            assert re.fullmatch(r"hprof: jfr: --sql: the view '\S+' cannot be said in SQL: .*\n", said), said
            continue
        view = lines_of(ask(hprof, "jfr", "view", name, file, "-n", 100000, "--format", "csv")[0])
        sql = ask(hprof, "jfr", "view", "--sql", name, file, "-n", 100000)[0]
        rows = lines_of(ask(hprof, "query", "--format", "csv", file, sql)[0])
        assert are_alike(rows, view, 2 if "top_method(" in sql else 0), "%s\n%s" % (name, sql)
        compared += len(view) > 1
    assert compared > 40 and len(unsaid) >= 2


@pytest.mark.everyday(25)
@pytest.mark.jdks(17, 25)
def test_tables_of_a_report_have_their_rows_in_sql(hprof, views, jdk):    # noqa: F811
    file = views(jdk) / "x.jfr"
    every = json.loads(ask(hprof, "report", file, "--format", "json")[0])
    compared = set()
    for table, event in [(row, None) for row in sorted({row["table"] for row in every})] + [("methods", "alloc"), ("names", "alloc"), ("names", "lock")]:
        options = ["--table", table, *(["--event", event] if event else [])]
        if table in ("contended-monitors", "wall-methods"):
            assert "cannot be said in SQL" in ask(hprof, "report", "--sql", *options, file, status=1)[1]
            continue
        report = lines_of(ask(hprof, "report", *options, "-n", 100000, "--format", "csv", file)[0])
        sql = ask(hprof, "report", "--sql", *options, "-n", 100000, file)[0]
        rows = lines_of(ask(hprof, "query", "--format", "csv", file, sql)[0])
        assert plain(rows) == plain(report), "%s %s\n%s" % (table, event, sql)
        compared.add(table)
    assert {"methods", "sites", "names"} <= compared
