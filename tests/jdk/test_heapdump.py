"""heap=dump: engine_heapdump's file against what the program knows of its objects, and against the JVM's own dump.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import signal
import struct
import subprocess

from attaching import attach  # noqa: F401
import hprof_heap
import pytest
from conftest import TIMEOUT_S, clean_environment, old_and_new, one_jdk

SERIAL, PARALLEL, G1 = "-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"
SHENANDOAH = ("-XX:+UnlockExperimentalVMOptions", "-XX:+UseShenandoahGC")
ZGC = ("-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC")
FORKED = "HPROF: heap dump: pause "
# How the JVM and JVM TI tell hidden classes apart: $$Lambda$1.250421012, $$Lambda+0x0000000097040c98
HIDDEN = re.compile(r"(?<=Lambda)\$?\d*[.+/]\w+$|(?<=Lambda)\$\d+$|[.+/](0x)?[0-9a-f]{8,}$")
INSIDE = "the heap dump is made inside the pause"


def has_collector(jdk, options):
    ran = subprocess.run([jdk.tool("java"), *options, "-version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         stdin=subprocess.DEVNULL, check=False, timeout=TIMEOUT_S)
    return ran.returncode == 0


def the_types(heap):
    cls, = heap.classes_named("HeapGraph$Types")
    instance, = heap.instances_of("HeapGraph$Types")
    assert instance.cls == cls.id
    return instance, heap.fields(instance)


def numbers(heap, array):
    thing = heap.objects[array]
    number = next(n for n, name in hprof_heap.TYPES.items() if name == thing.type)
    size = hprof_heap.SIZES[number]
    assert len(thing.data) == size * thing.count
    return thing.type, [struct.unpack_from(hprof_heap.FORMATS[number], thing.data, i * size)[0]
                        for i in range(thing.count)]


def check_graph(heap, count=100, weak_is_cleared=True):
    """Every value of HeapGraph."""
    types, got = the_types(heap)
    plain = {name: got[name] for name in ("yes", "no", "tiny", "letter", "low", "number", "big", "real", "exact",
                                          "same", "wide", "none", "up")}
    assert plain == {"yes": True, "no": False, "tiny": -5, "letter": 0x20AC, "low": -300, "number": 123456789,
                     "big": -9876543210, "real": 1.5, "exact": -2.25, "same": 2, "wide": 0x1122334455667788, "none": 0,
                     "up": types.id}
    assert heap.text(got["text"]) == "caf\u00e9 \u20ac \U0001f600"
    assert heap.text(got["latin"]) == "plain"
    colour = heap.fields(heap.objects[got["colour"]])
    assert (heap.text(colour["name"]), colour["ordinal"]) == ("GREEN", 1)
    arrays = {"booleans": ("boolean", [True, False, True]), "bytes": ("byte", [1, -2, 3]),
              "chars": ("char", [0x61, 0x20AC]), "shorts": ("short", [-1, 2]), "ints": ("int", [1, -2, 3]),
              "longs": ("long", [-2 ** 63, 7]), "floats": ("float", [0.5]), "doubles": ("double", [3.25, -0.0]),
              "empty": ("int", [])}
    for name, content in arrays.items():
        assert numbers(heap, got[name]) == content, name
    assert heap.objects[got["nothing"]].items == ()
    assert heap.objects[got["trailing"]].items == (0,) * 10
    assert heap.name_of(heap.objects[got["trailing"]]) == "java.lang.String[]"
    square = heap.objects[got["square"]]
    assert heap.name_of(square) == "int[][]"
    assert [numbers(heap, row)[1] if row else None for row in square.items] == [[1], [2, 3], None]
    mixed = heap.objects[got["mixed"]].items
    assert mixed[0] == 0 and heap.text(mixed[1]) == "x" and mixed[2] == types.id and mixed[4] == types.cls
    assert heap.name_of(heap.objects[mixed[3]]) == "int[][][]"
    assert types.id in [number for _, number in heap.references(heap.objects[got["lambda"]])]
    assert heap.name_of(heap.get(got["primitive"])) == "java.lang.Class"
    assert heap.classes[got["array"]].name == "long[][]"
    check_references(heap, types, got, weak_is_cleared)
    check_statics(heap, types, count)


def check_references(heap, types, got, weak_is_cleared):
    assert heap.fields(heap.objects[got["held"]])["referent"] == types.id
    lost = heap.fields(heap.objects[got["lost"]])["referent"]
    assert lost == 0 or not weak_is_cleared
    soft = heap.fields(heap.objects[got["soft"]])["referent"]
    assert heap.text(heap.fields(heap.objects[soft])["name"]) == "softly reachable"


def check_statics(heap, types, count):
    cls, = heap.classes_named("HeapGraph")
    values = {field.name: field.value for field in cls.statics}
    simple = {"truth": True, "staticByte": 8, "staticChar": ord("z"), "staticShort": -9, "staticInt": 42,
              "staticLong": 1 << 40, "staticFloat": 2.5, "staticDouble": 6.125, "types": types.id, "nobody": 0}
    assert {name: values[name] for name in simple} == simple
    constants, = heap.classes_named("HeapGraph$Constants")
    of_interface = {field.name: field.value for field in constants.statics}
    assert of_interface["INTERFACE_INT"] == 77
    assert heap.text(of_interface["INTERFACE_TEXT"]) == "of the interface"
    assert heap.classes[heap.classes[types.cls].super].name == "HeapGraph$Base"
    nodes = heap.fields(heap.objects[values["nodes"]])
    assert nodes["size"] == count
    items = heap.objects[nodes["elementData"]].items[:count]
    assert [heap.text(heap.fields(heap.objects[item])["name"]) for item in items] == [
        "node %d" % i for i in range(count)]


def dump_of(ended, name="java.hprof"):
    assert ended.rc == 0 and "HPROF ERROR" not in ended.stderr.replace(NO_SITES, ""), ended.stderr
    assert ended.files == [name]
    heap = hprof_heap.Heap(ended.read(name))
    heap.check()
    return heap


NO_SITES = "HPROF ERROR: this VM does not tell of its allocations: no allocation sites\n"


@pytest.mark.parametrize("ids, vm", [(4, "-Xmx200m"), (8, "-Xmx3g")])
def test_every_value_is_right(jdk, ids, vm, run_java):
    heap = dump_of(run_java(jdk, "heap=dump,format=b", "HeapGraph", vm=[vm]))
    assert (heap.id_bytes, heap.version[-1]) == (ids, "1" if ids == 4 else "2")
    check_graph(heap)
    names = [heap.text(heap.fields(node)["name"]) for node in heap.instances_of("HeapGraph$Node")]
    assert "garbage" not in names and "weakly reachable" not in names


@pytest.mark.jdks(8)
def test_a_small_machine_s_collector_can_be_forked(jdk, run_java):
    """JDK 8 takes the serial one there, as in most containers, and no flag says so."""
    ended = run_java(jdk, "heap=dump,format=b", "HeapGraph", vm=["-XX:+NeverActAsServerClassMachine", "-Xmx200m"])
    assert INSIDE not in ended.stderr, ended.stderr
    check_graph(dump_of(ended))


@pytest.mark.parametrize("collector", [[SERIAL], [PARALLEL], [G1], SHENANDOAH], ids=["serial", "parallel", "g1", "shen"])
def test_each_collector_can_be_forked(jdk, collector, run_java):
    if not has_collector(jdk, collector):
        pytest.skip("JDK %d has no such collector" % jdk.number)
    ended = run_java(jdk, "heap=dump,format=b,idsize=8", "HeapGraph", 20000, vm=[*collector, "-Xmx300m"])
    is_inside = collector is SHENANDOAH and jdk.number < 17
    assert (INSIDE in ended.stderr) == is_inside and FORKED in ended.stderr
    check_graph(dump_of(ended), 20000, not is_inside)


@pytest.mark.parametrize("vm", [["-XX:-UseCompressedOops"], ["-XX:+UseCompactObjectHeaders"]], ids=["wide", "compact"])
def test_other_layouts_of_objects(jdk, vm, run_java):
    vm = ["-XX:+UnlockExperimentalVMOptions", *vm]
    if not has_collector(jdk, vm):
        pytest.skip("JDK %d has no %s" % (jdk.number, vm[-1]))
    check_graph(dump_of(run_java(jdk, "heap=dump,format=b", "HeapGraph", vm=vm)))


@old_and_new
def test_inside_the_pause_it_is_the_same(jdk, run_java):
    ended = run_java(jdk, "heap=dump,format=b,fork=n", "HeapGraph")
    assert "all of it inside" in ended.stderr
    check_graph(dump_of(ended), weak_is_cleared=False)


@old_and_new
def test_a_shared_heap_is_dumped_inside_the_pause(jdk, run_java):
    """ZGC before JDK 17: later ones are copied (test_heapdump_zgc.py)."""
    if jdk.number > 16 or not has_collector(jdk, ZGC):
        pytest.skip("JDK %d has no such ZGC" % jdk.number)
    ended = run_java(jdk, "heap=dump,format=b", "HeapGraph", vm=[*ZGC, "-Xmx200m"])
    assert INSIDE in ended.stderr
    check_graph(dump_of(ended), weak_is_cleared=False)


@pytest.mark.jdks(11)
def test_a_pause_of_seconds_is_none_that_a_running_program_gets(jdk, start_java):
    """With JDK 11's ZGC. At the end, and with inpause=y, a line says how long it may be before it begins."""
    vm = [*ZGC, "-Xmx300m"]
    java = start_java(jdk, "heap=dump,format=b", "Fires", "holds:48", "wait:1", vm=vm)
    java.wait_for_stdout("does wait:1")
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("not whole.")
    said = java.err.read_text()
    assert re.search(r"it would stop the program for long \(about \d+ s at most: this garbage collector's heap cannot be read", said), said
    assert "'jcmd %d GC.heap_dump FILE'" % java.pid in said and "inpause=y" in said and INSIDE not in said
    (java.cwd / "go1").touch()
    ended = java.end()
    assert re.search(r"the heap dump stops the program for about \d+ s at most: .*\n(.*\n)*.* done\.\n", ended.stderr[len(said):]), ended.stderr
    heap = hprof_heap.Heap(ended.read("java.hprof"))
    heap.check()
    assert heap.dump_count == 1 and max(thing.count for thing in heap.instances_of("long[]")) == 48 << 17
    java = start_java(jdk, "heap=dump,format=b,inpause=y,doe=n", "Fires", "holds:48", "wait:1", vm=vm)
    java.wait_for_stdout("does wait:1")
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("all of it inside")
    assert " s at most: " in java.err.read_text() and "ERROR" not in java.err.read_text()
    (java.cwd / "go1").touch()
    assert java.end().rc == 0


