"""What `hprof heap` says of objects, loaders, threads and growth, about programs of which the test knows the answer.

SPDX-License-Identifier: Apache-2.0
"""
import json
import time

import pytest
from asking import ask, told

JDKS = pytest.mark.jdks(8, 17, 25, "newest")
WAYS = pytest.mark.parametrize("way", ["command", "jcmd"])
WORDS = ["one", "two", "three", "four", "five"]


@pytest.fixture(scope="module")
def dumps(tmp_path_factory):
    """dumps[jdk, program, way]: dumps that were made already."""
    return {"folder": tmp_path_factory.mktemp("dumps")}


@pytest.fixture
def dump_of(dumps, hprof, start_java, jdk):
    """dump_of(program, way): a dump of the sleeping program by our command or by jcmd."""
    def get(program, way):
        if (jdk.id, program, way) not in dumps:
            path = dumps["folder"] / ("%s-%s-%s.hprof" % (jdk.id, program, way))
            java = start_java(jdk, None, program, 600000)
            java.wait_for_stdout("ready")
            if way == "command":
                ask(hprof, "dump-heap", "--fork", java.pid, path)
            else:
                assert "created" in told(jdk, "jcmd", java.pid, "GC.heap_dump", "-all", path)
            dumps[jdk.id, program, way] = path
        return dumps[jdk.id, program, way]
    return get


@pytest.fixture
def answer(hprof):
    """answer(dump, *words): what `hprof heap --json` says."""
    def get(dump, *words):
        out, err = ask(hprof, "heap", "--json", dump, *words)
        assert err == ""
        return json.loads(out)
    return get


def fields_of(answer, dump, class_name):
    """The static fields of a class: name to value."""
    return {row["field"]: row["value"] for row in answer(dump, "-n", 1000, "show", class_name)["rows"]}


def text_of(answer, dump, value):
    """The text of a String that an answer names."""
    return answer(dump, "--values", "show", value["id"])["text"]


@JDKS
@WAYS
def test_objects_of_well_known_classes_are_told_as_what_they_are(answer, dump_of, jdk, way):
    dump = dump_of("HeapShows", way)
    fields = fields_of(answer, dump, "HeapShows")

    def show(field, *words):
        return answer(dump, "--values", *words, "show", fields[field]["id"])

    def elements(field):
        said = show(field)["decoded"]
        assert said["kind"] == "collection" and said["size"] == len(said["elements"]), field
        return [text_of(answer, dump, value) for value in said["elements"]]

    def entries(field):
        said = show(field)["decoded"]
        assert said["kind"] == "map" and said["size"] == len(said["entries"]), field
        return {text_of(answer, dump, row["key"]): show_value(row["value"]) for row in said["entries"]}

    def show_value(value):
        return answer(dump, "--values", "show", value["id"])["decoded"]["values"][0]["value"]

    assert show("latin")["text"] == "gr\u00fc\u00df Gott" and show("wide")["text"] == "\u4f60\u597d, \U0001f600"
    assert show("wide")["decoded"]["characters"] == 6
    assert "text" not in answer(dump, "show", fields["latin"]["id"]), "contents are not shown unless asked for"
    for field in ("arrayList", "vector", "linkedList", "copied", "queue", "ring", "linkedSet", "unmodifiable"):
        listed = elements(field)
        assert (listed if field != "linkedSet" else sorted(listed)) == (WORDS if field != "linkedSet" else sorted(WORDS)), field
    for field in ("hashSet", "keySet", "heapQueue"):
        assert sorted(elements(field)) == sorted(WORDS), field
    assert elements("treeSet") == sorted(WORDS)
    for field in ("hashMap", "linkedMap", "treeMap", "table", "weakMap", "identity", "concurrent"):
        assert entries(field) == {word: 1000 + i for i, word in enumerate(WORDS)}, field
    for field in ("tree", "concurrentTree"):
        said = show(field)["decoded"]
        assert sorted(show_value(row["value"]) for row in said["entries"]) == list(range(20)), field
    enums = show("enums")["decoded"]
    assert [text_of(answer, dump, row["value"]) for row in enums["entries"]] in (["hour", "day"], ["day", "hour"])
    assert all(row["key"]["class"].startswith("java.util.concurrent.TimeUnit") for row in enums["entries"])
    assert show("properties")["decoded"]["size"] == 1
    if jdk.number >= 9:
        assert elements("listOf") == WORDS[:3] and elements("listOfTwo") == WORDS[:2]
        assert sorted(elements("setOf")) == sorted(WORDS[:4])
        assert [text_of(answer, dump, row["key"]) for row in show("mapOf")["decoded"]["entries"]] in (
            [WORDS[0], WORDS[2]], [WORDS[2], WORDS[0]])


