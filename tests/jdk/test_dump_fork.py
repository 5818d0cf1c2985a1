"""hprof dump-heap --fork: the heap of a JVM that knows nothing of the agent, written by a frozen child of it.

SPDX-License-Identifier: Apache-2.0
"""
import fcntl
import gzip
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import threading

import hprof_heap
import pytest
from asking import ask, nobodys_java
from attaching import command  # noqa: F401
from conftest import TIMEOUT_S, compile_library, old_and_new, one_jdk
from robust import classes as robust_classes, crash_files  # noqa: F401
from test_full_disk import small_disk  # noqa: F401
from test_heapdump import check_graph, has_collector
from test_heapdump_live import roomy
from test_heapdump_zgc import ONE, TWO
from test_record import descriptors, recording
from test_signals import async_profiler  # noqa: F401

SAID = re.compile(r"(.+): heap dump of (\d+) objects, [\d.]+ MB( before they were packed)?: the program stood still for [\d.]+ ms"
                  r"(, and went on for the [\d.]+ s that it took|, all the time that it took)\n")
NODES = 500
DUMPS = 8


@pytest.fixture
def graph(start_java):
    """graph(jdk, *options): HeapGraph without the agent, ready."""
    def start(jdk, *vm):
        java = start_java(jdk, None, "HeapGraph", NODES, 600000, vm=("-Xmx200m",) + vm)
        java.wait_for_stdout("ready")
        return java
    return start


def graph_in_zgc(graph, jdk):
    """graph() in ZGC, whose heap a fork does not freeze."""
    vm = TWO if jdk.number >= 21 else ONE
    if not has_collector(jdk, vm):
        pytest.skip("JDK %d has no ZGC" % jdk.number)
    return graph(jdk, *vm)


@pytest.fixture
def into(tmp_path):
    """A folder that nobody else writes to."""
    (tmp_path / "into").mkdir()
    return tmp_path / "into"


def dump(hprof, java, *options):
    """What its line says, and its messages."""
    out, said = ask(hprof, "dump-heap", "--fork", *options)
    found = SAID.fullmatch(out)
    assert found, out
    assert java.process.poll() is None and ask(hprof, "status", java.pid)[0].endswith("state=idle\n")
    return found, said


@pytest.fixture(scope="session")
def noname(tmp_path_factory):
    return compile_library(tmp_path_factory, "noname")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_all_is_there_and_nothing_stays(hprof, graph, into, jdk):
    java, out = graph(jdk), into / "out.hprof"
    for _ in range(2):
        line, said = dump(hprof, java, "--live", java.pid, out)
        heap = hprof_heap.Heap(out.read_bytes())
        heap.check()
        check_graph(heap, NODES)
        assert (line[1], int(line[2]), line[3], said) == (str(out), len(heap.objects), None, "") and line[4]
        assert stat.S_IMODE(out.stat().st_mode) == 0o600 and names(into) == ["out.hprof"]
        assert not java.err.read_text() or "dynamically" in java.err.read_text(), "the JVM's own warning at most"
        out.unlink()


@pytest.mark.jdks(8, 17, 25, 27)
def test_the_program_stands_still_if_it_is_told_to(hprof, graph, into, jdk):
    """The dump is the same; the JVM says before for how long it will stand."""
    java, out = graph(jdk), into / "out.hprof"
    line, said = dump(hprof, java, "--stand", "--live", java.pid, out)
    heap = hprof_heap.Heap(out.read_bytes())
    heap.check()
    check_graph(heap, NODES)
    assert line[4] == ", all the time that it took" and said == "" and names(into) == ["out.hprof"]
    assert java.err.read_text().count("HPROF: the heap dump stops the program for about ") == 1
    line, _ = dump(hprof, java, "--live", java.pid, into / "again")
    assert line[4].startswith(", and went on")


