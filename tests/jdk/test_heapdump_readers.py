"""Heap dumps of engine_heapdump opened by another reader: VisualVM's heap library, from Maven Central.

SPDX-License-Identifier: Apache-2.0
"""
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


@pytest.fixture(scope="module")
def visualvm(tmp_path_factory):
    """The class path of the reader."""
    cache = pathlib.Path(os.environ.get("HPROF_CACHE") or pathlib.Path.home() / ".cache/hprof", "readers")
    jar = cache / ("%s-%s.jar" % (NAME, VERSION))
    if not jar.exists():
        if not shutil.which("mvn"):
            pytest.skip("VISUALVM'S READER NOT TESTED: no mvn")
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mvn", "-q", "dependency:copy", "-Dartifact=org.netbeans.modules:%s:%s" % (NAME, VERSION),
                        "-DoutputDirectory=%s" % cache], check=False, timeout=300, stdin=subprocess.DEVNULL)
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


@pytest.mark.jdks(8, 25)
@pytest.mark.parametrize("options", ["idsize=4", "idsize=8", "fork=n"])
def test_visualvm_reads_it(jdk, options, start_java, visualvm):
    java = start_java(jdk, "heap=dump,format=b,doe=n," + options, "HeapGraph", 500, 60000)
    java.wait_for_stdout("ready")
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr(DONE)
    java.signal(signal.SIGTERM)
    java.end()
    path = java.cwd / "java.hprof"
    heap = hprof_heap.Heap(path.read_bytes())
    said = visualvm(path)
    assert said[0] == "instances %d counted %d" % (len(heap.objects), len(heap.objects))
    for line in ("yes true", "tiny -5", "low -300", "number 123456789", "big -9876543210", "real 1.5", "exact -2.25"):
        assert line in said
    # What only a soft reference holds has none there; inside the pause what only a weak one holds is in the dump, too.
    assert "without a root %d" % (2 if "fork=n" in options else 1) in said
    assert {"root in park", "root in main"} <= set(said)
