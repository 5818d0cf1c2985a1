"""The questions of `hprof heap` about a program of which the test knows what holds what, and what is wasted.

SPDX-License-Identifier: Apache-2.0
"""
import json

import pytest
from asking import ask, told

ENTRIES = 3000


@pytest.fixture(scope="module")
def dumps(tmp_path_factory):
    """dumps[jdk, way]: dumps that were made already, because all tests here can use one."""
    return {"folder": tmp_path_factory.mktemp("dumps")}


def dump_of(dumps, hprof, start_java, jdk, way):
    """A dump of HeapHolds by our command, by jcmd, or by the agent at the end, which knows where objects were allocated."""
    if (jdk.id, way) not in dumps:
        path = dumps["folder"] / ("%s-%s.hprof" % (jdk.id, way))
        if way == "agent":
            java = start_java(jdk, "heap=all,format=b,file=%s" % path, "HeapHolds", ENTRIES, 0)
            assert java.end().rc == 0
        else:
            java = start_java(jdk, None, "HeapHolds", ENTRIES, 600000)
            java.wait_for_stdout("ready")
            if way == "command":
                ask(hprof, "dump-heap", "--fork", java.pid, path)
            else:
                assert "created" in told(jdk, "jcmd", java.pid, "GC.heap_dump", "-all", path)
        dumps[jdk.id, way] = path
    return dumps[jdk.id, way]


@pytest.fixture
def answer(dumps, hprof, start_java, jdk):
    """answer(way, *words): what `hprof heap --json` says of the dump."""
    def get(way, *words):
        out, err = ask(hprof, "heap", "--json", "-n", 1000, dump_of(dumps, hprof, start_java, jdk, way), *words)
        assert err == ""
        return json.loads(out)
    return get


WAYS = pytest.mark.parametrize("way", ["command", "jcmd"])
JDKS = pytest.mark.jdks(8, 17, 25, "newest")


@JDKS
@WAYS
def test_the_leak_is_the_first_suspect(answer, way):
    said = answer(way, "suspects")
    first = said["suspects"][0]
    assert first["kind"] == "object" and first["percent"] > 40
    place = first["accumulation"][0]
    assert place["name"] == "java.util.HashMap$Node[]" and place["retained_bytes"] > ENTRIES * 1000
    assert first["children"][0]["class"] == "java.util.HashMap$Node" and first["children"][0]["objects"] > ENTRIES / 2
    assert [row["object"] for row in first["path"]][-2:] == ["java.util.HashMap", "java.util.HashMap$Node[]"]
    assert first["path"][-1]["reference"] == "field table"
    # A local of a frame and a static field hold the map; either is a shortest way.
    assert any("HeapHolds" in row["reference"] or row["reference"] == "static field LEAK" for row in first["path"])


@JDKS
@WAYS
def test_copies_of_strings_are_found_with_who_holds_them(answer, way):
    said = answer(way, "strings")
    assert 499 <= said["copies"] and said["wasted_bytes"] < said["bytes"] / 2
    first = said["duplicates"][0]
    assert first["characters"] == len("a text that is there often") and 500 <= first["strings"] <= 501
    assert "text" not in first, "contents are not shown unless asked for"
    assert said["fields"][0]["field"] == "elements of java.lang.Object[]" and said["fields"][0]["objects"] >= 499
    assert answer(way, "strings", "--values")["duplicates"][0]["text"] == "a text that is there often"


@JDKS
@WAYS
def test_empty_and_sparse_collections_and_collisions(answer, way):
    said = answer(way, "collections")
    rows = {row["class"]: row for row in said["classes"]}
    assert rows["java.util.ArrayList"]["empty"] >= 100
    assert rows["java.util.HashMap"]["sparse"] >= 100
    assert rows["java.util.HashMap"]["unused_bytes"] >= 100 * 1000 * 4
    for name in ("java.util.ArrayDeque", "java.util.TreeMap", "java.util.LinkedList"):
        assert rows[name]["elements"] >= 10, name
    assert rows["java.util.concurrent.ConcurrentHashMap"]["elements"] >= 10
    worst = said["colliding"][0]
    assert worst["entries"] == 60 and worst["used_buckets"] == 1 and worst["expected_buckets"] > 40
    fields = {row["field"]: row for row in said["fields"]}
    assert fields["static HeapHolds.LEAK"]["objects"] == 1


@JDKS
@WAYS
def test_boxed_numbers_and_their_copies(answer, way):
    said = answer(way, "boxes")
    rows = {row["class"]: row for row in said["classes"]}
    assert rows["java.lang.Integer"]["copies"] >= 299 and rows["java.lang.Long"]["objects"] >= 200
    assert said["duplicates"][0]["objects"] == 300 and "value" not in said["duplicates"][0]
    assert answer(way, "boxes", "--values")["duplicates"][0]["value"] == "77777"


@JDKS
@WAYS
def test_arrays_of_zeros_and_of_null(answer, way):
    said = answer(way, "arrays")
    rows = {row["class"]: row for row in said["classes"]}
    assert rows["byte[]"]["zeros"] >= ENTRIES and rows["int[]"]["zeros"] >= 20
    assert rows["java.lang.Object[]"]["null_bytes"] >= 4999 * 4
    fields = {row["field"]: row for row in said["fields"]}
    assert fields["java.util.HashMap$Node.value"]["objects"] >= ENTRIES
    assert fields["elements of int[][]"]["objects"] >= 20