def histogram(heap):
    """Without what comes and goes with the commands that were sent to the JVM; hidden classes by their plain names."""
    own = ("java.lang.Class", "java.lang.Object[]", "java.lang.Object", "java.lang.String", "byte[]", "char[]", "int[]")
    return {HIDDEN.sub("", name): count for name, count in heap.histogram().items()
            if name not in own and not name.startswith(("java.lang.Thread", "java.security."))}


def ask(jdk, java, *command):
    subprocess.run([*jdk.asking_tool("jcmd"), str(java.pid), *command], check=True, stdout=subprocess.DEVNULL,
                   timeout=TIMEOUT_S, env=clean_environment())


def jvms_dump(jdk, java, folder):
    path = folder / "theirs.hprof"
    path.unlink(missing_ok=True)
    ask(jdk, java, "GC.heap_dump", str(path))
    return hprof_heap.Heap(path.read_bytes())


def test_the_jvms_own_dump_has_the_same_objects(jdk, start_java, tmp_path):
    java = start_java(jdk, "heap=dump,format=b,idsize=8,doe=n", "HeapGraph", 1000, 600000)
    java.wait_for_stdout("ready")
    ask(jdk, java, "GC.run")
    theirs = [jvms_dump(jdk, java, tmp_path)]

    def has_same_before_and_after():
        """What a collection has found is cleaned up by threads of the JDK's when they get to it."""
        java.signal(signal.SIGQUIT)
        java.wait_for_stderr(FORKED, len(theirs))
        theirs.append(jvms_dump(jdk, java, tmp_path))
        return histogram(theirs[-2]) == histogram(theirs[-1])

    java.wait_for(has_same_before_and_after, "a JVM that does nothing while we dump")
    ours, jvms = hprof_heap.Heap((java.cwd / "java.hprof").read_bytes()), theirs[-1]
    ours.check()
    check_graph(ours, 1000)
    assert histogram(ours) == histogram(jvms)
    mine, its = (collections.Counter(HIDDEN.sub("", cls.name) for cls in heap.classes.values())
                 for heap in (ours, theirs[-2]))
    assert not its - mine and sum((mine - its).values()) < 10  # ours came later
    # Nothing has moved: the same addresses have the same contents.
    _, got = the_types(ours)
    _, want = the_types(jvms)
    for name in ("yes", "tiny", "letter", "low", "number", "big", "real", "exact", "same", "wide"):
        assert got[name] == want[name], name
    text = next(r for r in ours.roots if r.kind == "java frame" and ours.get(r.id) and
                ours.name_of(ours.get(r.id)) == "HeapGraph$Node")
    thread = next(r for r in ours.roots if r.kind == "thread" and r.rest[0] == text.rest[0])
    assert ours.started[text.rest[0]] == "main"
    _, frames = ours.traces[thread.rest[1]]
    assert frames[text.rest[1]][:2] == ("HeapGraph", "park")


