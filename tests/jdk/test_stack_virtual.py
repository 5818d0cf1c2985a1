"""hprof stack --virtual: virtual threads that no thread carries, against the JDK's own dump of them.

The JDK's dump (jcmd Thread.dump_to_file) leaves out the frames that it hides: of the continuation's machinery and of
lambdas' classes. Compared are names, states and all other frames, with file and line.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import re
import resource
import signal
import subprocess

import pytest

from conftest import TIMEOUT_S, clean_environment, old_and_new
from cores import dump_core
from kept import made_once
from test_stack import stack

SOURCES = [pathlib.Path(__file__).resolve().parent / "programs_virtual" / name
           for name in ("VirtualDemo.java", "VirtualLocks.java", "VirtualCircle.java")]
HIDDEN = re.compile(r"\$\$Lambda|Continuation\.(yield0?|enter0?|run)$|VirtualThread\.yieldContinuation$|Thread\.runWith$"
                    r"|VThreadContinuation")
# Runs: both dumps find it at the same place of its loop, but not always with the same carrier.
HALF_FRAMES = 300
# "half" never leaves its carrier, nor does "blocked" on JDK 21: on two processors the others could wait for ever.
CARRIERS = "-Djdk.virtualThreadScheduler.parallelism=4"
MODES = {
    "default": [],
    "serial": ["-XX:+UseSerialGC"],
    "parallel-interpreter": ["-XX:+UseParallelGC", "-Xint"],
    "full-oops": ["-XX:-UseCompressedOops"],
    "shenandoah-c1": ["-XX:+UseShenandoahGC", "-XX:TieredStopAtLevel=1"],
    "compact-headers": ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseCompactObjectHeaders"],
}


@pytest.fixture(scope="session")
def demo_classes(tmp_path_factory):
    """demo_classes(jdk): the program, compiled by that JDK."""
    made = {}

    def compile_for(jdk):
        if jdk.number not in made:
            made[jdk.number] = made_once(SOURCES, lambda into: [jdk.tool("javac"), "-d", into, *map(str, SOURCES)],
                                         tmp_path_factory.mktemp("virtual%d" % jdk.number), clean_environment())
        return made[jdk.number]
    return compile_for


@pytest.fixture
def demo(start_java, demo_classes):
    def start(jdk, *args, vm=(), program="VirtualDemo"):
        java = start_java(jdk, None, program, *args,
                          vm=["-Xmx64m", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:ErrorFile=/dev/null", CARRIERS,
                              "-Xbootclasspath/a:%s" % demo_classes(jdk)] + list(vm))
        java.wait_for_stdout("ready")
        return java
    return start


def jdk_dump(jdk, java, folder):
    """The JDK's dump as id -> (name, state or None, frames); all threads."""
    path = folder / "dump.json"
    subprocess.run([*jdk.asking_tool("jcmd"), str(java.pid), "Thread.dump_to_file", "-format=json", str(path)],
                   stdout=subprocess.DEVNULL, check=True, timeout=TIMEOUT_S, env=clean_environment())
    containers = json.loads(path.read_text())["threadDump"]["threadContainers"]
    return {int(t["tid"]): (t["name"], t.get("state"), [re.sub(r"^[\w.]+(@[^/]*)?/", "", f) for f in t["stack"]])
            for container in containers for t in container["threads"]}


def text_of(frame):
    if frame["kind"] == "native":
        where = "Native Method"
    elif frame["file"] is None:
        where = "Unknown Source"
    else:
        where = "%s:%d" % (frame["file"], frame["line"]) if "line" in frame else frame["file"]
    return "%s.%s(%s)" % (frame["class"], frame["method"], where)


def frames_of(thread):
    """The virtual thread's own frames that the JDK shows."""
    found = []
    for frame in thread["frames"]:
        name = "%s.%s" % (frame["class"], frame["method"])
        if name == "jdk.internal.vm.Continuation.enterSpecial":
            break
        if not HIDDEN.search(name):
            found.append(text_of(frame))
    return found


