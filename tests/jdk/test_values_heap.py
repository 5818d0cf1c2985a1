"""Values that lie flat in fields and arrays (JEP 401, JDK 28 with --enable-preview), in dumps and histograms: the JVM's own are the measure.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import signal
import subprocess

import asking as command
import hprof_heap
import pytest
import test_heapdump_selftest
from conftest import HERE, TIMEOUT_S, clean_environment, compile_library
from cores import make_core  # noqa: F401 (a fixture)
from kept import made_once
from robust import crash_files
from test_heapdump import FORKED, G1, PARALLEL, SERIAL, SHENANDOAH, ZGC, ask, has_collector
from test_histo import table_of

pytestmark = pytest.mark.jdks(since=28)
EXPORTS = ["--add-exports", "java.base/jdk.internal.value=ALL-UNNAMED", "--add-exports", "java.base/jdk.internal.vm.annotation=ALL-UNNAMED"]
VM = ["--enable-preview", *EXPORTS[:2], "-Xms256m", "-Xmx256m"]
COLLECTORS = {"serial": [SERIAL], "parallel": [PARALLEL], "g1": [G1], "shen": [*SHENANDOAH], "zgc": [*ZGC]}
LAYOUTS = {"wide references": ["-XX:-UseCompressedOops"], "full headers": ["-XX:-UseCompactObjectHeaders"],
           "full headers, wide references": ["-XX:-UseCompactObjectHeaders", "-XX:-UseCompressedOops"],
           "16 bytes": ["-XX:ObjectAlignmentInBytes=16"], "no flat fields": ["-XX:+UnlockDiagnosticVMOptions", "-XX:-UseFieldFlattening"]}
VALUES = {"Flat$" + name for name in "Small One Two Real Ref RefTag Inner Outer Nested Empty Deep Wide Pair".split()}
LENGTH = 1500  # more than the pieces in which arrays are marked and written


@pytest.fixture
def classes(tmp_path_factory, jdk):
    """programs_value/Flat.java; takes the place of conftest's."""
    source = HERE / "programs_value/Flat.java"
    return made_once([source], lambda into: [jdk.tool("javac"), "-nowarn", "--enable-preview", "--source", str(jdk.number), *EXPORTS,
                                             "-d", into, str(source)], tmp_path_factory.mktemp("flat"), clean_environment())


def tree(heap, number, above=()):
    """What an object holds, without ids: what two dumps have to have alike. Null in a field is 0; an object that holds itself ends there."""
    thing = heap.get(number) if number else None
    if thing is None or number in above:
        return thing and "above"
    above += (number,)
    if isinstance(thing, hprof_heap.Class):
        return thing.name
    name = heap.name_of(thing)
    if name == "java.lang.String":
        return heap.text(number)
    if isinstance(thing, hprof_heap.Primitives):
        return name, thing.data
    if isinstance(thing, hprof_heap.Objects):
        return name, [tree(heap, item, above) for item in thing.items]
    references = dict(heap.references(thing))
    return name, {field: tree(heap, references[field], above) if field in references else value
                  for field, value in heap.fields(thing).items() if field not in ("discovered", "next", "queue")}


def statics(heap):
    """All that the program keeps."""
    cls, = heap.classes_named("Flat")
    return {field.name: tree(heap, field.value) for field in cls.statics if field.type == 2 and field.name in (
        "holders", "stricts", "smalls", "ones", "twos", "reals", "refs", "tags", "outers", "nesteds", "empties", "none", "boxes",
        "square", "alone", "special", "weak", "cleared")}


def numbers(heap):
    """Instances by class. The VM has one of each value class for itself, to which no reference leads: only its own dump shows that."""
    held = {number for thing in [*heap.objects.values(), *heap.classes.values()] for _, number in heap.references(thing)}
    return {name: sum(thing.id in held for thing in heap.instances_of(name)) for name in set(heap.histogram()) if name.startswith("Flat")}


def check_flat(kept):
    """What the program says, by itself."""
    assert kept["smalls"][1][6] == ("Flat$Small", {"a": 6, "b": 18}) and kept["smalls"][1][8] is None
    assert kept["smalls"][1][LENGTH - 1] == ("Flat$Small", {"a": (LENGTH - 1 + 128) % 256 - 128, "b": (LENGTH * 3 - 3 + 128) % 256 - 128})
    assert kept["refs"][1][LENGTH - 1] == ("Flat$Ref", {"o": "Ref %d" % (LENGTH - 1)})
    assert kept["outers"][1][3] == ("Flat$Outer", {"in": ("Flat$Inner", {"s": 3, "b": 1}), "c": 2})
    assert kept["special"][1][3][1][2] == ("Flat$Pair", {"left": "Left 2", "right": "Right 2", "weight": 2.0})
    holder = kept["holders"][1][7][1]
    assert holder["more"] == ("Flat$Small", {"a": -7, "b": -21}) and holder["box"] == ("java.lang.Integer", {"value": 1007})
    assert holder["deep"] == ("Flat$Deep", {"wide": ("Flat$Wide", {"x": 7, "y": 5}), "text": "deep 7"})
    assert holder["after"] == 0x1122334455667788 and holder["self"] == "above"
    empty = kept["holders"][1][6][1]
    assert (empty["small"], empty["deep"]) == (0, 0) and empty["plain"] == ("Flat$Two", {"x": 6, "y": 6})
    assert kept["stricts"][1][2][1]["pair"] == ("Flat$Pair", {"left": "left 2", "right": 0, "weight": 2.0})
    assert kept["weak"][1]["small"] == ("Flat$Small", {"a": 77, "b": -25})