@JDKS
@WAYS
def test_a_thread_with_its_stack_locals_and_thread_locals(answer, way):
    said = answer(way, "threads")
    thread = next(row for row in said["stacks"] if row["name"] == "holder of locals")
    assert thread["state"] == "sleeping" and thread["retained_bytes"] > 700000
    assert any(row["frame"].startswith("HeapHolds.hold(HeapHolds.java:") for row in thread["frames"])
    local = next(row for row in thread["locals"] if row["object"] == "byte[]")
    assert local["retained_bytes"] >= 300000 and local["frame"].startswith("HeapHolds.hold(")
    kept = thread["thread_locals"][0]
    assert kept["value"] == "java.util.ArrayList" and kept["key"] == "java.lang.ThreadLocal"
    assert 400 * 1000 < kept["retained_bytes"] < 440 * 1000


@JDKS
@WAYS
def test_loaders_that_should_be_gone_and_what_keeps_them(answer, way):
    said = answer(way, "loaders")
    assert {"loaders": 3, "class": "HeapHolds$Plugin"} in said["duplicates"]
    assert said["should_be_gone_count"] == 2
    for dead in said["should_be_gone"]:
        assert dead["loader"].startswith("HeapHolds$PluginLoader") and dead["retained_bytes"] > 200000
        assert any(row["reference"] == "static field LISTENERS" for row in dead["path"])
    plugins = [row for row in said["loaders"] if row["loader"].startswith("HeapHolds$PluginLoader")]
    assert len(plugins) == 3 and all(row["classes"] == 1 for row in plugins)


@JDKS
@WAYS
def test_native_memory_of_direct_and_mapped_buffers(answer, way):
    said = answer(way, "direct")
    assert said["buffers"] == 4 and said["buffer_bytes"] == (6 << 20) + 65536
    assert said["reserved_bytes"] == 6 << 20 and said["views"] >= 1
    assert [row["native_bytes"] for row in said["largest"][:4]] == [3 << 20, 2 << 20, 1 << 20, 65536]
    rows = {row["what"]: row for row in said["kinds"]}
    assert rows["direct buffers"]["owners"] == 3 and rows["mapped files"]["native_bytes"] == 65536


@JDKS
def test_what_is_held_by_the_place_of_its_allocation(answer):
    said = answer("agent", "sites")
    leaked = next(row for row in said["sites"] if row["frames"][0]["frame"].startswith("HeapHolds.leaked("))
    assert leaked["objects"] == ENTRIES and leaked["retained_bytes"] >= ENTRIES * 1000
    assert leaked["retained_bytes"] == leaked["shallow_bytes"]
    first = answer("agent", "suspects")["suspects"][0]
    assert any(row["frame"].startswith("HeapHolds.main(") for row in first["allocated"])


@pytest.mark.jdks(17)
def test_a_dump_of_the_jvm_has_no_places(answer):
    said = answer("jcmd", "sites")
    assert said["sites"] == [] and said["with_trace"] == 0


@pytest.mark.jdks(8, 25)
def test_what_grew_between_two_dumps(jdk, hprof, start_java, dumps, tmp_path):
    before, after = dump_of(dumps, hprof, start_java, jdk, "agent"), tmp_path / "after.hprof"
    java = start_java(jdk, "heap=all,format=b,file=%s" % after, "HeapHolds", ENTRIES + 2000, 0)
    assert java.end().rc == 0
    said = json.loads(ask(hprof, "heap", "--json", "diff", before, after)[0])
    assert 2_000_000 < said["growth"] < 2_600_000 and said["milliseconds"] > 0
    path = said["paths"][0]
    assert path["path"].endswith("class HeapHolds > java.util.HashMap > java.util.HashMap$Node[] > java.util.HashMap$Node")
    assert path["retained_bytes"] > 2_000_000 and path["retained_bytes_per_hour"] > path["retained_bytes"]
    rows = {row["class"]: row for row in said["classes"]}
    assert rows["byte[]"]["objects"] >= 2000
    out, _ = ask(hprof, "heap", "diff", "--fail-above", "10%:total", before, after, status=1)
    assert "the heap retains more by more than 10%" in out
    ask(hprof, "heap", "diff", "--fail-above", "900%:byte[]", before, after)
    ask(hprof, "heap", "diff", "--fail-above", "10%:total", after, before)


@pytest.mark.jdks(17)
def test_a_redacted_dump_answers_the_same_but_for_contents(jdk, hprof, start_java, dumps, tmp_path):
    raw, safe = dump_of(dumps, hprof, start_java, jdk, "command"), tmp_path / "safe.hprof"
    ask(hprof, "redact", raw, safe)
    assert ask(hprof, "heap", "--json", raw, "direct") == ask(hprof, "heap", "--json", safe, "direct")
    first, second = (json.loads(ask(hprof, "heap", "--json", path, "suspects")[0])["suspects"] for path in (raw, safe))
    assert [row["id"] for row in first] == [row["id"] for row in second]
    assert [row["retained_bytes"] for row in first[0]["path"]] == [row["retained_bytes"] for row in second[0]["path"]]
    said = json.loads(ask(hprof, "heap", "--json", safe, "strings")[0])
    assert said["strings_of_zeros"] > said["strings"] * 0.9 and said["copies"] < 10    # empty ones
    assert "redacted" in ask(hprof, "heap", safe, "strings")[0]