@pytest.mark.jdks(21, "newest")
def test_zgc_is_copied_and_the_program_never_stands_for_it(hprof, graph, into, jdk):
    """The child writes to the heap that it has, which must not be the program's."""
    java = graph_in_zgc(graph, jdk)
    out, said = ask(hprof, "dump-heap", "--fork", "--stand", "--live", java.pid, into / "out", status=1)
    assert out == "" and "forkmem=0 leaves no memory for a copy of ZGC's heap" in said and names(into) == []
    dump(hprof, java, "--live", java.pid, into / "again")
    check_graph(hprof_heap.Heap((into / "again").read_bytes()), NODES)


@one_jdk
def test_a_stand_that_would_be_too_long_is_not_begun(hprof, graph, into, jdk):
    java = graph(jdk)
    ask(hprof, "jcmd", java.pid, "GC.run")    # before the first collection the counters of some JDKs say nothing
    out, said = ask(hprof, "dump-heap", "--fork", "--stand", "--max-stop", "1us", java.pid, into / "out", status=1)
    assert out == "" and "it would stand still for about " in said and names(into) == []
    out, said = ask(hprof, "dump-heap", "--stand", java.pid, into / "out", status=2)
    assert out == "" and "--stand is for --fork" in said


@pytest.mark.jdks(8, 17, 21)    # the last that this version of it knows
def test_another_profiler_s_handler_of_faults_is_in_front(hprof, start_java, agent, async_profiler, into, jdk):    # noqa: F811
    """The child catches faults of its own, which that handler must not hide."""
    java = start_java(jdk, None, "HeapGraph", NODES, 600000, vm=[
        "-Xmx200m", "-agentpath:%s=cpu=samples,file=out.txt" % agent, "-agentpath:%s=start,event=itimer,file=rival.txt" % async_profiler])
    java.wait_for_stdout("ready")
    out = into / "out.hprof"
    said, _ = ask(hprof, "dump-heap", "--fork", "--live", java.pid, out)
    assert SAID.fullmatch(said), said
    check_graph(hprof_heap.Heap(out.read_bytes()), NODES)


@pytest.mark.jdks(8, 17, "newest")
def test_all_objects_and_those_that_can_be_reached(hprof, start_java, into, jdk):
    java = start_java(jdk, None, "HeapGarbage", 100, 1, 600000, vm=roomy(jdk, "serial"))
    java.wait_for_stdout("ready")
    found = {}
    for options in ((), ("--live",)):
        out = into / ("out%d" % len(options))
        dump(hprof, java, *options, java.pid, out)
        heap = hprof_heap.Heap(out.read_bytes())
        heap.check()
        found[options] = len(heap.instances_of("HeapGarbage$Dead")), len(heap.instances_of("HeapGarbage$Alive"))
    assert found == {(): (100, 1), ("--live",): (0, 1)}


