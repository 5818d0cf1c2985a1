"""`hprof heap` on what is no plain file: JVMs, cores, packed dumps, standard input; and dumps that are written without their values.

SPDX-License-Identifier: Apache-2.0
"""
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import hprof_heap
import pytest
from asking import ask, nobodys_java, told
from conftest import TIMEOUT_S, old_and_new, one_jdk, wait_until
from cores import make_core  # noqa: F401 (a fixture)
from robust import classes as robust_classes  # noqa: F401
from test_full_disk import small_disk  # noqa: F401
from test_heapdump import G1, SERIAL, ZGC, has_collector

NODES = 500
HEAP = ["-Xms64m", "-Xmx64m"]
STOOD = re.compile(r"(\d+) \(HeapGraph\): taken: (\d+) objects, [\d.]+ MB; the program stood still for [\d.]+ ms\n")
ROOM = re.compile(r"its dump may take [\d.]+ .?B of the [\d.]+ .?B that (.+) has, until this command ends\n")
SECRET = "correct horse battery staple"


@pytest.fixture
def graph(start_java):
    """graph(jdk, *options): HeapGraph without the agent, ready."""
    def start(jdk, *vm):
        java = start_java(jdk, None, "HeapGraph", NODES, 600000, vm=(*HEAP, *vm))
        java.wait_for_stdout("ready")
        return java
    return start