def started(jdk, start_java, options, vm):
    java = start_java(jdk, options, "Flat", LENGTH, vm=[*VM, *vm])
    java.wait_for_stdout("ready")
    return java


def jvms_dump(jdk, java, tmp_path):
    theirs = tmp_path / "theirs.hprof"
    ask(jdk, java, "GC.heap_dump", str(theirs))
    return hprof_heap.Heap(theirs.read_bytes())


def our_dump(java, name="java.hprof"):
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr(FORKED)
    said = java.err.read_text()
    assert "some references led nowhere" not in said and "not whole" not in said, said
    heap = hprof_heap.Heap((java.cwd / name).read_bytes())
    heap.check()
    return heap


def check_dump(jdk, start_java, tmp_path, vm, options="", is_inside=False):
    java = started(jdk, start_java, "heap=dump,format=b,doe=n,verbose=y" + options, vm)
    theirs, ours = jvms_dump(jdk, java, tmp_path), our_dump(java)
    assert ("all of it inside" in java.err.read_text()) == is_inside
    kept = statics(ours)
    check_flat(kept)
    assert kept == statics(theirs)
    assert numbers(ours) == numbers(theirs)


@pytest.mark.parametrize("collector", list(COLLECTORS))
def test_a_dump_has_what_the_jvms_own_has(jdk, start_java, tmp_path, collector):
    if not has_collector(jdk, COLLECTORS[collector]):
        pytest.skip("JDK %d has no such collector" % jdk.number)
    check_dump(jdk, start_java, tmp_path, COLLECTORS[collector])


@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_however_objects_lie(jdk, start_java, tmp_path, layout):
    check_dump(jdk, start_java, tmp_path, [SERIAL, *LAYOUTS[layout]])


@pytest.mark.parametrize("options", ["idsize=4", "live=n"])
def test_in_every_form_of_the_file(jdk, start_java, tmp_path, options):
    check_dump(jdk, start_java, tmp_path, [SERIAL], "," + options)


def test_a_text_says_before_how_many_there_are(jdk, start_java):
    java = started(jdk, start_java, "heap=dump,doe=n,verbose=y", [SERIAL])
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr(FORKED)
    text = (java.cwd / "java.hprof.txt").read_text(errors="replace")
    said, = re.findall(r"^HEAP DUMP BEGIN \((\d+) objects", text, re.M)
    assert int(said) == len(re.findall(r"^(?:OBJ|ARR|CLS) ", text, re.M))
    assert len(re.findall(r"^OBJ .*class=Flat\$Pair@", text, re.M)) == LENGTH + 3


@pytest.mark.parametrize("live", ["n", "y"])
@pytest.mark.parametrize("collector", list(COLLECTORS))
def test_a_histogram_counts_what_the_jvms_own_counts(jdk, start_java, collector, live):
    """What lies flat is bytes of its holder. The VM's own instance of each value class is one that nobody can reach."""
    if not has_collector(jdk, COLLECTORS[collector]):
        pytest.skip("JDK %d has no such collector" % jdk.number)
    if (collector, live) == ("shen", "n"):
        pytest.skip("the JVM counts only what can be reached there")
    check_histogram(jdk, start_java, COLLECTORS[collector], "live=" + live, live == "y" or collector == "zgc")


def test_a_histogram_inside_the_pause_counts_the_same(jdk, start_java):
    check_histogram(jdk, start_java, [SERIAL], "fork=n", False)


def test_a_dump_inside_the_pause_has_them_too(jdk, start_java, tmp_path):
    """The VM finds the tags of value objects by comparing all that have one: thousands of them have to have none."""
    check_dump(jdk, start_java, tmp_path, [SERIAL], ",fork=n", is_inside=True)


@pytest.mark.parametrize("collector", ["serial", "parallel", "g1"])
def test_both_walks_of_the_heap_meet_the_same_objects(jdk, start_java, collector):
    java = started(jdk, start_java, "heap=dump,format=b,doe=n,selftest=y", COLLECTORS[collector])
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr(FORKED)
    same, different, theirs, ours, _, skipped = map(int, test_heapdump_selftest.SAID.search(java.err.read_text()).groups())
    assert same > 4 * LENGTH and (different, theirs, skipped) == (0, 0, 0) and ours <= 1


