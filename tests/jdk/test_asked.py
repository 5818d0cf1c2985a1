"""hprof threads, histo, flags, props, info, why, load, dump-heap, datadump and counters, against the tools of the same JDK.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from asking import ask, told, unshare, waiting  # noqa: F401
from conftest import Java, TIMEOUT_S, compile_programs, wait_until
from robust import classes  # noqa: F401


def masked(text):
    """A thread dump without what changes between two."""
    text = re.sub(r"(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$", "DATE", text)
    text = re.sub(r" (cpu|elapsed|allocated)=\S+", r" \1=", text)
    text = re.sub(r"0x[\da-f]{16}", "ADDRESS", text)
    text = re.sub(r"refs: \d+", "refs:", text)
    text = re.sub(r"(?m)^_java_thread_list=.*?\n}\n", "", text, flags=re.S)
    # They come and go.
    return sorted(part for part in text.split("\n\n") if not re.match(r'"(Attach Listener|C[12] Comp|Sweeper)|Threads class SMR', part))


@pytest.fixture(scope="session")
def demo_classes(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs")


@pytest.fixture
def demo(demo_classes, tmp_path):
    """demo(jdk, *args): threads in every state; "spinner" runs."""
    started = []

    def start(jdk, *args, program="StackDemo"):
        started.append(Java([jdk.tool("java"), "-Xmx64m", "-cp", str(demo_classes), program, *args], tmp_path / ("demo%d" % len(started))))
        started[-1].wait_for_stdout("ready")
        return started[-1]

    yield start
    for java in started:
        java.process.kill()
        java.process.wait()


def test_threads_are_those_of_jstack(hprof, demo, jdk):
    java = demo(jdk)
    changing = re.compile(r"\s*contended: |JNI global ref")    # the JVM's own threads make some, and give them back

    def quiet(text):
        return [part for part in masked(text) if part.strip() and "spinner" not in part and not changing.match(part)]
    assert quiet(ask(hprof, "threads", "-l", java.pid)[0]) == quiet(told(jdk, "jstack", "-l", java.pid))


def test_a_deadlock_is_status_2(hprof, demo, jdk):
    java = demo(jdk, "deadlock")
    text, _ = ask(hprof, "threads", java.pid, status=2)
    assert "Found 1 deadlock." in text
    data = json.loads(ask(hprof, "threads", "--json", java.pid, status=2)[0])
    assert data["deadlocks"] == 1 and data["pid"] == java.pid
    thread = next(thread for thread in data["threads"] if thread["name"] == "dead 1")
    assert sorted(map(sorted, data["deadlock_threads"])) == [["dead 1", "dead 2"]]
    assert [lock.get("holder") for lock in thread["locks"]] == ["dead 2", None]
    assert thread["state"].startswith("BLOCKED") and [lock["kind"] for lock in thread["locks"]] == ["waiting", "locked"]
    summary, _ = ask(hprof, "threads", "-s", java.pid, status=2)
    wanted = thread["locks"][0]
    assert 'for <%s> (a %s), held by "dead 2"' % (wanted["object"], wanted["class"]) in summary and "deadlocks: 1" in summary
    assert re.search(r'(?m)^deadlock: "dead [12]", "dead [12]" wait for each other$', summary)


def test_idle_threads_of_a_pool_contend_for_nothing(hprof, demo, jdk):
    java = demo(jdk, program="IdlePool")
    said = ask(hprof, "threads", "-s", java.pid)[0]
    assert re.search(r"(?m)^parked: 3 threads wait for <0x\w+> \(a [\w.]+AbstractQueuedSynchronizer\$ConditionObject\)$", said)
    assert "contended" not in said


def test_who_has_a_lock_of_java_util_concurrent(hprof, demo, jdk):
    """The JVM's dump tells it with -l alone, and looks through the heap for it."""
    java = demo(jdk)
    wanted = r'(?m)^contended: 1 thread waits for <0x\w+> \(a java.util.concurrent.locks.ReentrantLock\$NonfairSync\), held by "holder"$'
    assert re.search(wanted, ask(hprof, "threads", "-s", java.pid)[0])
    assert re.search(wanted, ask(hprof, "threads", "-l", java.pid)[0])
    data = json.loads(ask(hprof, "threads", "--json", java.pid)[0])
    held = [lock["holder"] for thread in data["threads"] for lock in thread["locks"]
            if lock["kind"] == "waiting" and lock["class"].endswith("ReentrantLock$NonfairSync")]
    assert held == ["holder"] and data["deadlock_threads"] == []
    assert 'ReentrantLock$NonfairSync), held by "holder"' in ask(hprof, "stack", java.pid)[0]