@one_jdk
def test_three_dumps_and_one_at_the_end(jdk, start_java):
    java = start_java(jdk, "heap=dump,format=b", "HeapGraph", 100, 600000)
    java.wait_for_stdout("ready")
    for done in range(1, 4):
        java.signal(signal.SIGQUIT)
        java.wait_for_stderr(FORKED, done)
        heap = hprof_heap.Heap((java.cwd / "java.hprof").read_bytes())
        assert heap.dump_count == done
        check_graph(heap)
    java.signal(signal.SIGTERM)
    ended = java.end()
    assert ended.files == ["java.hprof"]
    for which in range(4):
        check_graph(hprof_heap.Heap(ended.read("java.hprof"), which))


def test_in_a_running_vm_until_it_is_told_to_stop(jdk, start_java, attach):  # noqa: F811 pylint: disable=redefined-outer-name
    java = start_java(jdk, None, "HeapGraph", 100, 600000)
    java.wait_for_stdout("ready")
    assert "return code: 0" in attach(jdk, java, "heap=dump,format=b,file=out.hprof")
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr(FORKED)
    assert "return code: 0" in attach(jdk, java, "stop")
    data = (java.cwd / "out.hprof").read_bytes()
    java.signal(signal.SIGQUIT)
    java.wait_for_stdout("Full thread dump")
    java.signal(signal.SIGTERM)
    ended = java.end()
    assert ended.files == ["out.hprof"] and ended.read("out.hprof") == data, "nothing is written after the end"
    for which in range(2):
        check_graph(hprof_heap.Heap(data, which))


