"""The recorded runs of the original agent with cpu=samples,format=b, repeated with ours on every JDK.

SPDX-License-Identifier: Apache-2.0
"""
import golden
import hprof_binary
from conftest import old_and_new, one_jdk
import pytest

SMALL_HEAP, LARGE_HEAP = "-Xmx200m", "-Xmx4g"


@pytest.mark.parametrize("case", ["bin_samples", "file_bin"])
def test_the_recording_itself_fits_the_format(case):
    content, = golden.recorded(case).values()
    hprof_binary.check(hprof_binary.Binary(content))


def run_binary(start_java, jdk, case, options, *args, vm=()):
    java = start_java(jdk, options, *args, vm=vm)
    ended = java.end()
    golden.check_run(case, java, ended)
    name, = ended.files
    binary = hprof_binary.Binary(ended.read(name))
    hprof_binary.check(binary)
    return binary


def test_a_small_heap_makes_version_1_0_1(jdk, start_java):
    binary = run_binary(start_java, jdk, "bin_samples", "format=b,cpu=samples", "CpuWork", 1000, vm=[SMALL_HEAP])
    assert binary.version == "JAVA PROFILE 1.0.1"
    counts, (total, _) = binary.by_method(), binary.tables[0]
    assert counts.most_common(1)[0][0] == "CpuHot.hot"
    assert counts["CpuHot.hot"] > total / 3    # as in test_golden.py


def test_a_large_heap_makes_version_1_0_2(jdk, start_java):
    binary = run_binary(start_java, jdk, "file_bin", "cpu=samples,format=b,file=x.bin", "Hello", vm=[LARGE_HEAP])
    assert binary.version == "JAVA PROFILE 1.0.2"


def test_the_loaded_classes_are_there_by_their_java_names(jdk, start_java):
    binary = run_binary(start_java, jdk, "bin_samples", "format=b,cpu=samples", "CpuWork", 5, vm=[SMALL_HEAP])
    names = [klass.name for klass in binary.classes.values()]
    original, = golden.recorded("bin_samples").values()
    original_names = {klass.name for klass in hprof_binary.Binary(original).classes.values()}
    known = {"java.lang.Object", "java.lang.String", "java.lang.Thread", "CpuHot", "int[]", "byte[][]",
             "java.lang.String[]", "int"}
    assert known & original_names == known & set(names)


@old_and_new
def test_main_starts_and_ends(jdk, start_java):
    binary = run_binary(start_java, jdk, "bin_samples", "format=b,cpu=samples", "CpuWork", 5, vm=[SMALL_HEAP])
    main = binary.threads[200001]
    assert (main.name, main.group, main.parent) == ("main", "main", "system")
    assert binary.ended.count(200001) == 1
    assert set(binary.ended) <= set(binary.threads)


@one_jdk
def test_force_n_puts_the_pid_at_the_end(jdk, start_java, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "java.hprof").write_bytes(b"old\n")
    java = start_java(jdk, "cpu=samples,format=b,force=n", "Hello", cwd=folder)
    ended = java.end()
    golden.check_run("force_n_bin", java, ended)
    hprof_binary.check(hprof_binary.Binary(ended.read("java.hprof.%d" % java.pid)))
    assert ended.read("java.hprof") == b"old\n"