@JDKS
@WAYS
def test_values_and_buffers_are_told_as_what_they_are(answer, dump_of, way):
    dump = dump_of("HeapShows", way)
    fields = fields_of(answer, dump, "HeapShows")

    def decoded(field, *words):
        return answer(dump, *words, "show", fields[field]["id"])["decoded"]

    assert text_of(answer, dump, decoded("present")["values"][0]["value"]) == "present"
    assert not decoded("empty")["is_present"] and not decoded("none")["is_present"]
    assert decoded("number", "--values")["values"] == [{"value": 42}]
    assert decoded("atomic", "--values")["values"] == [{"value": 4711}] and decoded("box", "--values")["values"] == [{"value": 123456}]
    assert decoded("real", "--values")["values"] == [{"value": "2.5"}]
    assert decoded("box")["values"] == [{"value": "(left out)"}]
    said = decoded("heapBuffer", "--values")
    assert (said["capacity"], said["limit"], said["position"], said["is_direct"]) == (10, 6, 2, False)
    assert bytes.fromhex(said["bytes"].replace(" ", "")) == b"2345" and "bytes" not in decoded("heapBuffer")
    said = decoded("direct")
    assert said["capacity"] == 4096 and said["is_direct"] and int(said["address"], 16) > 0
    assert decoded("view")["view_of"].startswith("java.nio.DirectByteBuffer @ ")


@JDKS
@WAYS
def test_each_root_that_holds_an_object_has_a_path(hprof, answer, dump_of, way):
    dump = dump_of("HeapShows", way)
    longs = answer(dump, "-n", 1000, "arrays")
    assert longs["arrays"] > 0
    # The array of 1000 longs is the only one, and only roots dominate it.
    rows = answer(dump, "-n", 100000, "tree")["rows"]
    shared = next(row for row in rows if row["class"] == "long[]" and row["length"] == 1000)["id"]
    said = answer(dump, "--all", "path", shared)
    assert said["paths"] == 3 and len(said["other_paths"]) == 2
    paths = [said["rows"]] + [row["rows"] for row in said["other_paths"]]
    assert [len(path) for path in paths] == [2, 3, 4], "the shortest first"
    assert [path[0]["thread"] for path in paths] == ["keeper 0", "keeper 1", "keeper 2"]
    assert all(path[-1]["id"] == shared for path in paths)
    assert answer(dump, "path", shared)["other_paths"] == []
    assert answer(dump, "path", shared)["rows"] == said["rows"]
    assert len(answer(dump, "-n", 2, "path", shared)["other_paths"]) == 1
    assert "--all shows all" in ask(hprof, "heap", "-n", 2, dump, "path", shared)[0]


@JDKS
@WAYS
def test_a_histogram_by_class_loader_and_package_counts_the_same(answer, dump_of, way):
    dump = dump_of("HeapGone", way)
    said = {by: answer(dump, "-n", 100000, "histo", "--by", by) for by in ("class", "loader", "package")}
    for by, histo in said.items():
        assert histo["by"] == by
        assert sum(row["objects"] for row in histo["rows"]) == histo["objects"], by
        assert sum(row["shallow_bytes"] for row in histo["rows"]) == histo["bytes"], by
    loaders = [row for row in said["loader"]["rows"] if row["loader"] == "HeapGone$AppLoader"]
    assert len(loaders) == 5 and all(row["objects"] == 1 and row["retained_bytes"] > 100000 for row in loaders)
    boot = next(row for row in said["loader"]["rows"] if row["id"] is None)
    assert boot["loader"] == "boot loader" and boot["objects"] > 1000
    packages = {row["package"]: row for row in said["package"]["rows"]}
    assert packages["java.util"]["objects"] > 50 and packages["(primitive arrays)"]["shallow_bytes"] >= 500000
    assert packages[""]["retained_bytes"] >= 500000
    app = next(row for row in said["class"]["rows"] if row["class"] == "HeapGone$App")
    assert app["largest"]["retained_bytes"] > 0
    tops = answer(dump, "-n", 1000, "top")
    assert all(tops[key] == sorted(tops[key], key=lambda row: -row["retained_bytes"]) for key in ("loaders", "packages", "classes"))
    assert sum(row["retained_bytes"] for row in tops["loaders"]) == sum(row["retained_bytes"] for row in tops["packages"])


@JDKS
@WAYS
def test_each_way_in_which_a_loader_stays_is_told(answer, dump_of, way):
    dump = dump_of("HeapGone", way)
    said = answer(dump, "-n", 1000, "loaders")
    assert {"loaders": 5, "class": "HeapGone$App"} in said["duplicates"]
    assert said["should_be_gone_count"] == 3, "a thread still uses one of the old ones"
    ways = {}
    for dead in said["should_be_gone"]:
        how = next(row["value"] for row in answer(dump, "show", dead["id"])["rows"] if row["field"] == "how")
        ways[text_of(answer, dump, how)] = [row["reference"] for row in dead["path"]]
        assert dead["retained_bytes"] > 100000
    assert sorted(ways) == ["listener", "shutdown hook", "thread local"]
    assert "static field LISTENERS" in ways["listener"]
    assert "field threadLocals" in ways["thread local"] and "field value" in ways["thread local"]
    assert "field contextClassLoader" in ways["shutdown hook"]


