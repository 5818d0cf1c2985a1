"""event=nativemem: native memory by stack, and what of it was not freed, against a program with known counts.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import glob
import os
import re
import subprocess

import jfr_file
import pytest
from attaching import attach  # noqa: F401 pylint: disable=unused-import
from conftest import HERE, JDKS, ROOT, compile_library, compile_programs, old_and_new
from robust import crash_files

NEWEST = JDKS[max(JDKS)]
COUNT, BYTES = 100, 1000
LARGE = 10000
OTHER = 1 << 17  # bytes that the VM may make below the same Java methods, when they are called first
RTLD_LAZY, RTLD_NOW, RTLD_DEEPBIND = 1, 2, 8


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """programs_blocks, compiled once."""
    return compile_programs(tmp_path_factory, "programs_blocks")


@pytest.fixture(scope="session")
def blocks(tmp_path_factory):
    """The path of native/blocks.c as a shared library."""
    return compile_library(tmp_path_factory, "blocks", "-pthread", "-fno-optimize-sibling-calls", "-I%s" % (ROOT / "src"))


@pytest.fixture(scope="session")
def allocates(tmp_path_factory):
    """The paths of native/allocates.c: as it is, and with an allocator of its own."""
    plain = compile_library(tmp_path_factory, "allocates", "-fno-builtin", "-Wl,-z,lazy")
    own = tmp_path_factory.mktemp("own") / "libownallocates.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-fno-builtin", "-DOWN", "-Wl,-z,lazy", "-o", str(own),
                    str(HERE / "native/allocates.c")], check=True)
    return plain, own


@pytest.fixture
def run_blocks(run_java, blocks):
    """run_blocks(jdk, options, *args): the program's Ended."""
    def run(jdk, options, *args, vm=(), **keywords):
        ended = run_java(jdk, options, "Blocks", *args, vm=["-Dblocks=%s" % blocks, *vm], **keywords)
        assert ended.rc == 0, ended.stdout + ended.stderr
        assert ended.stdout.endswith("done\n"), ended.stdout
        assert not crash_files(ended)
        return ended
    return run