def virtuals_of(text):
    """The virtual threads of our dump as id -> (name, state or None, frames); mounted ones have no state."""
    found = {}
    for thread in json.loads(text)["threads"]:
        if thread.get("unmounted"):
            found[thread["id"]] = (thread["name"], thread["state"].split(" ")[0], frames_of(thread))
        elif "virtual" in thread:
            found[thread["virtual"]["id"]] = (thread["virtual"]["name"], None, frames_of(thread))
    return found


def assert_same(ours, theirs):
    names = {"parked", "sleeping", "locking", "arguments", "deep", "half", "blocked"} | {"task-%d" % i for i in range(20)}
    assert names <= {name for name, _, _ in ours.values()}
    for number, (name, state, frames) in ours.items():
        assert number in theirs, name
        assert name == theirs[number][0]
        assert frames == theirs[number][2], name
        if state is not None and theirs[number][1] is not None:    # the dump of JDK 21 has no states
            assert state == theirs[number][1], name


@pytest.mark.jdks(since=21)
@pytest.mark.parametrize("mode", MODES)
def test_virtual_threads_are_those_of_the_jdks_dump(hprof, demo, jdk, tmp_path, mode):    # noqa: F811
    java = demo(jdk, vm=MODES[mode])
    text, said = stack(hprof, "--java", "--virtual", "--json", java.pid)
    ours, theirs = virtuals_of(text), jdk_dump(jdk, java, tmp_path)
    assert_same(ours, theirs)
    half = next(frames for name, _, frames in ours.values() if name == "half")
    assert sum(".half(" in frame for frame in half) == HALF_FRAMES + 1
    assert "missing" not in said
    data = json.loads(text)
    assert data["virtual_left_out"] == 0 and data["virtual_unreadable"] == 0 and data["virtual_untracked"] is False


@old_and_new
@pytest.mark.jdks(since=21)
def test_they_are_listed_with_their_lock(hprof, demo, jdk):    # noqa: F811
    java = demo(jdk)
    text, _ = stack(hprof, "--java", "--virtual", java.pid)
    threads = {block.split('"')[1]: block for block in text.split("\n\n") if block.startswith('"')}
    assert re.match(r'"locking" #\d+ daemon virtual\n   java.lang.Thread.State: WAITING \(parking\)\n', threads["locking"])
    assert re.search(r"- parking to wait for  <0x\w+> \(a java.util.concurrent.locks.ReentrantLock\$NonfairSync\)",
                     threads["locking"])
    assert threads["deep"].count("VirtualDemo.deep(") == 701
    without, _ = stack(hprof, "--java", java.pid)
    assert '"locking"' not in without and "half(" in without
    data, _ = stack(hprof, "--virtual", "--json", java.pid)
    locking = next(t for t in json.loads(data)["threads"] if t["name"] == "locking")
    assert locking["unmounted"] is True and locking["locks"][0]["holder"] == "main"