@old_and_new
def test_text(jdk, run_java):
    ended = run_java(jdk, "heap=dump", "HeapGraph", vm=["-Xmx200m"])
    assert ended.rc == 0 and ended.files == ["java.hprof.txt"]
    text = ended.text()
    head, = re.findall(r"^HEAP DUMP BEGIN \((\d+) objects, (\d+) bytes\) .+$", text, re.M)
    body = text[text.index("HEAP DUMP BEGIN"):]
    assert body.endswith("HEAP DUMP END\n") and int(head[0]) > 1000 and int(head[1]) > 16 * int(head[0])
    lines = body.split("\n")
    assert lines[1] == "ROOT 0 (kind=<thread>, id=200000, trace=300000)"
    shapes = [r"ROOT [0-9a-f]+ \(kind=<thread>, id=\d+, trace=\d+\)",
              r"ROOT [0-9a-f]+ \(kind=<thread block>, thread=\d+\)",
              r"ROOT [0-9a-f]+ \(kind=<Java stack>, thread=\d+, frame=-?\d+\)",
              r"ROOT [0-9a-f]+ \(kind=<JNI local ref>, thread=\d+, frame=-?\d+\)",
              r"ROOT [0-9a-f]+ \(kind=<JNI global ref>, id=[0-9a-f]+, trace=\d+\)",
              r"ROOT [0-9a-f]+ \(kind=<system class>, name=[^)]+\)", r"ROOT [0-9a-f]+ \(kind=<busy monitor>\)",
              r"ROOT [0-9a-f]+ \(kind=<unknown>\)", r"OBJ [0-9a-f]+ \(sz=\d+, trace=\d+, class=.+@[0-9a-f]+\)",
              r"ARR [0-9a-f]+ \(sz=\d+, trace=\d+, nelems=\d+, elem type=.+\[\](@[0-9a-f]+)?\)",
              r"CLS [0-9a-f]+ \(name=.+, trace=\d+\)", r"\t\S+\t\t?[0-9a-f]+", r"\t\[\d+\]\t\t[0-9a-f]+",
              r"\t(super|loader|signers|domain)\t\t[0-9a-f]+", r"\tstatic \S+\t[0-9a-f]+",
              r"\tconstant pool entry \d+\t[0-9a-f]+", "HEAP DUMP BEGIN .*", "HEAP DUMP END", ""]
    known = re.compile("|".join(shapes))
    assert [line for line in lines if not known.fullmatch(line)] == []
    types, = re.findall(r"^OBJ ([0-9a-f]+) \(sz=\d+, trace=\d+, class=HeapGraph\$Types@[0-9a-f]+\)\n((?:\t.*\n)+)", body,
                        re.M)
    assert "\tup\t\t%s\n" % types[0] in types[1]
    assert not re.search(r"^\tnone\t", types[1], re.M)
    assert re.search(r"^ARR [0-9a-f]+ \(sz=\d+, trace=\d+, nelems=10, elem type=java.lang.String\[\]@", body, re.M)
    assert re.search(r"^\tstatic types\t%s$" % types[0], body, re.M)


