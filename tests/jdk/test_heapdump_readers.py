"""Heap dumps of engine_heapdump opened by other readers: VisualVM's heap library, LeakCanary's shark, and Eclipse's Memory Analyzer
as LeakCanary had it before, from Maven Central, hprof-slurp and jvm-hprof, which tools/bootstrap builds from crates.io, and jhat of JDK 8.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import csv
import gzip
import json
import pathlib
import signal
import subprocess

import conftest
import hprof_heap
import pytest
from asking import ask
from kept import READERS, jar_of, made_once

VISUALVM = ["org-netbeans-lib-profiler"]
SHARK = ["shark-graph", "shark-hprof", "shark-log", "okio", "kotlin-stdlib"]
MAT = ["haha"]
SOURCES = pathlib.Path(__file__).resolve().parent / "readers"
DONE = "HPROF: heap dump: pause "


def java_reader(folder, name, libraries):
    """readers/NAME.java with its libraries: a function that gives its lines about a file."""
    jars, source = ":".join(map(jar_of, libraries)), SOURCES / (name + ".java")
    java = conftest.JDKS.get(17) or conftest.JDKS[max(conftest.JDKS)]
    made_once([source], lambda into: [java.tool("javac"), "-nowarn", "-cp", jars, "-d", into, str(source)], folder,
              conftest.clean_environment())

    def read(path):
        ran = subprocess.run([*java.short_tool("java"), "-cp", "%s:%s" % (jars, folder), name, str(path)],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
        assert ran.returncode == 0 and "Exception" not in ran.stderr, ran.stderr
        return ran.stdout.splitlines()
    return read


@pytest.fixture(scope="module")
def visualvm(tmp_path_factory):
    return java_reader(tmp_path_factory.mktemp("visualvm"), "VisualvmReader", VISUALVM)


@pytest.fixture(scope="module")
def shark(tmp_path_factory):
    return java_reader(tmp_path_factory.mktemp("shark"), "SharkReader", SHARK)


@pytest.fixture(scope="module")
def mat(tmp_path_factory):
    return java_reader(tmp_path_factory.mktemp("mat"), "MatReader", MAT)


def dump_at_end(start_java, jdk, options):
    """The dump that HeapGraph leaves when it ends: its file."""
    java = start_java(jdk, "format=b," + options, "HeapGraph", 500, 0)
    assert java.end().rc == 0
    return java.cwd / "java.hprof"


def dump_of_graph(start_java, jdk, options):
    """A dump of HeapGraph while it runs: its file."""
    java = start_java(jdk, "format=b,doe=n," + options, "HeapGraph", 500, 600000)
    java.wait_for_stdout("ready")
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr(DONE)
    java.signal(signal.SIGTERM)
    java.end()
    return java.cwd / "java.hprof"


@pytest.mark.jdks(8, 25)
@pytest.mark.parametrize("options", ["idsize=4", "idsize=8", "fork=n"])
def test_visualvm_reads_it(jdk, options, start_java, visualvm):
    path = dump_of_graph(start_java, jdk, "heap=dump," + options)
    heap = hprof_heap.Heap(path.read_bytes())
    said = visualvm(path)
    assert said[0] == "instances %d counted %d" % (len(heap.objects), len(heap.objects))
    for line in ("yes true", "tiny -5", "low -300", "number 123456789", "big -9876543210", "real 1.5", "exact -2.25"):
        assert line in said
    # What only a soft reference holds has none there; inside the pause what only a weak one holds is in the dump, too.
    assert "without a root %d" % (2 if "fork=n" in options else 1) in said
    assert {"root in park", "root in main"} <= set(said)
    assert "rooted true retained true" in said


@pytest.mark.parametrize("options", ["idsize=4", "idsize=8", "fork=n"])
def test_hprof_slurp_counts_the_same_objects(jdk, options, start_java):
    slurp = READERS / "hprof-slurp/bin/hprof-slurp"
    if not slurp.exists():
        pytest.skip("HPROF-SLURP NOT TESTED: it is not in %s; tools/bootstrap test builds it" % READERS)
    path = dump_of_graph(start_java, jdk, "heap=dump," + options)
    ran = subprocess.run([str(slurp), "--json", "-o", "slurp.json", "-t", "100000", str(path)], cwd=str(path.parent),
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    assert ran.returncode == 0 and "File successfully processed" in ran.stderr, ran.stderr
    said = json.loads(path.with_name("slurp.json").read_text())
    heap = hprof_heap.Heap(path.read_bytes())
    assert said["dump"]["id_size_bytes"] == heap.id_bytes
    counted = collections.Counter()
    for row in said["heap"]["top_allocated_classes"]:
        counted[row["class_name"]] += row["instance_count"]
    assert counted == heap.histogram()


@pytest.mark.parametrize("options", [(), ("--live",)], ids=["all", "live"])
def test_jvm_hprof_counts_the_same_objects(jdk, options, hprof, start_java, tmp_path):
    """Each by its class, but for arrays of numbers, which it leaves out of the table."""
    program = READERS / "jvm-hprof/bin/analyze_hprof"
    if not program.exists():
        pytest.skip("JVM-HPROF NOT TESTED: it is not in %s, where make test-all has it built" % READERS)
    java, path = start_java(jdk, None, "HeapGraph", 500, 600000), tmp_path / "dump.hprof"
    java.wait_for_stdout("ready")
    ask(hprof, "dump-heap", "--fork", *options, java.pid, path)
    ran = subprocess.run([str(program), "-f", str(path), "instance-counts"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                         timeout=120)
    assert ran.returncode == 0 and ran.stderr == "", ran.stderr[:2000]
    heap, counted = hprof_heap.Heap(path.read_bytes()), collections.Counter()
    for row in csv.DictReader(ran.stdout.splitlines()):
        counted[hprof_heap.java_name(row["Class name"])] += int(row["Instance count"])
    assert counted == collections.Counter(heap.name_of(thing) for thing in heap.objects.values() if not isinstance(thing, hprof_heap.Primitives))


def read_by_all(path, heap, visualvm, shark):
    """Each reader finds the objects that we find. What VisualVM's says."""
    told = visualvm(path)
    assert told[0] == "instances %d counted %d" % (len(heap.objects), len(heap.objects))
    said = shark(path)
    assert said[0] == "objects %d classes %d" % (len(heap.objects) + len(heap.classes), len(heap.classes))
    assert said[2:] == ["text plain", "number 123456789"]
    said = subprocess.run([*conftest.JDKS[8].short_tool("jhat"), "-parseonly", "true", str(path)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=True, timeout=120).stdout
    assert "Snapshot resolved." in said and "WARNING" not in said and "Exception" not in said, said
    return told


@pytest.mark.jdks(8, 25)
@pytest.mark.parametrize("options", [(), ("--live", "-z", 1)], ids=["all", "live"])
def test_all_readers_have_what_the_command_dumps(jdk, options, hprof, start_java, tmp_path, visualvm, shark):
    """hprof dump-heap --fork, from a JVM that does not have the agent."""
    java, path = start_java(jdk, None, "HeapGraph", 500, 600000), tmp_path / "by-command.hprof"
    java.wait_for_stdout("ready")
    ask(hprof, "dump-heap", "--fork", *options, java.pid, path)
    if options:
        path.write_bytes(gzip.decompress(path.read_bytes()))
    heap = hprof_heap.Heap(path.read_bytes())
    heap.check()
    said = read_by_all(path, heap, visualvm, shark)
    assert {"root in park", "root in main"} <= set(said)
    assert "rooted true retained true" in said or not options, "all that can be reached has a root"
    assert "heap dump" in ask(hprof, "report", path)[0].lower()


@pytest.mark.jdks(8, 25)
@pytest.mark.parametrize("dump, options", [
    (dump_at_end, "heap=dump"), (dump_at_end, "heap=all,cpu=samples,idsize=4"),
    (dump_of_graph, "heap=dump,cpu=samples,fork=n")])
def test_each_class_has_one_serial_and_one_id_for_all_readers(jdk, dump, options, start_java, visualvm, shark):
    path = dump(start_java, jdk, options)
    heap = hprof_heap.Heap(path.read_bytes())
    heap.check()
    assert ("fork=n" in options) != any(cls.trace != 300000 for cls in heap.classes.values())
    said = read_by_all(path, heap, visualvm, shark)
    assert "rooted true retained true" in said


@pytest.mark.parametrize("options", [(), ("--live",)], ids=["all", "live"])
def test_the_memory_analyzer_reaches_what_references_lead_to(jdk, options, hprof, start_java, tmp_path, mat):
    """It opens the file without a complaint, and has of each class as many objects as our reader finds from the roots."""
    java, path = start_java(jdk, None, "HeapGraph", 500, 600000), tmp_path / "dump.hprof"
    java.wait_for_stdout("ready")
    ask(hprof, "dump-heap", "--fork", *options, java.pid, path)
    heap = hprof_heap.Heap(path.read_bytes())
    heap.check()
    said = mat(path)
    assert all(line.startswith("class ") for line in said[:-1]) and said[-1] == "retained true", said
    reachable = heap.reachable()
    reached = collections.Counter(heap.name_of(heap.get(number)) for number in reachable)
    theirs = {name: int(count) for count, name in (line.split(" ", 2)[1:] for line in said[:-1])}
    # The loader of the JVM's own classes, which has no object, is one to it; and classes have none that count them.
    for name in ("java.lang.Class", "java.lang.ClassLoader"):
        reached.pop(name, None)
        theirs.pop(name, None)
    assert theirs == reached
    assert theirs["HeapGraph$Node"] > 500