def collapsed(hprof, path, series):
    """[(frames from the outermost, value)]"""
    said = subprocess.run([hprof, "report", "-e", series, "--to", "collapsed", "-o", "-", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [(line.rpartition(" ")[0].split(";"), int(line.rpartition(" ")[2])) for line in said.splitlines()]


def of(stacks, *names):
    """The sum of the stacks that have a frame with each of these names."""
    return sum(value for frames, value in stacks if all(any(re.search(name, frame) for frame in frames) for name in names))


def quality(hprof, path):
    """Counts that are not 0."""
    said = subprocess.run([hprof, "jfr", "print", "--events", "hprof.Quality", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return collections.Counter(dict(zip(re.findall(r'name = "(\w+)"', said), map(int, re.findall(r"count = (\d+)", said)))))


@pytest.mark.jdks(8, 17, 25, "newest")
def test_each_block_is_counted_with_its_java_stack(jdk, hprof, run_blocks):
    """With nativemem=1 each block is a sample: what Unsafe, direct buffers, Deflaters and a library have is exact."""
    ended = run_blocks(jdk, "nativemem=1,depth=64,mem=256m,file=x.jfr", "java", COUNT, LARGE)
    path = ended.cwd / "x.jfr"
    made, left = collapsed(hprof, path, "nativemem"), collapsed(hprof, path, "leak")
    counts = quality(hprof, path)
    assert not any(counts["nativemem_" + name] for name in ("lost", "unwatched", "unhooked")), counts
    assert of(made, r"blocks_leak$", r"Blocks\.leak$", r"Blocks\.main$") == COUNT * LARGE
    assert of(left, r"blocks_leak$", r"Blocks\.leak$", r"Blocks\.main$") == COUNT * LARGE
    unsafe, kept = of(made, r"llocateMemory", r"Blocks\.unsafe$"), of(left, r"llocateMemory", r"Blocks\.unsafe$")
    assert 0 <= unsafe - COUNT * LARGE < OTHER and abs(kept * 2 - unsafe) < OTHER
    direct = of(left, r"allocateDirect", r"Blocks\.direct$")
    # JDK 8 and others align buffers to pages.
    assert 0 <= direct - COUNT * LARGE < COUNT * 4096 + OTHER
    deflaters, ended_ones = of(made, r"Deflater", r"Blocks\.deflate$"), of(left, r"Deflater", r"Blocks\.deflate$")
    assert deflaters > COUNT * 200000 and abs(ended_ones * 2 - deflaters) < OTHER


@pytest.mark.jdks(8, 17, 25, "newest")
@pytest.mark.parametrize("binding", ["lazy", "now", "deep", "deep-own"])
def test_all_functions_threads_signals_forks_and_late_libraries(jdk, binding, hprof, run_blocks, allocates):
    flags = {"lazy": RTLD_LAZY, "now": RTLD_NOW, "deep": RTLD_LAZY | RTLD_DEEPBIND, "deep-own": RTLD_LAZY | RTLD_DEEPBIND}[binding]
    late, loads = allocates[binding == "deep-own"], 60
    ended = run_blocks(jdk, "nativemem=1,depth=64,mem=256m,file=x.jfr", "all", COUNT, BYTES, late, flags, loads)
    assert "well %d\n" % (1 + loads) in ended.stdout, ended.stdout
    path = ended.cwd / "x.jfr"
    made, left = collapsed(hprof, path, "nativemem"), collapsed(hprof, path, "leak")
    assert not any(quality(hprof, path)["nativemem_" + name] for name in ("lost", "unwatched", "unhooked"))
    expected = {  # allocated, not freed
        "blocks_churn": (COUNT * BYTES, 0),
        "blocks_each": (5 * BYTES, 5 * BYTES),
        "blocks_grow": (COUNT * BYTES * 7, COUNT * BYTES * 4),
        "blocks_fail": (COUNT * BYTES * 2, COUNT * BYTES),
        "blocks_handed": (COUNT * BYTES, 0),
        "blocks_handled": (COUNT * BYTES, COUNT * BYTES),
    }
    for name, (bytes_made, bytes_left) in expected.items():
        extra = of(made, name + "$") - bytes_made
        # pthread_create() makes memory of its own, below the function that calls it.
        assert 0 <= extra < 4096, (name, extra)
        assert 0 <= of(left, name + "$") - bytes_left < 4096, name
    # A thread that the VM does not know, and one that blocks all signals, which is not walked.
    assert of(left, r"leak_here$", r"blocks_leak$") == 16 * BYTES
    assert of(left, r"blocks_leak$") == 16 * BYTES + COUNT * BYTES
    assert of(left, r"late_use$") == 0


@old_and_new
def test_samples_add_up_to_what_was_allocated(jdk, hprof, run_blocks):
    """Of small blocks few are sampled: each sample stands for those around it."""
    count, size = 40000, 1000
    ended = run_blocks(jdk, "nativemem=64k,depth=64,file=x.jfr", "leak", count, size)
    left = collapsed(hprof, ended.cwd / "x.jfr", "leak")
    samples = count * size / 65536
    # Five standard errors.
    assert abs(of(left, r"blocks_leak$") / (count * size) - 1) < 5 / samples ** 0.5
    assert 0 < jfr_file.counts(NEWEST, ended.cwd / "x.jfr")["profiler.Malloc"] < count / 10


@old_and_new
def test_imports_are_restored_each_time(jdk, hprof, start_java, attach, blocks):  # noqa: F811
    java = start_java(jdk, None, "Blocks", "rounds", COUNT, BYTES, vm=["-Dblocks=%s" % blocks])
    java.wait_for_stdout("begun 0\n")

    def said(text):
        return java.out.read_text().count(text)

    def hooked():
        before = said("hooked ")
        (java.cwd / "look").touch()
        java.wait_for(lambda: said("hooked ") > before and java.out.read_text().endswith("\n"), "a look")
        return int(re.findall(r"hooked (\d+)\n", java.out.read_text())[-1])

    for i in range(5):
        attach(jdk, java, "start,event=nativemem,nativemem=1,depth=64,file=%s" % (java.cwd / ("x%d.jfr" % i)))
        assert hooked() > 20
        (java.cwd / "leak").touch()
        java.wait_for(lambda i=i: said("leaked") == i + 1, "the blocks")
        attach(jdk, java, "stop")
        assert hooked() == 0
        assert of(collapsed(hprof, java.cwd / ("x%d.jfr" % i), "leak"), r"blocks_leak$") == COUNT * BYTES
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and not crash_files(ended), ended.stderr


def allocator(name):
    folders = ["/usr/lib/*", "/usr/local/lib"] + os.environ.get("HPROF_TEST_LIBRARIES", "").split()
    found = [path for folder in folders for path in glob.glob(folder + "/" + name)]
    return found[0] if found else pytest.skip("no %s is here: install its package, or name a folder in HPROF_TEST_LIBRARIES" % name)


@old_and_new
@pytest.mark.parametrize("name", ["libjemalloc.so.2", "libtcmalloc_minimal.so.4"])
def test_another_allocator_in_front_keeps_its_blocks(jdk, name, hprof, run_blocks, allocates):
    preload = allocator(name)
    ended = run_blocks(jdk, "nativemem=1,depth=64,mem=256m,file=x.jfr", "java", COUNT, BYTES, env={"LD_PRELOAD": preload})
    path = ended.cwd / "x.jfr"
    assert of(collapsed(hprof, path, "leak"), r"blocks_leak$") == COUNT * BYTES
    ended = run_blocks(jdk, "nativemem=1,depth=64,mem=256m,file=x.jfr", "all", COUNT, BYTES, allocates[0], RTLD_LAZY, 20, env={"LD_PRELOAD": preload})
    assert "well 21\n" in ended.stdout


@pytest.mark.jdks(17)
def test_a_program_under_a_sanitizer_is_left_alone(jdk, run_java, blocks, tmp_path):
    """A library with its name is enough."""
    (tmp_path / "asan.c").write_text("void __asan_init(void) {}\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(tmp_path / "libasan.so"), str(tmp_path / "asan.c")], check=True)
    ended = run_java(jdk, "nativemem=1,file=x.jfr", "Blocks", "leak", COUNT, BYTES, vm=["-Dblocks=%s" % blocks], env={"LD_PRELOAD": str(tmp_path / "libasan.so")})
    assert ended.rc == 0 and "runs under AddressSanitizer" in ended.stderr, ended.stderr


@pytest.mark.jdks(17)
def test_it_is_in_text_and_pictures_and_beside_other_events(jdk, hprof, run_blocks):
    ended = run_blocks(jdk, "event=nativemem,nativemem=1,depth=64,cutoff=0", "java", COUNT, BYTES)
    assert re.search(r"^EVENTS nativemem BEGIN \(bytes=\d+ blocks=\d+ unfreed bytes=\d+", ended.text().replace("_", " "), re.M), ended.text()[-2000:]
    ended = run_blocks(jdk, "event=nativemem,nativemem=1,depth=64,file=x.collapsed", "java", COUNT, BYTES)
    assert re.search(r"blocks_leak %d$" % (COUNT * BYTES), ended.text("x.collapsed"), re.M)
    ended = run_blocks(jdk, "event=cpu+alloc+lock+nativemem,nativemem=4k,depth=64,file=x.jfr", "java", COUNT, BYTES)
    counts = jfr_file.counts(NEWEST, ended.cwd / "x.jfr")
    assert counts["profiler.Malloc"] > 0 and counts["jdk.ExecutionSample"] > 0
    said = subprocess.run([hprof, "report", "-e", "nativemem", "--leak", str(ended.cwd / "x.jfr")], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "native memory that was not freed" in said and "Blocks.leak" in said and re.search(r"\d+\.\ds +\d+\.\ds$", said, re.M)