@pytest.mark.jdks(8, 25)
def test_growth_by_site_and_its_trend(hprof, answer, start_java, jdk, tmp_path):
    files = []
    for number in range(4):
        files.append(tmp_path / ("%d.hprof" % number))
        java = start_java(jdk, "heap=all,format=b,file=%s" % files[-1], "HeapHolds", 3000 + number * 1000, 0)
        assert java.end().rc == 0
        time.sleep(1.1)
    said = json.loads(ask(hprof, "heap", "--json", "diff", *files)[0])
    assert [row["kind"] for row in said["files"]] == ["dump"] * 4 and said["files"][0]["milliseconds"] == 0
    assert 3_000_000 < said["growth"] < 3_900_000
    assert said["slope_low"] < said["slope_per_hour"] < said["slope_high"]
    assert 0.5 < said["slope_per_hour"] / said["growth_per_hour"] < 2 and said["slope_low"] > 0
    site = next(row for row in said["sites"] if row["site"].startswith("HeapHolds.leaked(HeapHolds.java:"))
    assert " < HeapHolds.main(" in site["site"]
    assert site["objects"] == 3000 and site["retained_bytes"] == site["shallow_bytes"] >= 3_000_000
    rows = {row["class"]: row for row in said["classes"]}
    assert rows["byte[]"]["objects"] >= 3000 and rows["byte[]"]["slope_low"] > 0
    two = json.loads(ask(hprof, "heap", "--json", "diff", files[0], files[3])[0])
    assert "slope_per_hour" not in two and two["growth"] == said["growth"]


@JDKS
def test_saved_histograms_are_compared_and_with_dumps_too(hprof, start_java, jdk, tmp_path):
    saved = []
    for entries in (3000, 5000):
        java = start_java(jdk, None, "HeapHolds", entries, 600000)
        java.wait_for_stdout("ready")
        saved.append(tmp_path / ("%d.txt" % entries))
        saved[-1].write_text(ask(hprof, "histo", "--live", java.pid)[0])
    dump = tmp_path / "after.hprof"
    ask(hprof, "dump-heap", "--fork", java.pid, dump)
    said = json.loads(ask(hprof, "heap", "--json", "diff", *saved)[0])
    assert [row["kind"] for row in said["files"]] == ["histogram", "histogram"] and said["paths"] == []
    rows = {row["class"]: row for row in said["classes"]}
    assert rows["java.util.HashMap$Node"]["objects"] == 2000 and 2_000_000 <= rows["byte[]"]["shallow_bytes"] < 2_300_000
    assert "retained_bytes" not in rows["byte[]"] and rows["byte[]"]["shallow_bytes_after"] > 5_000_000
    mixed = json.loads(ask(hprof, "heap", "--json", "diff", saved[0], dump)[0])
    both = {row["class"]: row for row in mixed["classes"]}
    assert both["java.util.HashMap$Node"]["objects"] >= 2000 and both["byte[]"]["shallow_bytes"] >= 1_900_000
    assert "own sizes are compared" in ask(hprof, "heap", "diff", saved[0], dump)[0]
    out, _ = ask(hprof, "heap", "diff", "--fail-above", "10%:byte[]", *saved, status=1)
    assert "byte[] takes more by more than 10%, which is the limit" in out
    ask(hprof, "heap", "diff", "--fail-above", "10%:byte[]", *reversed(saved))


@JDKS
def test_allocation_of_a_recording_beside_what_the_heap_holds(hprof, run_java, jdk, tmp_path):
    recording, dump = tmp_path / "alloc.jfr", tmp_path / "x.hprof"
    # Two recordings of one program: one of allocations, and one that has the heap with its sites at the end.
    assert run_java(jdk, "event=alloc,alloc=16k,file=%s" % recording, "HeapHolds", 20000, 0).rc == 0
    assert run_java(jdk, "heap=all,format=b,file=%s" % dump, "HeapHolds", 20000, 0).rc == 0
    said = json.loads(ask(hprof, "heap", "--json", dump, "join", recording)[0])
    assert said["recording"] == str(recording) and said["recorded_ms"] > 0 and said["allocated_bytes"] > 10_000_000
    rows = {row["class"]: row for row in said["classes"]}
    held = rows["byte[]"]
    assert held["allocated_bytes"] > 10_000_000 and held["objects"] >= 20000 and held["shallow_bytes"] > 20_000_000
    assert held["allocated_bytes_per_second"] > 0 and held["turnover_seconds"] is not None
    sites = {row["site"]: row for row in said["sites"]}
    site = sites["HeapHolds.leaked < HeapHolds.main"]
    assert 20000 <= site["objects"] < 20100 and site["allocated_bytes"] > 5_000_000
    _, err = ask(hprof, "heap", dump, "join", dump.with_name("missing.jfr"), status=1)
    assert "missing.jfr" in err
