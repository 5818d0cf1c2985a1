"""hprof export: what SQLite of Python, pyarrow and DuckDB read, against hprof query's answers about the recording itself.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import json
import math
import os
import re
import signal
import sqlite3
import subprocess

import export_questions
import foreign
import pytest
from conftest import ROOT, TIMEOUT_S, clean_environment, one_jdk
from test_jfr_read import programs, record, run    # noqa: F401
from test_query import rows

PYARROW, DUCKDB, CHDB = "26.0.1", "2.0.1", "4.4.0"
LARGEST = 2 ** 63 - 1
NUMBERS = ("input", "stack", "thread_id", "frame", "service")


def read(package, version, folder, *queries):
    python = foreign.pypi(package, version)
    return json.loads(subprocess.run([python, str(ROOT / "tests/jdk/readers/parquet_reader.py"), str(folder), *queries], check=True,
                                     stdout=subprocess.PIPE, timeout=TIMEOUT_S).stdout)


def database(path):
    connection = sqlite3.connect(str(path))
    connection.row_factory = sqlite3.Row
    return connection


def counted(said):
    """Rows in any order, without the numbers by which tables name rows of each other; of characters that control a terminal one shows '?'."""
    def plain(value):
        if isinstance(value, float) and math.isinf(value):
            return None    # JSON has no such number
        if isinstance(value, float) and value == 0:
            return 0.0    # SQLite keeps no sign of it
        return min(value, LARGEST) if isinstance(value, (int, float)) else re.sub("[\x00-\x1f\x7f-\x9f]", "?", value) if value else value
    return collections.Counter(json.dumps({key: plain(value) for key, value in row.items()
                                           if key not in NUMBERS and not key.endswith(".id")}, sort_keys=True) for row in said)


@pytest.mark.jdks(8, 17, 25, "newest")
def test_both_forms_have_every_event_as_queries_answer(jdk, hprof, record, tmp_path):    # noqa: F811
    record(jdk, tmp_path, "profile")
    run([hprof, "export", "x.jfr", "--to", "sqlite", "-o", "x.db"], tmp_path)
    run([hprof, "export", "x.jfr", "--to", "parquet", "-o", "out"], tmp_path)
    parquet = read("pyarrow", PYARROW, tmp_path / "out")
    db = database(tmp_path / "x.db")
    types = {row["type"]: row["n"] for row in rows(hprof, tmp_path, "select type, count(*) as n from events group by type")}
    assert types.keys() == parquet.keys() - {"stacks", "frames", "threads", "inputs"}
    for name, count in types.items():
        in_sqlite = [dict(row) for row in db.execute('select * from "%s"' % name)]
        assert len(in_sqlite) == count and counted(in_sqlite) == counted(parquet[name]), name
        # stack_text() compares stacks, whose numbers are of one run each.
        # A field with the name of a column of all events, or of a folder, is another column here; a query has the field alone.
        kept = [key for key in in_sqlite[0] if key not in NUMBERS and key + "#2" not in in_sqlite[0]]
        columns = ['"%s" as "%s"' % (key[:-2] if key.endswith("#2") else key, key) for key in kept]
        asked = rows(hprof, tmp_path, 'select %s from "%s"' % (", ".join(columns), name))
        in_sqlite = [{key: row[key] for key in kept} for row in in_sqlite]
        assert counted(asked) == counted(in_sqlite), name
    name = max((name for name in types if "Allocation" in name), key=types.get)
    texts = db.execute("""select group_concat(name, ' < ') as text from
        (select e.rowid as event, f.name as name from "%s" e join stacks s using (input, stack)
         join frames f using (input, frame) order by e.rowid, s.depth) group by event""" % name).fetchall()
    asked = rows(hprof, tmp_path, 'select stack_text(stack) as text from "%s" where stack is not null' % name)
    shown = sorted(row["text"] for row in asked if row["text"])    # an event may have a stack without frames
    assert sorted(row["text"] for row in texts) == shown and shown
    assert counted(map(dict, db.execute("select * from frames"))) == counted(parquet["frames"])
    assert counted(map(dict, db.execute("select * from threads"))) == counted(parquet["threads"])
    assert db.execute("select count(*) from stacks").fetchone()[0] == len(parquet["stacks"])
    (one,), (other,) = db.execute("select * from inputs").fetchall(), parquet["inputs"]
    assert one["service"] == "Recorded" and other["pid"] == one["pid"] and other["name"] == "x.jfr"


@pytest.mark.jdks("newest")
def test_duckdb_answers_questions_of_several_runs(jdk, hprof, record, tmp_path):    # noqa: F811
    record(jdk, tmp_path, "profile")
    for version in ("1", "2"):
        run([hprof, "export", "x.jfr", "--to", "parquet", "-o", "out", "--flat", "--label", "version=" + version, "--service", "a/b c"], tmp_path)
    events = "read_parquet('%s/out/events/*/*/type=%s/*.parquet', hive_partitioning = true)"
    allocation = events % (tmp_path, "jdk.ObjectAllocationSample")
    said = read("duckdb", DUCKDB, tmp_path / "out",
                "select version, count(*), quantile_disc(weight, 0.99) from %s group by 1 order by 1" % allocation,
                "select thread, objectClass, sum(weight)::bigint from %s where version = '1' group by 1, 2" % allocation,
                "select top, count(*) from %s where version = '2' group by 1" % allocation,
                """select f.name, count(*) from %s e join '%s/out/stacks/*/*.parquet' s on s.input = e.input and s.stack = e.stack and s.depth = 0
                   join '%s/out/frames/*/*.parquet' f on f.input = s.input and f.frame = s.frame where version = '2' group by 1"""
                % (allocation, tmp_path, tmp_path),
                "select distinct service from " + allocation,
                "select count(distinct input) from '%s/out/inputs/*/*.parquet'" % tmp_path)
    asked = rows(hprof, tmp_path, 'select count(*) as n, max(weight) as size from "jdk.ObjectAllocationSample"')[0]
    assert [row[:2] for row in said[0]] == [["1", asked["n"]], ["2", asked["n"]]] and said[0][0] == ["1", *said[0][1][1:]]
    asked = rows(hprof, tmp_path, 'select thread, objectClass as c, sum(weight) as b from "jdk.ObjectAllocationSample" group by 1, 2')
    assert sorted(map(tuple, said[1]), key=str) == sorted(((row["thread"], row["c"], row["b"]) for row in asked), key=str)
    asked = rows(hprof, tmp_path, 'select top_frame(stack) as f, count(*) as n from "jdk.ObjectAllocationSample" where stack is not null group by 1')
    tops = sorted((row["f"], row["n"]) for row in asked)
    assert sorted(tuple(row) for row in said[2] if row[0] is not None) == tops and sorted(map(tuple, said[3])) == tops
    assert said[4] == [["a/b c"]] and said[5] == [[2]]


@pytest.mark.jdks("newest")
def test_duckdb_answers_the_questions_that_the_page_asks(jdk, hprof, record, tmp_path):    # noqa: F811
    record(jdk, tmp_path, "profile")
    for version, times in (("2.0", 1), ("2.1", 4)):
        for number in range(2):
            (tmp_path / ("%d.jfr" % number)).write_bytes((tmp_path / "x.jfr").read_bytes() * (times if number else 1))
        run([hprof, "export", "0.jfr", "1.jfr", "--to", "parquet", "-o", "out", "--flat", "--label", "version=" + version, "--label", "tenant=t" + version,
             "--service", "shop"], tmp_path)
    asked = export_questions.questions(tmp_path / "out")
    said = dict(zip([title for title, _ in asked], read("duckdb", DUCKDB, tmp_path / "out", *[sql for _, sql in asked])))
    assert len(asked) >= 10 and all(said[title] for title in said), said

    def answer(sql):
        return [tuple(row.values()) for row in rows(hprof, tmp_path, sql)]

    copies, ours = {"2.0": 2, "2.1": 5}, list(said.values())
    samples, waits, allocated = ('"jdk.ExecutionSample"', '"jdk.JavaMonitorEnter"', '"jdk.ObjectAllocationSample"')
    count = answer("select count(*) from " + waits)[0][0]
    assert [(row[0], row[2]) for row in ours[0]] == [(version, count * n) for version, n in copies.items()] and all(row[1] > 0 for row in ours[0])
    hot = answer("select top_frame(stack), count(*) * 7 from %s where top_frame(stack) is not null group by 1 order by 2 desc, 1 limit 20" % samples)
    assert list(map(tuple, ours[1])) == list(map(tuple, ours[2])) == hot
    assert all(abs(row[1]) < 1e-9 for row in ours[3])    # the releases differ in how much they did, not in what
    size = answer("select sum(bytes) from " + allocated)[0][0]
    assert ours[4] == [["t2.1", size * 5], ["t2.0", size * 2]]
    share = answer("select avg(coalesce(stack_text(stack) like '%%java.util.%%', 0)) from %s" % samples)[0][0]
    assert ours[6][0][0] == "shop" and ours[6][0][1] == pytest.approx(share)
    assert ours[7][0][:3] == pytest.approx([share] * 3) and ours[7][0][3] == 4
    assert [row[1:] for row in ours[8]] == [["1.jfr", size * 4]]
    assert sum(row[3] for row in ours[9]) == count * 7
    assert sum(row[3] for row in ours[10]) == answer("select count(*) * 7 from " + samples)[0][0]


@pytest.mark.jdks("newest")
def test_clickhouse_reads_the_files(jdk, hprof, record, tmp_path):    # noqa: F811
    record(jdk, tmp_path, "profile")
    run([hprof, "export", "x.jfr", "--to", "parquet", "-o", "out", "--flat", "--label", "version=1"], tmp_path)
    tables = {"stacks": "stacks/*", "frames": "frames/*", "threads": "threads/*", "jdk.ObjectAllocationSample": "events/*/*/type=jdk.ObjectAllocationSample"}
    said = read("chdb", CHDB, tmp_path / "out", *["select * from file('%s/out/%s/*.parquet', Parquet)" % (tmp_path, folder) for folder in tables.values()])
    found = read("pyarrow", PYARROW, tmp_path / "out")
    for name, in_clickhouse in zip(tables, said):
        columns = len(found[name][0])    # behind them ClickHouse has those of the folders
        assert sorted(str(row[:columns]) for row in in_clickhouse) == sorted(str(list(row.values())) for row in found[name]), name
        assert {row[-1] for row in in_clickhouse} <= {"Recorded", name}


@one_jdk
def test_many_row_groups_are_read_as_one(jdk, hprof, record, tmp_path):    # noqa: F811
    part = record(jdk, tmp_path, "profile").read_bytes()
    (tmp_path / "many.jfr").write_bytes(part * 8)
    run([hprof, "export", "many.jfr", "--to", "parquet", "-o", "out", "--memory", "64m"], tmp_path)
    found = read("pyarrow", PYARROW, tmp_path / "out")
    asked = rows(hprof, tmp_path, "select type, count(*) as n, sum(duration) as d from events group by type", "many.jfr")
    assert {row["type"]: (row["n"], row["d"]) for row in asked} == \
        {name: (len(said), sum(row["duration"] for row in said)) for name, said in found.items()
         if name not in ("stacks", "frames", "threads", "inputs")}


def names(folder):
    return sorted(os.path.relpath(os.path.join(where, name), str(folder)) for where, _, files in os.walk(str(folder)) for name in files)


@one_jdk
def test_a_run_that_fails_leaves_nothing_and_changes_nothing(jdk, hprof, record, tmp_path):    # noqa: F811
    part = record(jdk, tmp_path, "profile").read_bytes()
    run([hprof, "export", "x.jfr", "--to", "parquet", "-o", "out"], tmp_path)
    run([hprof, "export", "x.jfr", "--to", "sqlite", "-o", "x.db"], tmp_path)
    before = names(tmp_path), (tmp_path / "x.db").read_bytes()
    run([hprof, "export", "x.jfr", "missing.jfr", "--to", "parquet", "-o", "out"], tmp_path, status=1)
    run([hprof, "export", "x.jfr", "missing.jfr", "--to", "sqlite", "-o", "y.db"], tmp_path, status=1)
    run([hprof, "export", "x.jfr", "--to", "sqlite", "-o", "x.db"], tmp_path, status=1)
    run([hprof, "export", "x.jfr", "missing.jfr", "--to", "sqlite", "-o", "x.db", "--append"], tmp_path, status=1)
    assert (names(tmp_path), (tmp_path / "x.db").read_bytes()) == before
    (tmp_path / "many.jfr").write_bytes(part * 200)
    before = names(tmp_path)
    for form, output in (("parquet", "out"), ("sqlite", "y.db")):
        with subprocess.Popen([hprof, "export", "many.jfr", "--to", form, "-o", output], cwd=str(tmp_path), env=clean_environment(),
                              stderr=subprocess.PIPE) as process:
            while process.poll() is None and names(tmp_path) == before:
                pass
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=TIMEOUT_S)[1]
        assert process.returncode == 1 and b"interrupted" in said, said
        assert names(tmp_path) == before
