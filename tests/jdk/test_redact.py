"""hprof redact: dumps of real programs without what is in them, and what other readers find in the rest.

SPDX-License-Identifier: Apache-2.0
"""
import gzip
import re

import hprof_heap
import pytest
from asking import ask, told
from cores import make_core  # noqa: F401 (fixture)
from test_heapdump_readers import dump_of_graph, shark, visualvm  # noqa: F401 (fixtures)

CANARY = "CANARY-f3a91c07"
LITERAL = b"CANARY_IN_A_LITERAL"
NUMBERS = (b"CANARYNU", b"~PIN", b"BOXEDCAR", b"STATICLL")


def forms(text):
    """The bytes that the text may be in a dump."""
    return [text.encode("latin-1"), text.encode("utf-16-be"), text.encode("utf-16-le")]


def is_in(text, data):
    return any(form in data for form in forms(text))


def by_command(hprof, start_java, jdk, path):
    java = start_java(jdk, None, "HeapCanary", CANARY, 600000)
    java.wait_for_stdout("ready")
    ask(hprof, "dump-heap", "--fork", java.pid, path)


def by_jcmd(hprof, start_java, jdk, path):
    java = start_java(jdk, None, "HeapCanary", CANARY, 600000)
    java.wait_for_stdout("ready")
    assert "created" in told(jdk, "jcmd", java.pid, "GC.heap_dump", "-all", path)


def by_agent(hprof, start_java, jdk, path):
    java = start_java(jdk, "heap=dump,format=b,idsize=4,file=%s" % path, "HeapCanary", CANARY, 0)
    assert java.end().rc == 0


def check_same(before, after):
    """The same objects, classes, references, roots and traces."""
    assert set(before.objects) == set(after.objects)
    assert before.histogram() == after.histogram()
    assert before.roots == after.roots and before.traces == after.traces
    for number, thing in before.objects.items():
        other = after.objects[number]
        assert type(thing) is type(other) and before.references(thing) == after.references(other)
        if isinstance(thing, hprof_heap.Primitives):
            assert len(thing.data) == len(other.data) and not any(other.data)
    for number, cls in before.classes.items():
        other = after.classes[number]
        assert (cls.name, cls.super, cls.loader, cls.fields) == (other.name, other.super, other.loader, other.fields)
        assert before.references(cls) == after.references(other)


@pytest.mark.jdks(8, 17, 25)
@pytest.mark.parametrize("dump", [by_command, by_jcmd, by_agent], ids=["command", "jcmd", "agent"])
def test_no_text_of_the_program_is_left(jdk, dump, hprof, start_java, tmp_path):
    raw, safe = tmp_path / "raw.hprof", tmp_path / "safe.hprof"
    dump(hprof, start_java, jdk, raw)
    data = raw.read_bytes()
    assert is_in(CANARY, data) and all(number in data for number in NUMBERS)
    said = ask(hprof, "redact", raw, safe)
    assert "arrays zeroed" in said[1]
    left = safe.read_bytes()
    # Our own dumps name threads and the program; without --names these stay.
    thread = ("thread of " + CANARY).encode()
    assert not is_in(CANARY, left.replace(thread, b"")) and LITERAL not in left
    assert len(left) == len(data)
    check_same(hprof_heap.Heap(data), hprof_heap.Heap(left))
    assert all(number in left for number in NUMBERS)


@pytest.mark.jdks(8, 17, 25)
@pytest.mark.parametrize("dump", [by_command, by_jcmd], ids=["command", "jcmd"])
def test_with_all_and_names_no_number_and_no_name_is_left(jdk, dump, hprof, start_java, tmp_path):
    raw, safe = tmp_path / "raw.hprof", tmp_path / "safe.hprof.gz"
    dump(hprof, start_java, jdk, raw)
    ask(hprof, "redact", "--all", "--names", raw, safe)
    left = gzip.decompress(safe.read_bytes())
    assert not is_in(CANARY, left) and LITERAL not in left
    assert not any(number in left for number in NUMBERS)
    assert b"password" not in left and b"HeapCanary$Account" in left
    before, after = hprof_heap.Heap(raw.read_bytes()), hprof_heap.Heap(left)
    assert before.histogram() == after.histogram() and before.roots == after.roots
    for number, thing in before.objects.items():
        # By their places, because the names of fields are others.
        found = [[there for _, there in heap.references(heap.objects[number])] for heap in (before, after)]
        assert found[0] == found[1]
    account = after.fields(after.instances_of("HeapCanary$Account")[0])
    assert sum(1 for value in account.values() if value == 0) >= 2
    string = after.fields(after.instances_of("java.lang.String")[0])
    assert {"value", "hash"} <= set(string)


@pytest.mark.jdks(17)
def test_what_is_kept_has_its_values(jdk, hprof, start_java, tmp_path):
    raw, safe = tmp_path / "raw.hprof", tmp_path / "safe.hprof"
    by_command(hprof, start_java, jdk, raw)
    ask(hprof, "redact", "-a", "-k", "HeapCanary$Acc*", "-k", "char[]", raw, safe)
    heap, left = hprof_heap.Heap(safe.read_bytes()), safe.read_bytes()
    assert {heap.fields(one)["pin"] for one in heap.instances_of("HeapCanary$Account")} == {0x7E50494E}
    assert CANARY.encode("utf-16-be") in left and CANARY.encode() + b"17" not in left
    assert b"BOXEDCAR" not in left and b"STATICLL" not in left