@pytest.mark.jdks(17)
def test_deadlocks_of_all_jvms(hprof, demo_classes, jdk, tmp_path):
    """Whether there are several JVMs, and what they are called, is no matter of the VM. Those of other tests are not seen from in there."""
    script = """for i in 1 2; do "$0" -Xmx64m -cp "$1" StackDemo deadlock > out$i & pids="$pids $!"; done
        until grep -q ready out1 && grep -q ready out2; do sleep 0.05; done
        "$2" threads -s all; echo "status $?"
        "$2" threads StackDemo; echo "status $?"
        kill $pids; wait"""
    done = subprocess.run([*unshare("--pid", "--mount", "--mount-proc"), "sh", "-c", script, jdk.tool("java"), str(demo_classes), hprof],
                          cwd=str(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False)
    assert done.stdout.count("deadlocks: 1\n") == 2 and "may be one of 2 JVMs" in done.stderr, done.stdout + done.stderr
    assert re.findall(r"(?m)^status (\d)$", done.stdout) == ["2", "1"]


@pytest.mark.everyday(17)
def test_equal_stacks_are_one_group(hprof, demo, jdk):
    """The text is parsed alike whatever JVM wrote it; JSON has the threads of the text."""
    java = demo(jdk)
    dumps, _ = ask(hprof, "threads", "-n", 2, "-i", "10ms", java.pid)
    assert dumps.count("Full thread dump") == 2
    threads = json.loads(ask(hprof, "threads", "--json", java.pid)[0])["threads"]
    sleeper = next(thread for thread in threads if thread["name"] == "sleeper")
    grouped, _ = ask(hprof, "threads", "-g", java.pid)
    part = next(part for part in grouped.split("\n\n") if '"sleeper"' in part)
    assert re.findall(r"(?m)^\tat (.*)$", part) == sleeper["frames"] and part.startswith("1 thread TIMED_WAITING")
    total = sum(int(count) for count in re.findall(r"(?m)^(\d+) threads? [A-Z]", grouped))
    assert total == len([thread for thread in threads if "state" in thread])


def rows(text):
    return {row[3]: int(row[1]) for row in (line.split(None, 3) for line in text.splitlines()) if re.fullmatch(r"\d+:", row[0] if row else "")}


def test_histogram_is_that_of_jmap(hprof, waiting, jdk):
    java = waiting(jdk)
    ours, theirs = rows(ask(hprof, "histo", "--live", java.pid)[0]), rows(told(jdk, "jmap", "-histo:live", java.pid))
    same = [name for name in ours if theirs.get(name) == ours[name]]
    assert len(ours) > 100 and len(same) > 0.9 * len(theirs)
    assert len(rows(ask(hprof, "histo", "-n", 3, java.pid)[0])) == 3


def test_flags_and_properties(hprof, waiting, jdk):
    java = waiting(jdk, "-Dname=\u00e9 value", env={"LC_ALL": "C.UTF-8"})
    def constant(text):    # the collector sets this one when it feels like it
        return re.sub(r"-XX:MarkStackSizeMax=\d+ ", "", text)
    assert constant(ask(hprof, "flags", java.pid)[0]) == constant(told(jdk, "jcmd", java.pid, "VM.flags").split("\n", 1)[1])
    assert ask(hprof, "flags", java.pid, "MaxHeapSize")[0] == told(jdk, "jinfo", "-flag", "MaxHeapSize", java.pid)
    assert "has no flag 'NoFlag'" in ask(hprof, "flags", java.pid, "NoFlag", status=1)[1]
    ask(hprof, "set-flag", java.pid, "+HeapDumpOnOutOfMemoryError")
    assert ask(hprof, "flags", java.pid, "HeapDumpOnOutOfMemoryError")[0] == "-XX:+HeapDumpOnOutOfMemoryError\n"
    ask(hprof, "set-flag", "--", java.pid, "-HeapDumpOnOutOfMemoryError")
    for word, shown in (("true", "+"), ("false", "-")):
        ask(hprof, "set-flag", java.pid, "HeapDumpOnOutOfMemoryError=" + word)
        assert ask(hprof, "flags", java.pid, "HeapDumpOnOutOfMemoryError")[0] == "-XX:%sHeapDumpOnOutOfMemoryError\n" % shown
    ask(hprof, "set-flag", java.pid, "HeapDumpPath=/a b")
    assert ask(hprof, "flags", java.pid, "HeapDumpOnOutOfMemoryError", "HeapDumpPath")[0] == \
        "-XX:-HeapDumpOnOutOfMemoryError\n-XX:HeapDumpPath=/a b\n"
    assert "cannot be changed" in ask(hprof, "set-flag", java.pid, "MaxHeapSize=1", status=1)[1]
    assert ask(hprof, "props", java.pid, "name")[0] == "\u00e9 value\n"
    assert "sun.java.command=Robust wait\n" in ask(hprof, "props", "--agent", java.pid)[0]
    for old, word in (("finalizerinfo", "finalizers"), ("clstats", "classloaders")):
        assert ask(hprof, "info", java.pid, old)[0].splitlines()[0] == ask(hprof, "info", java.pid, word)[0].splitlines()[0]
    text, _ = ask(hprof, "info", java.pid)
    assert "process %d" % java.pid in text and "java_command: Robust wait" in text


def test_heap_dumps_are_the_jvms(hprof, waiting, jdk, tmp_path):
    java = waiting(jdk)
    path = tmp_path / "heap.hprof"
    assert "Heap dump file created" in ask(hprof, "dump-heap", "--live", java.pid, path)[0]
    assert path.read_bytes()[:18] == b"JAVA PROFILE 1.0.2"
    before = path.read_bytes()
    assert "exists" in ask(hprof, "dump-heap", java.pid, path, status=1)[1] and path.read_bytes() == before
    packed = tmp_path / "packed"
    _, said = ask(hprof, "dump-heap", "-z", 1, java.pid, packed, status=0 if jdk.number >= 17 else 1)
    assert packed.read_bytes()[:2] == b"\x1f\x8b" if jdk.number >= 17 else "cannot pack" in said and not packed.exists()


def test_agents_are_loaded(hprof, agent, waiting, jdk, tmp_path):
    java = waiting(jdk)
    ask(hprof, "load", java.pid, agent, "cpu=samples,file=out.txt")
    wait_until((java.cwd / "out.txt").exists, "profile")
    assert "returned -1" in ask(hprof, "load", java.pid, agent, "cpu=never", status=1)[1]
    (tmp_path / "bad.jar").write_text("no jar")
    assert "returned 100" in ask(hprof, "load", java.pid, tmp_path / "bad.jar=x", status=1)[1]
    said = ask(hprof, "load", java.pid, "/no/such.so", status=1)[1]
    assert "did not load /no/such.so" in said and ": ;" not in said
    assert java.process.poll() is None


@pytest.mark.jdks(11, 21)
def test_loading_that_is_forbidden(hprof, agent, waiting, jdk):
    """With the number -1, and with 0."""
    java = waiting(jdk, "-XX:-EnableDynamicAgentLoading")
    assert "-XX:-EnableDynamicAgentLoading" in ask(hprof, "load", java.pid, agent, "cpu=samples", status=1)[1]


@pytest.mark.jdks(8, "newest")
def test_a_data_dump_is_printed_by_the_jvm(hprof, waiting, jdk):
    java = waiting(jdk)
    ask(hprof, "datadump", java.pid)
    java.wait_for_stdout("Full thread dump")


@pytest.mark.everyday(17)
def test_why_touches_nothing(hprof, waiting, jdk):
    """What it looks at is the system's."""
    java = waiting(jdk)
    text, _ = ask(hprof, "why", java.pid)
    assert "verdict:  it can be asked" in text and not pathlib.Path("/tmp/.java_pid%d" % java.pid).exists()
    java.signal(signal.SIGSTOP)
    wait_until(lambda: "State:\tT" in pathlib.Path("/proc/%d/status" % java.pid).read_text(), "stop")
    assert "verdict:  STOPPED" in ask(hprof, "why", java.pid, status=1)[0]
    java.signal(signal.SIGCONT)
    locked = waiting(jdk, "-XX:+DisableAttachMechanism")
    assert "verdict:  DISABLED" in ask(hprof, "why", locked.pid, status=1)[0]
    assert "verdict:  NOT_JVM" in ask(hprof, "why", os.getpid(), status=1)[0]
    assert "Full thread dump" not in java.said() + locked.said()


@pytest.mark.everyday(17)
def test_counters_of_a_jvm_of_a_file_and_of_memory(hprof, waiting, jdk, tmp_path):
    java = waiting(jdk)
    shared = pathlib.Path("/tmp/hsperfdata_root/%d" % java.pid)
    if not shared.exists():
        pytest.skip("takes root")
    shutil.copy(shared, tmp_path / "saved")
    def constants(target):
        return ask(hprof, "counters", target, "java.property.*")[0]
    of_file = constants(tmp_path / "saved")
    assert 'java.property.java.vm.name="' in of_file and constants(java.pid) == of_file
    shared.unlink()
    assert constants(java.pid) == of_file, "read in the memory"
    found = json.loads(ask(hprof, "counters", "--json", java.pid, "sun.gc.policy.name")[0])
    assert [(row["unit"], row["kind"], row["stability"]) for row in found] == [("text", "constant", "internal")]
    assert "no counter has a name" in ask(hprof, "counters", java.pid, "no.such", status=1)[1]
    (tmp_path / "other").write_text("something else")
    assert "not a file of performance counters" in ask(hprof, "counters", tmp_path / "other", status=1)[1]


@pytest.mark.jdks(25)
@pytest.mark.everyday(25)
def test_a_slow_reader_does_not_stop_the_jvm(hprof, demo, jdk):
    """JDK 24 and later print into the connection during the stop; the answer is more than pipe and socket hold."""
    java = demo(jdk)
    reader = subprocess.Popen([hprof, "threads", "-n", "200", "-i", "1ms", str(java.pid)], stdout=subprocess.PIPE)
    try:
        wait_until(lambda: pathlib.Path("/proc/%d/wchan" % reader.pid).read_text().startswith(("pipe", "anon_pipe")), "full pipe",
                   lambda: reader.poll() is not None)
        # All of the program runs: another tool gets its own stop, and the threads theirs.
        assert "VM.version" in ask(hprof, "jcmd", java.pid, "help")[0]
        assert "Full thread dump" in ask(hprof, "threads", java.pid)[0]
    finally:
        reader.kill()
        reader.wait()
        reader.stdout.close()