@one_jdk
@pytest.mark.jdks(8, 25)
def test_a_crash_of_the_child_is_only_a_message(jdk, run_java):
    ended = run_java(jdk, "heap=dump,format=b,dumptest=2", "HeapGraph",
                     vm=["-XX:OnError=touch onerror", "-XX:+CreateMinidumpOnCrash"][:1])
    assert ended.rc == 0
    assert "the heap dump's child crashed" in ended.stderr
    assert "Dumping Java heap ... not whole.\n" in ended.stderr and "done." not in ended.stderr
    assert ended.files == ["java.hprof"]
    heap = hprof_heap.Heap(ended.read("java.hprof"))
    assert heap.dump_count == 0


@one_jdk
@pytest.mark.jdks(8, 17, 25)
def test_forkmem_ends_the_child(jdk, start_java):
    java = start_java(jdk, "heap=dump,format=b,doe=n,forkmem=1k,dumptest=3", "HeapGraph", 100, 600000)
    java.wait_for_stdout("ready")
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("forkmem=")
    java.signal(signal.SIGTERM)
    ended = java.end()
    assert ended.rc == 128 + signal.SIGTERM and ended.files == ["java.hprof"]
    assert ended.stderr.count("Dumping Java heap ... not whole.\n") == 1 and "done." not in ended.stderr
    assert hprof_heap.Heap(ended.read("java.hprof")).dump_count == 0


@pytest.mark.jdks(8)
def test_objects_have_the_traces_of_their_sites(jdk, run_java):
    heap = hprof_heap.Heap(run_java(jdk, "heap=all,format=b,depth=8", "HeapGraph", 1000).read("java.hprof"))
    heap.check()
    nodes = [node for node in heap.instances_of("HeapGraph$Node")
             if heap.text(heap.fields(node)["name"]).startswith("node ")]
    assert len(nodes) == 1000
    for node in nodes:
        assert [frame[:2] for frame in heap.traces[node.trace][1]][-1] == ("HeapGraph", "main")


@old_and_new
@pytest.mark.jdks(since=11)
def test_every_trace_is_one_of_the_file(jdk, run_java):
    heap = hprof_heap.Heap(run_java(jdk, "heap=all,format=b", "HeapGraph", 1000).read("java.hprof"))
    heap.check()
    traces = {thing.trace for thing in heap.objects.values()}
    assert len(traces) > 1 and traces - {300000} <= set(heap.traces)