@pytest.fixture
def tmp(tmp_path):
    """A folder for files without names, in which nothing may be left."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    yield folder
    assert not list(folder.iterdir())


def rows_of(text):
    """Objects and own sizes by class, of `histo --json`."""
    return {row["class"]: (row["objects"], row["shallow_bytes"]) for row in json.loads(text)["rows"]}


def nodes_of(text):
    return rows_of(text)["HeapGraph$Node"][0]


def histo(hprof, *args, status=0):
    return ask(hprof, "heap", "--json", "-n", 100000, *args, "histo", status=status)


# ---- a running JVM

@pytest.mark.jdks(8, 17, 25, "newest")
def test_a_running_jvm(jdk, hprof, graph, tmp):
    java = graph(jdk)
    out, said = histo(hprof, "--live", "--tmp", tmp, java.pid)
    assert nodes_of(out) > NODES
    assert STOOD.search(said)[1] == str(java.pid) and ROOM.search(said)[1] == str(tmp)
    out, said = ask(hprof, "heap", "--tmp", tmp, java.pid, "threads")
    assert '"main"' in out and "HeapGraph.main" in out
    out, said = ask(hprof, "heap", "--tmp", tmp, java.pid)
    assert "what holds it" in out and "keep a dump: hprof dump-heap --fork %d FILE.hprof\n" % java.pid in said
    assert java.process.poll() is None and ask(hprof, "status", java.pid)[0].endswith("state=idle\n")


@one_jdk
def test_a_running_jvm_stands_still_if_it_is_told_to(jdk, hprof, graph, tmp):
    java = graph(jdk)
    out, said = histo(hprof, "--stand", "--live", "--tmp", tmp, java.pid)
    assert nodes_of(out) > NODES and " ms, all the time that it took\n" in said, said
    assert java.err.read_text().count("HPROF: the heap dump stops the program for about ") == 1
    ask(hprof, "jcmd", java.pid, "GC.run")    # before the first collection the counters of some JDKs say nothing
    said = ask(hprof, "heap", "--stand", "--max-stop", "1us", "--tmp", tmp, java.pid, status=1)[1]
    assert "it would stand still for about " in said


@one_jdk
def test_a_running_jvm_by_its_name(jdk, hprof, graph, tmp):
    java = graph(jdk, "-Dname.of=this")
    named = ask(hprof, "ps")[0]
    if named.count("HeapGraph") > 1:
        pytest.skip("ANOTHER HeapGraph RUNS: it cannot be told from this one by its name")
    assert nodes_of(histo(hprof, "--tmp", tmp, "HeapGraph")[0]) > NODES
    assert java.process.poll() is None


@one_jdk
def test_what_comes_after_is_in_a_comparison(jdk, hprof, graph, tmp, tmp_path):
    java, before = graph(jdk), tmp_path / "before.hprof"
    ask(hprof, "dump-heap", "--fork", "--live", java.pid, before)
    out = json.loads(ask(hprof, "heap", "--json", "--live", "--tmp", tmp, "diff", before, java.pid)[0])
    assert out["question"] == "diff" and abs(out["growth"]) < 1 << 20


@one_jdk
def test_refused_before_the_jvm_is_touched(jdk, hprof, graph, tmp, small_disk):  # noqa: F811
    java = graph(jdk)
    maps = pathlib.Path("/proc/%d/maps" % java.pid)
    said = ask(hprof, "heap", "--tmp", small_disk, java.pid, status=1)[1]
    assert "no room: its dump may take " in said and str(small_disk) in said and "--tmp" in said
    assert "libhprof" not in maps.read_text() and "HPROF" not in maps.read_text()
    assert not pathlib.Path("/tmp/.java_pid%d" % java.pid).exists(), "not even asked"
    said = ask(hprof, "heap", "--tmp", tmp / "none", java.pid, "histo", status=0)[1]
    assert ROOM.search(said)[1] == "the JVM's /tmp"
    assert pathlib.Path("/tmp/.java_pid%d" % java.pid).exists()
    assert "no question 'nonsense'" in ask(hprof, "heap", java.pid, "nonsense", status=2)[1]
    assert "is for a core" in ask(hprof, "heap", "--sysroot", "/", java.pid, status=2)[1]


def spools(pid):
    """The files without a name that a process has open."""
    found = []
    for fd in pathlib.Path("/proc/%d/fd" % pid).iterdir():
        try:
            path, mode = os.readlink(fd), fd.stat().st_mode & 0o777
            is_same = path == os.readlink(fd)
        except OSError:
            continue
        if is_same and path.endswith("(deleted)"):
            found.append((path, mode))
    return found


@one_jdk
def test_a_killed_command_leaves_nothing(jdk, hprof, graph, tmp):
    java = graph(jdk)
    process = subprocess.Popen([hprof, "heap", "--tmp", str(tmp), "--verify", str(java.pid), "suspects"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    seen = []
    while process.poll() is None and not seen:
        seen = [mode for path, mode in spools(process.pid) if path.startswith(str(tmp))]
    process.send_signal(signal.SIGKILL)
    process.wait(TIMEOUT_S)
    assert all(mode == 0o600 for mode in seen)
    wait_until(lambda: not list(tmp.iterdir()), "nothing is left")
    wait_until(lambda: ask(hprof, "status", java.pid)[0].endswith("state=idle\n"), "the agent has nothing to do")
    assert java.process.poll() is None


@one_jdk
def test_a_jvm_of_another_user(jdk, hprof, tmp, tmp_path, robust_classes):  # noqa: F811
    with nobodys_java(jdk, robust_classes, tmp_path) as pid:
        out, said = histo(hprof, "--tmp", tmp, pid)
    assert rows_of(out)["java.lang.String"][0] > 500 and ROOM.search(said)[1] == "the JVM's /tmp"


@old_and_new
def test_a_jvm_that_is_stopped(jdk, hprof, graph, tmp):
    java = graph(jdk, G1)
    java.signal(signal.SIGSTOP)
    wait_until(lambda: " T " in pathlib.Path("/proc/%d/stat" % java.pid).read_text(), "it is stopped")
    said = ask(hprof, "heap", "--outside", "--max-stop", "1us", "--tmp", tmp, java.pid, status=1)[1]
    assert "the bound is 0.001 ms" in said
    out, said = histo(hprof, "--outside", "--max-stop", "10s", "--live", "--tmp", tmp, java.pid)
    assert nodes_of(out) > NODES and ROOM.search(said) and "stood still for " in said
    java.signal(signal.SIGCONT)
    assert ask(hprof, "histo", java.pid)[0] != ""


@pytest.mark.jdks(25)
def test_the_heap_of_zgc(jdk, hprof, graph, tmp):
    if not has_collector(jdk, ZGC):
        pytest.skip("no ZGC")
    java = graph(jdk, *ZGC)
    assert nodes_of(histo(hprof, "--tmp", tmp, java.pid)[0]) > NODES


# ---- cores

@pytest.mark.jdks(8, 17, 25, "newest")
def test_a_core(jdk, hprof, make_core, tmp):  # noqa: F811
    core, _ = make_core(jdk, "0x33", NODES, 600000, vm=[SERIAL, *HEAP, "-Dmy.password=" + SECRET.split(" ", maxsplit=1)[0]], program="HeapGraph")
    out, said = histo(hprof, "--tmp", tmp, core)
    counted = re.findall(r" *\d+: +(\d+) +(\d+)  HeapGraph\$Node\n", ask(hprof, "histo", core)[0])
    assert rows_of(out)["HeapGraph$Node"] == tuple(map(int, counted[0])) and ROOM.search(said)
    out, said = ask(hprof, "heap", "--tmp", tmp, core)
    assert re.search(r"from the core of process \d+, which signal \d+ ended \([\w ]+\); thread: ", out)
    assert "command: HeapGraph %d 600000\n" % NODES in out and "-Xmx64m" in out
    assert "[REDACTED]" in out and SECRET.split(" ", maxsplit=1)[0] not in out
    page = json.loads(ask(hprof, "heap", "--json", "--tmp", tmp, core)[0])
    assert page["jvm"]["signal"] in (signal.SIGSEGV, signal.SIGABRT) and page["jvm"]["command"] == "HeapGraph %d 600000" % NODES and page["jvm"]["thread"]
    assert '"main"' in ask(hprof, "heap", "--tmp", tmp, core, "threads")[0]


@one_jdk
def test_a_core_that_is_cut_and_one_without_room(jdk, hprof, make_core, tmp, small_disk):  # noqa: F811
    core, _ = make_core(jdk, "0x33", NODES, 600000, vm=[SERIAL, *HEAP], program="HeapGraph")
    said = ask(hprof, "heap", "--tmp", small_disk, core, status=1)[1]
    assert "no room: its dump may take " in said
    assert "is for a JVM that answers" in ask(hprof, "heap", "--agent", "x.so", core, status=2)[1]
    os.truncate(core, core.stat().st_size // 4)
    done = subprocess.run([hprof, "heap", "--tmp", str(tmp), str(core)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          timeout=TIMEOUT_S)
    assert done.returncode == 1 and "cut" in done.stderr


# ---- packed dumps and standard input

def piped(hprof, data, *args, status=0):
    done = subprocess.run([hprof, "heap", *map(str, args)], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=TIMEOUT_S)
    assert done.returncode == status, done.stderr
    return done.stdout.decode(), done.stderr.decode()


@pytest.mark.jdks(8, 17, 25, "newest")
def test_packed_or_through_a_pipe_it_is_the_same(jdk, hprof, graph, tmp, tmp_path):
    """Of the JVM's own dump; since JDK 17 it also packs one, in blocks of a megabyte."""
    java, plain = graph(jdk), tmp_path / "plain.hprof"
    told(jdk, "jcmd", java.pid, "GC.heap_dump", plain)
    data = plain.read_bytes()
    whole = histo(hprof, plain)[0]
    rows = rows_of(whole)
    shallow = histo(hprof, "--shallow", plain)[0]
    assert rows_of(shallow) == rows and json.loads(shallow)["bytes"] == json.loads(whole)["bytes"]
    assert rows_of(piped(hprof, data, "--json", "-n", 100000, "-", "histo")[0]) == rows
    packed = [("gz", gzip.compress(data, 1))]
    if shutil.which("zstd"):
        packed.append(("zst", subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True, timeout=TIMEOUT_S).stdout))
    if jdk.number >= 17:
        blocks = tmp_path / "blocks.hprof.gz"
        told(jdk, "jcmd", java.pid, "GC.heap_dump", "-gz=1", blocks)
        assert b"HPROF BLOCKSIZE" in blocks.read_bytes()[:64]
        assert rows_of(histo(hprof, "--tmp", tmp, blocks)[0])["HeapGraph$Node"] == rows["HeapGraph$Node"]
        assert rows_of(histo(hprof, "--shallow", blocks)[0])["HeapGraph$Node"] == rows["HeapGraph$Node"]
    for suffix, bytes_ in packed:
        path = tmp_path / ("packed.hprof." + suffix)
        path.write_bytes(bytes_)
        assert histo(hprof, "--tmp", tmp, path)[0] == whole
        assert rows_of(histo(hprof, "--shallow", path)[0]) == rows
        assert rows_of(piped(hprof, bytes_, "--json", "-n", 100000, "-", "histo")[0]) == rows
        out, said = piped(hprof, bytes_, "--tmp", tmp, "-", "top", "-n", 3)
        assert out == ask(hprof, "heap", plain, "top", "-n", 3)[0] and "standard input goes to a file without a name in " + str(tmp) in said
        cut = piped(hprof, bytes_[:len(bytes_) * 9 // 10], "--tmp", tmp, "-", "top", status=1)
        assert "cut off" in cut[1] and "ends in the middle" in cut[1] and "java.lang" in cut[0]
    with open(plain, "rb") as file:
        done = subprocess.run([hprof, "heap", "-", "top", "-n", "3"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True,
                              timeout=TIMEOUT_S)
    assert done.stdout == ask(hprof, "heap", plain, "top", "-n", 3)[0] and not done.stderr, "a file is read where it lies"


@one_jdk
def test_what_cannot_be_asked_of_a_pipe(jdk, hprof, graph, tmp_path):
    assert "--shallow is for histo" in ask(hprof, "heap", "--shallow", "x.hprof", "top", status=2)[1]
    assert "nothing came" in piped(hprof, b"", "-", "histo", status=1)[1]
    assert "no HPROF file" in piped(hprof, b"x" * 100, "-", "histo", status=1)[1]
    java, plain = graph(jdk), tmp_path / "plain.hprof"
    ask(hprof, "dump-heap", "--fork", java.pid, plain)
    assert "--dump 7: there are 1 heap dumps in it" in piped(hprof, plain.read_bytes(), "--dump", 7, "-", "histo", status=1)[1]


# ---- more objects than any memory has

def many_objects(count):
    """A dump with so many objects of 17 bytes in the file, in segments that are all alike."""
    def name(number, text):
        return b"\1" + bytes(4) + (4 + len(text)).to_bytes(4, "big") + number.to_bytes(4, "big") + text
    load = b"\2" + bytes(4) + (16).to_bytes(4, "big") + b"\0\0\0\1" + (8).to_bytes(4, "big") + bytes(4) + (1).to_bytes(4, "big")
    klass = b"\x20" + (8).to_bytes(4, "big") + bytes(4 + 6 * 4 + 4 + 6)
    one = b"\x21" + (16).to_bytes(4, "big") + bytes(4) + (8).to_bytes(4, "big") + bytes(4)
    segment = one * 60000
    head = b"\x1c" + bytes(4)
    yield b"JAVA PROFILE 1.0.2\0" + (4).to_bytes(4, "big") + bytes(8) + name(1, b"a/Small") + load
    yield head + len(klass).to_bytes(4, "big") + klass
    whole, rest = divmod(count, 60000)
    block = (head + len(segment).to_bytes(4, "big") + segment) * 8
    for _ in range(whole // 8):
        yield block
    for _ in range(whole % 8):
        yield block[:len(block) // 8]
    yield head + (len(one) * rest).to_bytes(4, "big") + one * rest + b"\x2c" + bytes(8)


def count_many(hprof, count):
    """What `heap - histo` says of so many objects, and the most memory that it had."""
    with subprocess.Popen([hprof, "heap", "--json", "--memory", "32m", "-", "histo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for piece in many_objects(count):
            process.stdin.write(piece)
        status = pathlib.Path("/proc/%d/status" % process.pid).read_text()
        process.stdin.close()
        out = process.stdout.read()
        assert process.wait(TIMEOUT_S) == 0
    return json.loads(out), int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


def test_a_histogram_of_more_objects_than_32_bits_count(hprof, request):
    """With --everyday of millions, which take the same memory."""
    count = 5000000 if request.config.option.everyday else 4400000000
    out, peak = count_many(hprof, count)
    assert out["rows"][0] == {"objects": count, "shallow_bytes": 8 * count, "class": "a.Small"} and out["objects"] == count + 1
    assert peak < 32 << 20


# ---- dumps without their values

def records(path, left_out=()):
    """The file without the moments at which its records were written, and without the records with these tags."""
    data = path.read_bytes()
    at = data.index(0) + 1 + 4 + 8
    found = [data[:at]]
    while at < len(data):
        end = at + 9 + int.from_bytes(data[at + 5:at + 9], "big")
        if data[at] not in left_out:
            found.append(data[at:at + 1] + data[at + 5:end])
        at = end
    return found


def assert_redacted(path, level, hprof, tmp_path):
    """`hprof redact` finds nothing that is left to be zeroed, but names of fields of classes that are not in the dump."""
    again = tmp_path / "again.hprof"
    ask(hprof, "redact", *(["--all"] if level == "all" else []), path, again)
    assert records(again, left_out=[1]) == records(path, left_out=[1])
    heap = hprof_heap.Heap(path.read_bytes())
    heap.check()
    return heap


@pytest.mark.jdks(8, 17, 25, "newest")
@pytest.mark.parametrize("level", ["values", "all"])
def test_the_dump_of_a_core_is_that_which_redact_makes(jdk, level, hprof, make_core, tmp_path):  # noqa: F811
    core, _ = make_core(jdk, "0x33", NODES, 600000, vm=[SERIAL, *HEAP], program="HeapGraph")
    plain, ours, theirs = (tmp_path / name for name in ("plain.hprof", "ours.hprof", "theirs.hprof"))
    ask(hprof, "dump-heap", core, plain)
    ask(hprof, "dump-heap", "--redact" + ("=all" if level == "all" else ""), core, ours)
    ask(hprof, "redact", *(["--all"] if level == "all" else []), plain, theirs)
    heaps = [hprof_heap.Heap(path.read_bytes()) for path in (ours, theirs, plain)]
    assert heaps[0].objects == heaps[1].objects != heaps[2].objects
    assert repr(heaps[0].classes) == repr(heaps[1].classes) and heaps[0].roots == heaps[1].roots, "a NaN is not equal to itself"


@pytest.mark.jdks(8, 17, 25, "newest")
@pytest.mark.parametrize("level", ["values", "all"])
def test_a_frozen_child_writes_no_values(jdk, level, hprof, graph, tmp_path):
    java, path = graph(jdk, "-Dsecret=" + SECRET), tmp_path / "ours.hprof"
    plain = tmp_path / "plain.hprof"
    ask(hprof, "dump-heap", "--fork", java.pid, plain)
    kept = [SECRET.encode(), SECRET.encode("utf-16-be")]
    assert any(word in plain.read_bytes() for word in kept)
    ask(hprof, "dump-heap", "--fork", "--redact" + ("=all" if level == "all" else ""), java.pid, path)
    assert not any(word in path.read_bytes() for word in kept)
    heap = assert_redacted(path, level, hprof, tmp_path)
    assert heap.histogram()["HeapGraph$Node"] > NODES
    assert "--redact needs --fork" in ask(hprof, "dump-heap", "--redact", java.pid, tmp_path / "x.hprof", status=2)[1]
    assert "wanted is --redact or --redact=all" in ask(hprof, "dump-heap", "--fork", "--redact=some", java.pid, status=2)[1]


@pytest.mark.jdks(8, 17, 25, "newest")
@pytest.mark.parametrize("fork", ["y", "n"], ids=["child", "pause"])
@pytest.mark.parametrize("level", ["y", "all"])
def test_the_agent_writes_no_values(jdk, fork, level, hprof, run_java, tmp_path):
    path = tmp_path / "java.hprof"
    ended = run_java(jdk, "heap=dump,format=b,plain=y,redact=%s,fork=%s,file=%s" % (level, fork, path), "HeapGraph", NODES, 0, vm=["-Dsecret=" + SECRET])
    assert ended.rc == 0, ended.stderr
    assert SECRET.encode() not in path.read_bytes() and SECRET.encode("utf-16-be") not in path.read_bytes()
    assert_redacted(path, level, hprof, tmp_path)