@pytest.mark.parametrize("options", ["heap=sites", "event=live,alloc=1"])
def test_sites_and_the_live_set_have_what_holds_them(jdk, start_java, options):
    """All that has an identity is watched, and flat values are bytes of it; a value that lies by itself cannot be watched."""
    java = started(jdk, start_java, options + ",doe=n,cutoff=0,depth=2,file=x.txt", [SERIAL])
    theirs = their_rows(jdk, java)  # after a full collection
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("done.")
    live = collections.defaultdict(lambda: (0, 0))
    rows = re.findall(r"^ *\d+ +[\d.]+% +[\d.]+% +(\d+) +(\d+) +\d+ +\d+ +\d+ (Flat\S*)$", (java.cwd / "x.txt").read_text(), re.M)
    for size, count, name in rows:
        live[name] = (live[name][0] + int(count), live[name][1] + int(size))
    assert {name: row for name, row in live.items() if row[0]} == {name: row for name, row in theirs.items() if name not in VALUES}


# What a heap with flat values wants (src/heapwalk/heap_class.c), by the table's name, and what the message calls it.
FACTS = {name: name for name in ["Klass::_kind", "Klass::KlassKind::ValueKlassKind", "InstanceKlass::_value_field_layout_info_array",
                                 "Array<ValueFieldLayoutInfo>::_data", "ValueFieldLayoutInfo::_klass", "InstanceKlass::_adr_value_klass_members",
                                 "ValueKlass::Members::_payload_offset", "ValueKlass::Members::_null_marker_offset"]}
FACTS["Klass::KlassKind::FlatArrayKlassKind"] = "the class of a flat array"


@pytest.fixture(scope="session")
def newer(tmp_path_factory):
    """The path of native/newer.c as an agent library."""
    return compile_library(tmp_path_factory, "newer")


@pytest.mark.parametrize("engine", ["dump,format=b", "histo,live=n"])
@pytest.mark.parametrize("hidden", list(FACTS))
def test_where_the_vm_does_not_say_how_they_lie_nothing_is_written_and_the_fact_is_named(jdk, start_java, newer, hidden, engine):
    java = started(jdk, start_java, "heap=%s,doe=n,file=x.hprof" % engine, [SERIAL, "-agentpath:%s=%s" % (newer, hidden)])
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("not whole")
    said = [line for line in java.err.read_text().splitlines() if line.startswith("HPROF ERROR: ")]
    assert len(said) == 1 and "(a fact about this virtual machine is missing, %s)" % FACTS[hidden] in said[0], said
    assert "the dump is not in the file, the program goes on" in said[0] or "there is no table, the program goes on" in said[0]
    written = (java.cwd / "x.hprof").read_bytes()
    assert b"Flat$" not in written if engine.startswith("histo") else not hprof_heap.Heap(written).objects
    java.signal(signal.SIGTERM)
    assert not crash_files(java.end())


@pytest.mark.parametrize("where", ["inside the pause", "no flat values"])
def test_a_dump_that_needs_no_such_fact_is_whole(jdk, start_java, tmp_path, newer, where):
    vm = [SERIAL, "-agentpath:%s=Klass::_kind" % newer]
    if where == "inside the pause":
        check_dump(jdk, start_java, tmp_path, vm, ",fork=n", is_inside=True)
    else:
        check_dump(jdk, start_java, tmp_path, [*vm, "-XX:+UnlockDiagnosticVMOptions", "-XX:-UseFieldFlattening", "-XX:-UseArrayFlattening"])


def check_histogram(jdk, start_java, vm, options, is_live):
    java = started(jdk, start_java, "heap=histo,doe=n,cutoff=0," + options, vm)
    theirs = their_rows(jdk, java, *([] if is_live else ["-all"]))
    ours = {name: row for name, row in table_of(java).rows.items() if name.startswith("Flat")}
    assert set(theirs) - set(ours) <= (VALUES if is_live else set())
    for name, (count, size) in ours.items():
        least = theirs[name][0] - (is_live and name in VALUES)
        assert least <= count <= theirs[name][0], name
        assert size == count * theirs[name][1] // theirs[name][0], name


def their_rows(jdk, java, *options):
    """The JVM has a row for each way in which arrays of a class lie."""
    said = subprocess.run([*jdk.asking_tool("jcmd"), str(java.pid), "GC.class_histogram", *options], stdout=subprocess.PIPE,
                          text=True, check=True, timeout=TIMEOUT_S).stdout
    rows = collections.defaultdict(lambda: (0, 0))
    for count, size, name in re.findall(r"^ *\d+: +(\d+) +(\d+) +(\S*Flat\S*)", said, re.M):
        ours = re.sub(r"^(\[+)L(.+);$", lambda found: found[2] + "[]" * len(found[1]), name)
        rows[ours] = (rows[ours][0] + int(count), rows[ours][1] + int(size))
    return rows


@pytest.mark.parametrize("collector", ["serial", "g1", "zgc"])
def test_a_core_has_the_values(jdk, collector, hprof, make_core, tmp_path):    # noqa: F811
    core, theirs = make_core(jdk, "0x33", LENGTH, vm=[*VM, *COLLECTORS[collector]], program="Flat", before=lambda java: jvms_dump(jdk, java, tmp_path))
    path = tmp_path / "ours.hprof"
    command.ask(hprof, "dump-heap", "--live", core, path)
    heap = hprof_heap.Heap(path.read_bytes())
    heap.check()
    check_flat(statics(heap))
    assert statics(heap) == statics(theirs)
