"""Heap dumps of engine_heapdump opened by other readers: VisualVM's heap library, from Maven Central, and hprof-slurp,
which tools/bootstrap test builds from crates.io.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess

import conftest
import hprof_heap
import pytest

VERSION = "RELEASE220"
NAME = "org-netbeans-lib-profiler"
SOURCE = pathlib.Path(__file__).resolve().parent / "readers/VisualvmReader.java"
DONE = "HPROF: heap dump: pause "
CACHE = pathlib.Path(os.environ.get("HPROF_CACHE") or pathlib.Path.home() / ".cache/hprof", "readers")


@pytest.fixture(scope="module")
def visualvm(tmp_path_factory):
    """The class path of the reader."""
    jar = CACHE / ("%s-%s.jar" % (NAME, VERSION))
    if not jar.exists():
        if not shutil.which("mvn"):
            pytest.skip("VISUALVM'S READER NOT TESTED: no mvn; tools/bootstrap test installs it")
        CACHE.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mvn", "-q", "dependency:copy", "-Dartifact=org.netbeans.modules:%s:%s" % (NAME, VERSION),
                        "-DoutputDirectory=%s" % CACHE], check=False, timeout=300, stdin=subprocess.DEVNULL)
    if not jar.exists():
        pytest.skip("VISUALVM'S READER NOT TESTED: Maven has no %s %s here" % (NAME, VERSION))
    folder = tmp_path_factory.mktemp("readers")
    java = conftest.JDKS.get(17) or conftest.JDKS[max(conftest.JDKS)]
    subprocess.run([java.tool("javac"), "-nowarn", "-cp", str(jar), "-d", str(folder), str(SOURCE)], check=True,
                   stderr=subprocess.DEVNULL, timeout=120)

    def read(path):
        ran = subprocess.run([java.tool("java"), "-cp", "%s:%s" % (jar, folder), "VisualvmReader", str(path)],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
        assert ran.returncode == 0 and "Exception" not in ran.stderr, ran.stderr
        return ran.stdout.splitlines()
    return read


def dump_of_graph(start_java, jdk, options):
    """A dump of HeapGraph: its file."""
    java = start_java(jdk, "heap=dump,format=b,doe=n," + options, "HeapGraph", 500, 600000)
    java.wait_for_stdout("ready")
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr(DONE)
    java.signal(signal.SIGTERM)
    java.end()
    return java.cwd / "java.hprof"


@pytest.mark.jdks(8, 25)
@pytest.mark.parametrize("options", ["idsize=4", "idsize=8", "fork=n"])
def test_visualvm_reads_it(jdk, options, start_java, visualvm):
    path = dump_of_graph(start_java, jdk, options)
    heap = hprof_heap.Heap(path.read_bytes())
    said = visualvm(path)
    assert said[0] == "instances %d counted %d" % (len(heap.objects), len(heap.objects))
    for line in ("yes true", "tiny -5", "low -300", "number 123456789", "big -9876543210", "real 1.5", "exact -2.25"):
        assert line in said
    # What only a soft reference holds has none there; inside the pause what only a weak one holds is in the dump, too.
    assert "without a root %d" % (2 if "fork=n" in options else 1) in said
    assert {"root in park", "root in main"} <= set(said)


@pytest.mark.parametrize("options", ["idsize=4", "idsize=8", "fork=n"])
def test_hprof_slurp_counts_the_same_objects(jdk, options, start_java):
    slurp = CACHE / "hprof-slurp/bin/hprof-slurp"
    if not slurp.exists():
        pytest.skip("HPROF-SLURP NOT TESTED: it is not in %s; tools/bootstrap test builds it" % CACHE)
    path = dump_of_graph(start_java, jdk, options)
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