@pytest.mark.jdks(21, "newest")
def test_threads_of_the_jvm_and_these(hprof, demo, jdk):    # noqa: F811
    """The JVM's own dump has no virtual thread that is not mounted, and finds no deadlock of them."""
    def asked(command, *flags, status):
        done = subprocess.run([hprof, command, *flags, str(java.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, timeout=TIMEOUT_S)
        assert done.returncode == status, done.stderr
        return done.stdout, done.stderr
    java = demo(jdk, program="VirtualCircle")
    for command in ("threads", "stack"):
        assert "nor deadlocks among them; --virtual shows them" in asked(command, status=0)[1]
    summary, said = asked("threads", "-s", "--virtual", status=2)
    assert re.search(r'(?m)^deadlock: "(one|two)" #\d+, "(one|two)" #\d+ wait for each other\ndeadlocks: 1$', summary) and said == ""
    text, _ = asked("threads", "--virtual", status=2)
    assert re.search(r'\n"one" #\d+ daemon virtual\n', text) and text.endswith("Found 1 deadlock.\n")
    data = json.loads(asked("threads", "--json", "--virtual", status=2)[0])
    assert data["deadlocks"] == 1 and sorted(data["deadlock_threads"][0]) == ["one", "two"]
    assert {thread["name"] for thread in data["threads"] if thread.get("virtual")} >= {"one", "two"}


# JDK 24 unmounts virtual threads that hold monitors or wait for them; before, they kept their carriers.
@pytest.mark.jdks(since=25)
@pytest.mark.parametrize("mode", [*MODES, "z"])
@pytest.mark.parametrize("collected", [[], ["gc"]], ids=["", "collected"])
def test_the_monitors_of_unmounted_threads(hprof, demo, jdk, mode, collected):    # noqa: F811
    java = demo(jdk, *collected, vm=MODES.get(mode, ["-XX:+UseZGC"]), program="VirtualLocks")
    done = subprocess.run([hprof, "stack", "--java", "--virtual", "--json", str(java.pid)], stdout=subprocess.PIPE,
                          check=False, timeout=TIMEOUT_S)
    assert done.returncode == 2, "a deadlock is found"
    data = json.loads(done.stdout)
    found = {t["name"]: sorted((lock["kind"], lock["class"], lock.get("holder")) for lock in t.get("locks", []))
             for t in data["threads"]}
    unmounted = {t["name"] for t in data["threads"] if t.get("unmounted")}
    expected = {"one": [("entering", "VirtualLocks$Second", "two"), ("held", "VirtualLocks$First", None)],
                "two": [("entering", "VirtualLocks$First", "one"), ("held", "VirtualLocks$Second", None)],
                "waiter": [("waiting", "VirtualLocks$Awaited", None)], "quiet": [("held", "VirtualLocks$Quiet", None)],
                "holder": [("held", "VirtualLocks$Held", None)], "platform": [("entering", "VirtualLocks$Held", "holder")]}
    assert unmounted == set(expected) - {"platform"}
    assert {name: found[name] for name in expected} == expected
    assert [sorted(entry["thread"] for entry in circle) for circle in data["deadlocks"]] == [["one", "two"]]


@pytest.mark.jdks(21, "newest")
def test_many_in_a_hash_map_that_has_grown(hprof, demo, jdk):    # noqa: F811
    java = demo(jdk, "3000")
    found = []

    def all_sleep():    # each of them has run
        text, _ = stack(hprof, "--java", "--virtual", "--json", java.pid)
        found[:] = [(name, state, len(frames)) for name, state, frames in virtuals_of(text).values()
                    if name.startswith("many-")]
        return "RUNNABLE" not in {state for _, state, _ in found}

    java.wait_for(all_sleep, "sleep of each thread")
    assert sorted(name for name, _, _ in found) == sorted("many-%d" % i for i in range(3000))
    assert len({(state, count) for _, state, count in found}) == 1


@pytest.mark.jdks(21, "newest")
def test_untracked_threads_are_not_passed_over_in_silence(hprof, demo, jdk):    # noqa: F811
    java = demo(jdk, vm=["-Djdk.trackAllThreads=false"])
    text, said = stack(hprof, "--java", "--virtual", java.pid)
    assert '"task-3"' in text and '"parked"' not in text
    assert "trackAllThreads=false" in said


@old_and_new
@pytest.mark.jdks(since=21)
def test_a_core_has_them_too(hprof, demo, jdk, tmp_path):    # noqa: F811
    limits = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (limits[1], limits[1]))
    try:
        java = demo(jdk)
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, limits)
    theirs = jdk_dump(jdk, java, tmp_path)
    core = dump_core(java, java.cwd)
    if core is None:
        pytest.skip("the kernel writes no core into the folder: see /proc/sys/kernel/core_pattern, ulimit -c")
    text, _ = stack(hprof, "--java", "--virtual", "--json", core)
    assert json.loads(text)["signal"] in (signal.SIGSEGV, signal.SIGABRT)
    assert_same(virtuals_of(text), theirs)
    os.unlink(core)


@pytest.mark.jdks(17)
def test_a_vm_without_virtual_threads(hprof, start_java, jdk):    # noqa: F811
    java = start_java(jdk, None, "StackDemo", vm=("-Xmx64m",))
    java.wait_for_stdout("ready")
    text, _ = stack(hprof, "--java", "--virtual", java.pid)
    assert '"sleeper"' in text and " virtual\n" not in text