@pytest.mark.jdks(8, "newest")
def test_it_is_packed(hprof, graph, into, jdk, monkeypatch):
    """By the name's suffix, or by the option; without a name it is that of the process."""
    java = graph(jdk)
    monkeypatch.chdir(into)
    for options, name in (([java.pid, "out.hprof.gz"], "out.hprof.gz"), (["-z", 9, java.pid], "hprof-%d.hprof.gz" % java.pid)):
        line, _ = dump(hprof, java, "--live", *options)
        assert line[1] == name and line[3]
        check_graph(hprof_heap.Heap(gzip.decompress((into / name).read_bytes())), NODES)
    dump(hprof, java, java.pid)
    assert names(into) == sorted(["out.hprof.gz", "hprof-%d.hprof.gz" % java.pid, "hprof-%d.hprof" % java.pid])
    done = subprocess.run([hprof, "dump-heap", "--fork", "--live", str(java.pid), "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=True, timeout=TIMEOUT_S)
    check_graph(hprof_heap.Heap(done.stdout), NODES)
    assert SAID.fullmatch(done.stderr.decode())[1] == "-"


@one_jdk
def test_what_was_there_is_kept_and_no_link_is_followed(hprof, graph, into, jdk):
    java = graph(jdk)
    (into / "link").symlink_to(into / "target")
    (into / "file").write_text("as it was\n")
    for name in ("link", "file"):
        _, said = dump(hprof, java, java.pid, into / name)
        assert "was there already" in said and not (into / name).is_symlink()
    assert names(into) == ["file", "file.old", "link", "link.old"]
    assert (into / "file.old").read_text() == "as it was\n"
    (into / "folder").mkdir()
    for name, words in (("folder", "is a directory"), ("nowhere/x", "No such file")):
        out, said = ask(hprof, "dump-heap", "--fork", java.pid, into / name, status=1)
        assert words in said and said.count("\n") == 1 and out == ""
    assert names(into / "folder") == []


def children(java):
    return [int(child) for task in pathlib.Path("/proc/%d/task" % java.pid).iterdir() for child in (task / "children").read_text().split()]


def is_stopped(pid):
    return pathlib.Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()[0] == "T"


def begin_and_hold(hprof, java, out):
    """A dump whose child stands still."""
    asked = subprocess.Popen([hprof, "dump-heap", "--fork", str(java.pid), str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    java.wait_for_child()
    child, = children(java)
    os.kill(child, signal.SIGSTOP)
    return asked, child


@pytest.fixture
def large(start_java):
    """large(jdk): a JVM whose dump takes long enough to be met while it is made."""
    def start(jdk):
        java = start_java(jdk, None, "HeapGraph", 300000, 600000, vm=["-Xmx600m"])
        java.wait_for_stdout("ready")
        return java
    return start


@pytest.mark.jdks(8, 17, 25, 27)
def test_threads_that_begin_and_end_meanwhile(hprof, start_java, into, jdk):
    """Each dump looks up all threads, some of which are about to end."""
    java = start_java(jdk, None, "ThreadsCome", 3, vm=["-Xmx100m"])
    java.wait_for_stdout("ready")
    for number in range(DUMPS):
        out = into / ("out%d" % number)
        dump(hprof, java, "--live", java.pid, out)
        heap = hprof_heap.Heap(out.read_bytes())
        heap.check()
        assert sum(name.startswith("maker-") for name in heap.started.values()) == 3
        out.unlink()
    (java.cwd / "over").touch()
    ended = java.end()
    assert ended.rc == 0 and "done " in ended.stdout, ended.stderr


@one_jdk    # a child is ended alike in each
@pytest.mark.jdks(8, "newest")
def test_ctrl_c_ends_all_of_it(hprof, large, into, jdk):
    java = large(jdk)
    asked, child = begin_and_hold(hprof, java, into / "out")
    asked.send_signal(signal.SIGINT)
    out, said = asked.communicate(timeout=TIMEOUT_S)
    assert (asked.returncode, out) == (1, "") and "there is no heap dump" in said, said
    assert names(into) == [] and not pathlib.Path("/proc/%d" % child).exists()
    java.wait_for_stderr("nobody waits for it any more")
    dump(hprof, java, "--live", java.pid, into / "out")
    hprof_heap.Heap((into / "out").read_bytes()).check()


@one_jdk
def test_a_child_that_is_killed(hprof, large, into, jdk):
    java = large(jdk)
    asked, child = begin_and_hold(hprof, java, into / "out")
    os.kill(child, signal.SIGKILL)
    out, said = asked.communicate(timeout=TIMEOUT_S)
    assert (asked.returncode, out, said.count("\n")) == (1, "", 1) and "child was ended by signal 9" in said, said
    assert names(into) == [] and ask(hprof, "status", java.pid)[0].endswith("state=idle\n")


@one_jdk
def test_what_a_killed_command_left_is_removed_by_the_next(hprof, graph, into, jdk):
    """Nothing that somebody holds by a lock, as the agent does what it writes; nothing young, and nothing of another name."""
    java = graph(jdk)
    left, locked, young, other = (into / (".hprof-heap-" + name) for name in ("%016x.hprof.TMP" % 1, "%016x.hprof" % 2, "%016x.hprof" % 3, "notes"))
    for path in left, locked, young, other:
        path.write_bytes(b"a heap")
    for path in left, locked, other:
        os.utime(path, (0, 0))
    with locked.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        _, said = dump(hprof, java, "--live", java.pid, into / "out")
    assert said.count("\n") == 1 and "removed '%s'" % left.name in said, said
    assert names(into) == sorted([locked.name, young.name, other.name, "out"])
    ask(hprof, "start", "-o", into / "cpu.txt", java.pid)
    with (into / "cpu.txt").open("r+b") as profile, pytest.raises(BlockingIOError):
        fcntl.flock(profile, fcntl.LOCK_EX | fcntl.LOCK_NB)
    ask(hprof, "stop", java.pid)


@old_and_new
def test_a_killed_dump_heap_ends_the_dump(hprof, large, into, jdk):
    """While the child of the JVM writes, which ends too."""
    java = large(jdk)
    asked, child = begin_and_hold(hprof, java, into / "out")
    assert names(into) == [] and os.stat("/proc/%d/exe" % child).st_ino == os.stat("/proc/%d/exe" % java.pid).st_ino
    asked.kill()
    asked.communicate()
    java.wait_for_stderr("nobody waits for it any more")
    java.wait_for(lambda: not pathlib.Path("/proc/%d" % child).exists(), "the end of the child")
    java.wait_for(lambda: "state=idle" in ask(hprof, "status", java.pid)[0], "the end of the recording")
    assert names(into) == []


@one_jdk
def test_a_dump_s_command_is_killed_when_all_is_written(hprof, large, into, jdk):
    """Between the last byte and the name: the file had no name before."""
    java, out = large(jdk), into / "out"
    asked, child = begin_and_hold(hprof, java, out)
    asked.send_signal(signal.SIGSTOP)
    os.kill(child, signal.SIGCONT)
    java.wait_for(lambda: not pathlib.Path("/proc/%d" % child).exists(), "the end of the child")
    assert names(into) == []
    asked.kill()
    asked.communicate()
    java.wait_for(lambda: "state=idle" in ask(hprof, "status", java.pid)[0], "the end of the recording")
    assert names(into) == []


@pytest.mark.parametrize("levels", [254, 257, 258, 400])
@pytest.mark.jdks(8, 17, 25, "newest")
@pytest.mark.everyday("one", levels=[257, 400])
def test_threads_that_are_deeper_than_any_stack_of_a_dump(hprof, start_java, into, jdk, levels):
    java = start_java(jdk, None, "Deep", 60000, levels)
    java.wait_for_stdout("begins")
    for how in ["--fork"], ["--fork", "--live"]:
        ask(hprof, "dump-heap", *how, java.pid, into / ("out" + how[-1]))
        heap = hprof_heap.Heap((into / ("out" + how[-1])).read_bytes())
        assert 250 <= max(len(frames) for _, frames in heap.traces.values()) <= 256
    java.signal(signal.SIGTERM)
    assert not crash_files(java.end())


@one_jdk
def test_a_file_system_without_files_that_have_no_name(hprof, start_java, noname, into, jdk, tmp_path):
    """There they have one, which is locked while it is written and gone when it is brought."""
    java = start_java(jdk, None, "HeapGraph", NODES, 600000, vm=["-Xmx200m"], env={"LD_PRELOAD": str(noname)})
    java.wait_for_stdout("ready")
    ask(hprof, "dump-heap", "--fork", "--live", java.pid, into / "out")
    check_graph(hprof_heap.Heap((into / "out").read_bytes()), NODES)
    assert names(into) == ["out"] and stat.S_IMODE((into / "out").stat().st_mode) == 0o600
    recorder = recording(hprof, java, tmp_path / "x.txt")
    name, = [name for name in descriptors(java.pid) if "/.hprof-record-" in name]
    with open(name, "rb") as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    recorder.send_signal(signal.SIGINT)
    assert recorder.wait(TIMEOUT_S) == 0, recorder.stderr.read()
    assert "CPU SAMPLES END" in (tmp_path / "x.txt").read_text() and not pathlib.Path(name).exists()


@pytest.mark.jdks(17, 25)
def test_the_pause_that_is_said_lies_inside_the_stop(hprof, graph, into, jdk):
    """The VM's log has the time between the last thread's stop and the first one's release; a request takes longer than that."""
    java = graph(jdk, "-Xlog:safepoint=info:file=%s" % (into / "log"))
    said = [float(re.search(r"stood still for ([\d.]+) ms", ask(hprof, "dump-heap", "--fork", java.pid, into / ("out%d" % i))[0])[1]) for i in range(3)]
    stops = [int(ns) / 1e6 for ns in re.findall(r'"HeapWalkOperation".* At safepoint: (\d+) ns', (into / "log").read_text())]
    assert len(stops) == 3 and all(0 < pause <= stop + 0.05 for pause, stop in zip(said, stops)), (said, stops)    # it is rounded to 0.1 ms


@one_jdk
def test_a_full_disk(hprof, graph, small_disk, jdk):
    java = graph(jdk)
    out, said = ask(hprof, "dump-heap", "--fork", java.pid, small_disk / "out", status=1)
    assert out == "" and said.count("\n") == 1 and "No space left on device" in said
    assert names(small_disk) == [] and ask(hprof, "status", java.pid)[0].endswith("state=idle\n")


@pytest.mark.jdks(17, 21, "newest")
def test_zgc_goes_on_too(hprof, graph, into, jdk):
    java = graph_in_zgc(graph, jdk)
    line, said = dump(hprof, java, java.pid, into / "out")
    assert line[4] and "only objects that can be reached are in the dump" in said and said.count("\n") == 1
    check_graph(hprof_heap.Heap((into / "out").read_bytes()), NODES)
    assert dump(hprof, java, "--live", java.pid, into / "live")[1] == ""


@pytest.mark.jdks(11)
def test_a_heap_that_a_fork_does_not_freeze(hprof, graph, into, jdk):
    """Inside the pause it would take longer than the JVM's own dump: who asks for a fork does not get that."""
    java = graph(jdk, "-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC")
    out, said = ask(hprof, "dump-heap", "--fork", java.pid, into / "out", status=1)
    assert out == "" and "cannot be read from outside" in said and "without --fork" in said and said.count("\n") == 1
    assert names(into) == [] and ask(hprof, "status", java.pid)[0].endswith("state=idle\n")


@pytest.mark.everyday(8, 17, 25)
@pytest.mark.parametrize("vm", [["-XX:+UseSerialGC"], ["-XX:+UseG1GC"]], ids=["serial", "g1"])
def test_the_records_are_those_of_the_jvms_own(hprof, graph, into, jdk, vm):
    """Readers stop at CONTROL SETTINGS and constants; find a thread's stack by its TRACE; and do not expect classes that nobody has loaded."""
    java = graph(jdk, *vm)
    dump(hprof, java, "--live", java.pid, into / "out")
    ask(hprof, "dump-heap", "--live", java.pid, into / "own")
    ours, own = (hprof_heap.Heap((into / name).read_bytes()) for name in ("out", "own"))
    assert 0x0E in hprof_heap.Heap.TAGS_OF_OPTIONS and not set(ours.tags) & hprof_heap.Heap.TAGS_OF_OPTIONS
    assert not any(cls.constants for cls in ours.classes.values())
    assert set(ours.names) == set(ours.classes), "LOAD CLASS for what is dumped"
    mirrors = [len(heap.instances_of("java.lang.Class")) for heap in (ours, own)]
    assert mirrors[0] <= mirrors[1] < 20, mirrors
    threads = {root.rest[0]: root.rest[1] for root in ours.roots if root.kind == "thread"}
    assert threads and all(ours.traces[trace][0] == thread for thread, trace in threads.items())
    main, = [thread for thread, name in ours.started.items() if name == "main"]
    assert "HeapGraph" in [frame[0] for frame in ours.traces[threads[main]][1]]


@pytest.mark.jdks(8, 25)
def test_beside_another_recording(hprof, graph, into, jdk):
    java = graph(jdk)
    ask(hprof, "start", "-o", into / "cpu.txt", java.pid)
    out, _ = ask(hprof, "dump-heap", "--fork", "--live", java.pid, into / "out")
    assert SAID.fullmatch(out)
    check_graph(hprof_heap.Heap((into / "out").read_bytes()), NODES)
    assert "CPU samples" in ask(hprof, "status", java.pid)[0]
    ask(hprof, "stop", java.pid)
    assert (into / "cpu.txt").read_text().startswith("JAVA PROFILE") and names(into) == ["cpu.txt", "out"]


@pytest.mark.jdks(11, 21)
def test_a_jvm_that_forbids_it(hprof, graph, into, jdk):
    for flag, words in (("-XX:+DisableAttachMechanism", "-XX:+DisableAttachMechanism"),
                        ("-XX:-EnableDynamicAgentLoading", "-XX:-EnableDynamicAgentLoading")):
        java = graph(jdk, flag)
        out, said = ask(hprof, "dump-heap", "--fork", java.pid, into / "out", status=1)
        lines = said.splitlines()    # a second one names the option that does without the JVM's help
        assert out == "" and words in lines[0] and all("--outside" in line for line in lines[1:]) and names(into) == []


@pytest.mark.jdks(8, "newest")
def test_a_jvm_of_another_user_that_sees_other_files(hprof, agent, robust_classes, jdk, tmp_path, into):
    """It writes into its own /tmp; the file that is brought belongs to who asked for it."""
    with nobodys_java(jdk, robust_classes, tmp_path) as pid:
        out, _ = ask(hprof, "dump-heap", "--fork", "--agent", shutil.copy(agent, tmp_path), pid, into / "out")
        assert SAID.fullmatch(out)
        heap = hprof_heap.Heap((into / "out").read_bytes())
        heap.check()
        assert heap.classes_named("Robust") and (into / "out").stat().st_uid == 0
        assert stat.S_IMODE((into / "out").stat().st_mode) == 0o600
        assert [path.name for path in pathlib.Path("/proc/%d/root/tmp" % pid).glob(".hprof*")] == [".hprof-65534"]


@one_jdk
def test_a_lease_does_not_end_while_a_dump_is_waited_for(command, large, into, jdk):
    java, codes = large(jdk), []
    assert command(jdk, java, "start,heap=dump,format=b,doe=n,sites=n,lease=1s,name=one,file=%s" % (into / "out")) == [0]
    asker = threading.Thread(target=lambda: codes.extend(command(jdk, java, "dump,one")))
    asker.start()
    java.wait_for_child()
    child, = children(java)
    os.kill(child, signal.SIGSTOP)
    java.wait_for(lambda: is_stopped(child), "a child that stands still")
    # A second JVM's start takes longer than the lease.
    subprocess.run([jdk.tool("java"), "-version"], check=True, stderr=subprocess.DEVNULL, timeout=TIMEOUT_S)
    threading.Event().wait(1.5)
    os.kill(child, signal.SIGCONT)
    asker.join(TIMEOUT_S)
    assert codes == [0] and command(jdk, java, "list,answer=%s" % (into / "list"), "pause=2500", "list,answer=%s" % (into / "later")) == [0, 0]
    assert " recordings=1 " in (into / "list").read_text() and " recordings=0" in (into / "later").read_text()
    heap = hprof_heap.Heap((into / "out").read_bytes())
    heap.check()
