"""hprof stack: live JVMs and cores, against jstack of the same JDK.

Compared per thread: set of threads, Java state, Java frames with file and line, locks with the addresses of their
objects. The one thread that runs ("spinner") is compared by its method alone.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import ctypes
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from conftest import JDKS, TIMEOUT_S, built, clean_environment, compile_library, old_and_new, one_jdk, wait_until
from cores import make_core  # noqa: F401

RUNNING = "spinner"
DEEP = "StackDemo.deep(StackDemo.java:18)"
# They come and go, or run, while we look.
VM_THREADS = re.compile(r"Attach Listener|C[12] CompilerThread\d+|Sweeper thread|Signal Dispatcher")
Thread = collections.namedtuple("Thread", "state frames locks")


def stack(hprof, *args, status=0):
    done = subprocess.run([hprof, "stack"] + [str(arg) for arg in args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    assert done.returncode == status, done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


def jstack(jdk, pid):
    return subprocess.run([*jdk.asking_tool("jstack"), str(pid)], stdout=subprocess.PIPE, check=True, timeout=TIMEOUT_S,
                          env=clean_environment()).stdout.decode("utf-8", "replace")


def plain_frame(text):
    text = re.sub(r"\([\w.]+@[^/()]*/", "(", text)                 # module and version
    return re.sub(r"(\$\$Lambda[$\d]*)/[\da-fx]+", r"\1", text)    # number of a hidden class


def plain_lock(text):
    """Without who holds it, which jstack does not say."""
    text = re.sub(r', held by ".*"$', "", re.sub(" +", " ", text.strip()))
    return re.sub(r"waiting to re-lock in wait\(\)", "locked", text)


def threads_of(text):
    """A thread dump as a dict: name -> Thread. Only Java's threads have a state or an id."""
    found, current = {}, None
    for line in text.splitlines():
        head = re.match(r'"(.*)" #\d+ ', line)
        if head:
            # JDK 8's jstack decodes its answer in pieces of 256 bytes and breaks a letter that lies across two.
            current = found[re.sub(r"[^\x20-\x7e]+", "?", head.group(1))] = Thread([], [], [])
        elif not line.startswith(("\t", "   ")):
            current = None
        elif current is not None:
            if line.startswith("   java.lang.Thread.State: "):
                current.state.append(line.split(": ")[1].strip())
            elif line.startswith("\tat "):
                current.frames.append(plain_frame(line[4:]))
            elif line.startswith("\t- "):
                current.locks.append((len(current.frames), plain_lock(line[3:])))
    return {name: thread for name, thread in found.items() if not VM_THREADS.fullmatch(name)}


def assert_same(ours, theirs):
    assert sorted(ours) == sorted(theirs)
    for name in ours:
        if name == RUNNING:
            assert any("StackDemo.spin(" in frame for frame in ours[name].frames)
            continue
        assert ours[name] == theirs[name], name


@pytest.fixture
def demo(start_java):
    def start(jdk, *args, vm=()):
        java = start_java(jdk, None, "StackDemo", *args, vm=("-Xmx64m",) + tuple(vm))
        java.wait_for_stdout("ready")
        return java
    return start


def test_live_stacks_are_those_of_jstack(hprof, demo, jdk):
    java = demo(jdk)
    text, said = stack(hprof, "--java", java.pid)
    assert_same(threads_of(text), threads_of(jstack(jdk, java.pid)))
    assert re.search(r"stopped for [\d.]+ ms", said)
    assert java.process.poll() is None


@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("vm", [[], ["-Xint"]], ids=["compiled", "interpreted"])
def test_a_thread_in_the_handler_of_a_signal(hprof, start_java, jdk, vm, tmp_path_factory):
    """Where a profiler's handler runs, what it interrupted was left without an anchor of the VM."""
    java = start_java(jdk, None, "StackDemo", vm=["-Xmx64m", *vm], env={"LD_PRELOAD": str(compile_library(tmp_path_factory, "handler"))})
    java.wait_for_stdout("ready")
    java.wait_for_cpu(0.5)    # the loop is compiled
    tid = int(re.search(r'"%s" .* nid=0x([0-9a-f]+)' % RUNNING, stack(hprof, "--java", java.pid)[0]).group(1), 16)
    assert ctypes.CDLL(None).tgkill(java.pid, tid, signal.SIGURG) == 0
    state = pathlib.Path("/proc/%d/task/%d/stat" % (java.pid, tid))
    java.wait_for(lambda: ") S " in state.read_text(), "the handler")
    thread = threads_of(stack(hprof, "--java", java.pid)[0])[RUNNING]
    assert "StackDemo.spin(" in thread.frames[0] and "java.lang.Thread.run(" in thread.frames[-1]
    frames = threads_of(stack(hprof, java.pid)[0])[RUNNING].frames
    handler = [i for i, frame in enumerate(frames) if "handler_stays" in frame]
    assert len(handler) == 1 and any("StackDemo.spin(" in frame for frame in frames[handler[0]:])