@pytest.mark.jdks(8, 25)
@pytest.mark.parametrize("options", [(), ("--all",), ("--all", "--names")], ids=["arrays", "all", "names"])
def test_other_readers_find_the_same_objects(jdk, options, hprof, start_java, tmp_path, visualvm, shark):  # noqa: F811
    raw, safe = dump_of_graph(start_java, jdk, "heap=dump,idsize=8"), tmp_path / "safe.hprof"
    ask(hprof, "redact", *options, raw, safe)
    before, after = visualvm(raw), visualvm(safe)
    assert before[0] == after[0] and before[0].startswith("instances ")
    picked = [[line for line in said if line.startswith(("without a root", "rooted"))] for said in (before, after)]
    assert picked[0] == picked[1] and len(picked[0]) == 2
    assert ("number 0" if options else "number 123456789") in after or "--names" in options
    if "--names" not in options:    # it asks for fields by name
        before, after = shark(raw), shark(safe)
        assert before[:2] == after[:2]
        assert after[2] == "text " + 5 * "\0"


# ---- the same while a dump is written

KEEP = ("HeapCanary$Acc*", "char[]")


def check_kept_and_renamed(path):
    """What was written with KEEP, all values zeroed and all names replaced; the heap."""
    left = path.read_bytes()
    heap = hprof_heap.Heap(left)
    account = heap.instances_of("HeapCanary$Account")[0]
    names = set(heap.fields(account))
    assert len(names) == 7 and all(re.fullmatch(r"name\d+", name) for name in names)
    assert {0x7E50494E, 0x43414E4152594E55} <= set(heap.fields(account).values())
    assert CANARY.encode("utf-16-be") in left and b"BOXEDCAR" not in left and b"STATICLL" not in left
    assert CANARY.encode() not in left and LITERAL not in left and b"password" not in left
    assert b"HeapCanary$Account" in left and b"accounts" not in left and b"HeapCanary.java" not in left
    assert {"value", "hash"} <= set(heap.fields(heap.instances_of("java.lang.String")[0]))
    heap.check()
    return heap


def check_as_by_redact(hprof, plain, heap, tmp_path):
    """The objects are those that `hprof redact` makes of the plain dump."""
    theirs = tmp_path / "theirs.hprof"
    ask(hprof, "redact", "--all", "--names", *(word for one in KEEP for word in ("--keep", one)), plain, theirs)
    other = hprof_heap.Heap(theirs.read_bytes())
    assert heap.objects == other.objects and heap.roots == other.roots
    values = [{number: [repr(field.value) for field in cls.statics] for number, cls in one.classes.items()} for one in (heap, other)]
    assert values[0] == values[1]


@pytest.mark.jdks(8, 17, 25)
def test_a_core_is_dumped_with_what_is_kept_and_other_names(jdk, hprof, make_core, tmp_path):  # noqa: F811
    core, _ = make_core(jdk, "0x33", CANARY, 600000, vm=["-XX:+UseSerialGC"], program="HeapCanary")
    plain, ours = tmp_path / "plain.hprof", tmp_path / "ours.hprof"
    ask(hprof, "dump-heap", core, plain)
    ask(hprof, "dump-heap", "--redact=all", "--names", *(word for one in KEEP for word in ("--keep", one)), core, ours)
    check_as_by_redact(hprof, plain, check_kept_and_renamed(ours), tmp_path)


@pytest.mark.jdks(8, 17, 25)
def test_a_frozen_child_writes_what_is_kept_and_other_names(jdk, hprof, start_java, tmp_path):
    java, ours = start_java(jdk, None, "HeapCanary", CANARY, 600000), tmp_path / "ours.hprof"
    java.wait_for_stdout("ready")
    ask(hprof, "dump-heap", "--fork", "--redact=all", "--names", *(word for one in KEEP for word in ("--keep", one)), java.pid, ours)
    heap = check_kept_and_renamed(ours)
    assert len(heap.instances_of("HeapCanary$Account")) == 100
    for words, said in ((["--keep", "X"], "--keep is for --redact"), (["--names"], "--names is for --redact"),
                        (["--redact", "--keep", "a,b"], "wanted is the name of a class")):
        assert said in ask(hprof, "dump-heap", "--fork", *words, java.pid, status=2)[1]
    long = [word for i in range(60) for word in ("--keep", "com.example.Class%d" % i)]
    assert "the patterns of --keep are too long" in ask(hprof, "dump-heap", "--fork", "--redact", *long, java.pid, status=1)[1]


@pytest.mark.jdks(8, 17, 25)
@pytest.mark.parametrize("fork", ["y", "n"], ids=["child", "pause"])
def test_the_agent_writes_what_is_kept_and_other_names(jdk, fork, run_java, tmp_path):
    path = tmp_path / "java.hprof"
    options = "heap=dump,format=b,redact=all,redact-keep=%s,redact-names=y,fork=%s,file=%s" % (";".join(KEEP), fork, path)
    ended = run_java(jdk, options, "HeapCanary", CANARY, 0)
    assert ended.rc == 0, ended.stderr
    check_kept_and_renamed(path)
    ended = run_java(jdk, "heap=dump,redact=y,redact-names=y,file=%s" % path, "HeapCanary", CANARY, 0)
    assert ended.rc != 0 and "redact-names=y is for binary files" in ended.stderr + ended.stdout