@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("vm", [[], ["-Xint"]], ids=["compiled", "interpreted"])
def test_a_thread_in_the_kernel_s_library(hprof, start_java, jdk, vm):
    """The system's clock is read there: it has call frame information, and is in no file."""
    java = start_java(jdk, None, "Ticks", vm=["-Xmx64m", *vm])
    java.wait_for_stdout("ready")
    java.wait_for_cpu(0.5)    # the loop is compiled
    stacks = [threads_of(stack(hprof, java.pid)[0])["main"].frames for _ in range(20)]
    assert all(any("Ticks.ask(" in frame for frame in frames) for frames in stacks)
    assert any("(linux-vdso.so.1+0x" in frame for frames in stacks for frame in frames)


@pytest.mark.jdks("newest")
def test_two_jvms_from_two_threads_at_once(demo, jdk):
    """Of two releases, whose layouts differ: nothing of one snapshot may reach the other."""
    rounds, pids = 20, [demo(JDKS[min(JDKS)]).pid, demo(jdk).pid]
    done = subprocess.run([built("tests/jdk/native/two_snapshots"), str(rounds)] + [str(pid) for pid in pids], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stderr.decode()
    lines = collections.Counter(done.stdout.decode("utf-8", "replace").splitlines())
    for pid in pids:
        assert sum(count for line, count in lines.items() if line.startswith("%d spinner " % pid)) == rounds
        for name, frame in (("sleeper", ".sleep"), ("parked", ".park"), ("blocked", "StackDemo.enter")):
            same = [line for line in lines if line.startswith("%d %s " % (pid, name))]
            assert len(same) == 1 and lines[same[0]] == rounds, same    # the same each time
            assert frame in same[0], same


MODES = {
    "no-compressed-oops": (8, ["-XX:-UseCompressedOops"]),
    "no-compressed-classes": (8, ["-XX:-UseCompressedOops", "-XX:-UseCompressedClassPointers"]),
    "serial": (8, ["-XX:+UseSerialGC"]),
    "parallel": (8, ["-XX:+UseParallelGC"]),
    # With room, or it begins to collect, and to move locks, when a tenth is used.
    "z": (17, ["-XX:+UseZGC", "-Xmx512m"]),
    "z-generational": (21, ["-XX:+UseZGC", "-Xmx512m", "-XX:+ZGenerational", "-XX:+IgnoreUnrecognizedVMOptions"]),
    "compact-headers": (25, ["-XX:+UseCompactObjectHeaders"]),
    "lock-stacks": (21, ["-XX:+UnlockExperimentalVMOptions", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:LockingMode=2"]),
    "interpreter": (8, ["-Xint"]),
}


@pytest.mark.parametrize("mode", MODES)
def test_live_stacks_in_every_mode(hprof, demo, jdk, mode):
    since, options = MODES[mode]
    if jdk.number < since:
        pytest.skip("JDK %d does not have it" % jdk.number)
    java = demo(jdk, "deadlock", vm=options)
    text, _ = stack(hprof, "--java", java.pid, status=2)
    assert_same(threads_of(text), threads_of(jstack(jdk, java.pid)))


def holding_frame(hprof, java):
    data, _ = stack(hprof, "--json", "--java", java.pid)
    holder = next(t for t in json.loads(data)["threads"] if t["name"] == "holder")
    lock = next(lock for lock in holder["locks"] if lock["kind"] == "held")
    return holder["frames"][lock["frame"]]


def test_compiled_frames_show_their_monitors(hprof, demo, jdk):
    for _ in range(10):    # a class that is loaded meanwhile makes a compilation void, then the method is interpreted
        java = demo(jdk, vm=["-Xcomp", "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,StackDemo::*"])
        frame = holding_frame(hprof, java)
        if frame["kind"] != "interpreted":
            break
    text, _ = stack(hprof, "--java", java.pid)
    held = threads_of(text)["holder"]
    assert [lock for _, lock in held.locks if lock.startswith("locked <")]
    assert frame["method"] == "holdBoth" and frame["kind"] in ("C1", "C2", "inlined"), frame


@old_and_new
def test_a_deadlock_is_found(hprof, demo, jdk):
    java = demo(jdk, "deadlock")
    text, _ = stack(hprof, java.pid, status=2)
    assert "Found one Java-level deadlock:" in text and "Found 1 deadlock." in text
    data, _ = stack(hprof, "--json", java.pid, status=2)
    circles = json.loads(data)["deadlocks"]
    assert [sorted(edge["thread"] for edge in circle) for circle in circles] == [["dead 1", "dead 2"]]


def test_native_frames_lead_from_the_system_call_to_the_thread_start(hprof, demo, jdk):
    java = demo(jdk)
    data, _ = stack(hprof, "--json", "--native", java.pid)
    threads = {thread["name"]: thread for thread in json.loads(data)["threads"]}
    frames = threads["sleeper"]["frames"]
    modules = [os.path.basename(f["module"] or "") for f in frames if f["kind"] == "C"]
    assert modules[0].startswith(("libc", "libpthread", "ld-")) and "libjvm.so" in modules
    assert frames[-1]["kind"] == "C" and not any(f.get("cut") for f in frames)
    assert [is_native for is_native, _ in itertools.groupby(f["kind"] == "C" for f in frames)] == [True, False, True]
    assert "VM Thread" in threads


@one_jdk
def test_a_stopped_jvm_is_read_and_stays_stopped(hprof, demo, jdk):
    java = demo(jdk)
    java.signal(signal.SIGSTOP)
    text, _ = stack(hprof, "--java", java.pid)
    status = pathlib.Path("/proc/%d/status" % java.pid)
    java.wait_for(lambda: re.search(r"State:\s+T", status.read_text()), "stop")    # each thread stops again by itself
    java.signal(signal.SIGCONT)
    assert_same(threads_of(text), threads_of(jstack(jdk, java.pid)))


@one_jdk
@pytest.mark.jdks(8, 17, "newest")
def test_a_jvm_that_cannot_be_attached_to(hprof, demo, jdk):
    java = demo(jdk, vm=["-XX:+DisableAttachMechanism"])
    text, _ = stack(hprof, "--java", java.pid)
    assert threads_of(text)["sleeper"].frames.count(DEEP) == 50


@pytest.mark.jdks(17, "newest")
def test_reading_without_a_stop_shows_the_threads_that_wait(hprof, demo, jdk):
    java = demo(jdk)
    text, said = stack(hprof, "--java", "--no-stop", java.pid)
    assert "torn" in said
    ours, theirs = threads_of(text), threads_of(jstack(jdk, java.pid))
    ours.pop(RUNNING), theirs.pop(RUNNING)
    assert_same(ours, theirs)


@pytest.mark.jdks(17)
def test_another_mount_namespace(hprof, demo, jdk, tmp_path, start_java, classes):
    """A JVM whose files are not where its names say: only /proc/PID/root has them."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("needs root and unshare")
    home = os.path.realpath(jdk.home)
    script = "mount --bind %s /mnt && exec /mnt/bin/java -Xmx64m -cp %s StackDemo" % (home, classes)
    out = tmp_path / "out"
    with open(out, "wb") as stdout:
        process = subprocess.Popen(["unshare", "-m", "--propagation", "private", "sh", "-c", script], stdout=stdout,
                                   stdin=subprocess.DEVNULL, env=clean_environment())
    try:
        wait_until(lambda: b"ready" in out.read_bytes() or process.poll() is not None, "ready")
        if process.poll() is not None:
            pytest.skip("no mount namespace here")
        text, _ = stack(hprof, process.pid)
        assert threads_of(text)["sleeper"].frames.count(DEEP) == 50
        assert "libjvm.so+" in text
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def core_of(make_core):
    """core_of(jdk, filter, ...): (core, what jstack said before); its JVM's folder is the test's. `options` are our agent's."""
    def make(jdk, filter_bits, *args, options=None):
        return make_core(jdk, filter_bits, *args, options=options, before=lambda java: jstack(jdk, java.pid))
    return make


@pytest.mark.parametrize("filter_bits", ["0x33", "0x3f"])
def test_a_core_has_the_stacks_of_jstack(hprof, core_of, jdk, filter_bits):
    core, dump = core_of(jdk, filter_bits)
    text, _ = stack(hprof, "--java", core)
    assert_same(threads_of(text), threads_of(dump))
    data, _ = stack(hprof, "--json", core)
    crash = json.loads(data)
    assert crash["signal"] in (signal.SIGSEGV, signal.SIGABRT)
    assert ("fault" in crash) == (crash["signal"] == signal.SIGSEGV)
    assert crash["threads"][0].get("crashed") is True
    core.unlink()


@one_jdk
@pytest.mark.jdks(17, "newest")
def test_a_core_that_was_cut_is_read_as_far_as_it_goes(hprof, core_of, jdk):
    core, _ = core_of(jdk, "0x33")
    size = core.stat().st_size
    for part in (0.98, 0.5, 0.02, 0.0001):
        os.truncate(core, max(64, int(size * part)))
        done = subprocess.run([hprof, "stack", str(core)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=TIMEOUT_S, check=False)
        assert done.returncode in (0, 1, 2) and done.stderr, part
    core.unlink()


@pytest.mark.jdks(17)
def test_a_core_of_another_machine(hprof, core_of, jdk, tmp_path):
    """Without its files the missing one is named; with --exe or --sysroot they are found."""
    core, dump = core_of(jdk, "0x33")
    empty = tmp_path / "empty"
    empty.mkdir()
    _, said = stack(hprof, "--sysroot", empty, core, status=1)
    assert "libjvm.so" in said and "--sysroot" in said and "--exe" in said
    copy = tmp_path / "copy"
    shutil.copytree(os.path.realpath(jdk.home), copy, symlinks=False, ignore_dangling_symlinks=True,
                    ignore=shutil.ignore_patterns("jmods", "src.zip", "man", "docs", "demo"))
    text, _ = stack(hprof, "--java", "--sysroot", empty, "--exe", copy / "bin/java", core)
    assert_same(threads_of(text), threads_of(dump))
    target = tmp_path / "root" / os.path.realpath(jdk.home).lstrip("/")
    target.parent.mkdir(parents=True)
    copy.rename(target)
    text, _ = stack(hprof, "--java", "--sysroot", tmp_path / "root", core)
    assert_same(threads_of(text), threads_of(dump))
    core.unlink()


def test_what_is_no_jvm_is_refused(hprof, tmp_path):
    sleeper = subprocess.Popen(["sleep", "100"])
    try:
        _, said = stack(hprof, sleeper.pid, status=1)
        assert "not a JVM" in said
    finally:
        sleeper.kill()
        sleeper.wait()
    _, said = stack(hprof, sleeper.pid, status=1)
    assert "no such process" in said
    text = tmp_path / "text"
    text.write_text("no core")
    _, said = stack(hprof, text, status=1)
    assert "not a core file" in said
    _, said = stack(hprof, tmp_path / "absent", status=1)
    assert "No such file" in said
    assert stack(hprof, status=1)[1].startswith("hprof: stack: no process named")
    assert "no JVM is called 'NoSuchClass'" in stack(hprof, "NoSuchClass", status=1)[1]


@pytest.mark.jdks(17)
def test_a_process_of_another_user_is_refused_with_advice(hprof, demo, jdk):
    if os.geteuid() != 0:
        pytest.skip("needs root to become somebody else")
    java = demo(jdk)
    done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", hprof, "stack",
                           str(java.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S,
                          check=False)
    if b"setpriv" in done.stderr or b"execute" in done.stderr:
        pytest.skip("the command is not reachable for another user")
    assert done.returncode == 1 and b"not permitted" in done.stderr and done.stderr.count(b"\n") == 1


VIRTUAL = """
public class StackVirtual {
    static volatile double sink;
    static void inner() { while (true) sink = sink * 0.5 + 1; }
    public static void main(String[] args) throws Exception {
        Thread.ofVirtual().name("busy").start(StackVirtual::inner);
        while (sink == 0) Thread.sleep(1);
        System.out.println("ready");
        Thread.currentThread().join();
    }
}
"""


@pytest.mark.jdks(since=21)
def test_a_mounted_virtual_thread_is_shown_with_its_carrier(hprof, jdk, tmp_path, start_java):
    source = tmp_path / "StackVirtual.java"
    source.write_text(VIRTUAL)
    subprocess.run([jdk.tool("javac"), "-d", str(tmp_path), str(source)], check=True, env=clean_environment())
    java = start_java(jdk, None, "StackVirtual", vm=("-Xmx64m", "-Xbootclasspath/a:%s" % tmp_path))
    java.wait_for_stdout("ready")
    text, _ = stack(hprof, "--java", java.pid)
    carrier, mounted = re.search(r'Carrying virtual thread #(\d+) "busy"\n\tat jdk.internal.vm.Continuation.run.*?'
                                 r'Mounted virtual thread #(\d+) "busy"\n(?:\tat [^\n]*\n)*', text, re.S).groups()
    assert carrier == mounted
    assert "\tat StackVirtual.inner(" in text.split('Mounted virtual thread #%s "busy"' % mounted)[1].split("\n\n")[0]
