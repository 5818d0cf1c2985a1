"""event=nativelock: waits for locks of native code, against a program with known counts.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import subprocess

import pytest

from conftest import compile_library, compile_programs, one_jdk
from robust import crash_files

COUNT, HOLD_MS = 5, 20
WAYS = {"mutex": "mutex", "read": "rwlock, to read", "write": "rwlock, to write", "condition": "condition", "semaphore": "semaphore"}


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs_contends")


@pytest.fixture(scope="session")
def contends(tmp_path_factory):
    """The path of native/contends.c as a shared library."""
    return compile_library(tmp_path_factory, "contends", "-pthread", "-fno-optimize-sibling-calls", "-Wl,-z,now")


@pytest.fixture
def run_contends(run_java, contends):
    """run_contends(jdk, options): the program's Ended."""
    def run(jdk, options, vm=()):
        ended = run_java(jdk, options, "Contends", COUNT, vm=["-Dcontends=%s" % contends, *vm])
        assert ended.rc == 0 and ended.stdout.endswith("done\n"), ended.stdout + ended.stderr
        assert not crash_files(ended)
        return ended
    return run


class Wait(collections.namedtuple("Wait", "lock ns thread owner timed_out frames")):
    """One event hprof.NativeLockWait."""


def waits(hprof, path):
    """All events of the recording."""
    said = subprocess.run([hprof, "jfr", "print", "--stack-depth", "64", "--events", "hprof.NativeLockWait", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    scale = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    found = []
    for event in said.split("hprof.NativeLockWait {")[1:]:
        number, unit = re.search(r"duration = ([\d.]+) (\w+)", event).groups()
        thread, owner = (re.search(r'%s = "([^"]*)"' % name, event) for name in ("eventThread", "owner"))
        found.append(Wait(re.search(r'lock = "([^"]*)"', event)[1], float(number) * scale[unit], thread and thread[1], owner and owner[1],
                          "timedOut = true" in event, event.partition("stackTrace")[2]))
    return found


def quality(hprof, path):
    """Counts that are not 0."""
    said = subprocess.run([hprof, "jfr", "print", "--events", "hprof.Quality", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return collections.Counter(dict(zip(re.findall(r'name = "(\w+)"', said), map(int, re.findall(r"count = (\d+)", said)))))


@pytest.mark.jdks(8, 17, 25, "newest")
def test_each_wait_is_an_event_with_its_java_stack(jdk, hprof, run_contends):
    path = run_contends(jdk, "event=nativelock,nativelock=5ms,depth=64,file=x.jfr").cwd / "x.jfr"
    counts, found = quality(hprof, path), waits(hprof, path)
    assert not counts["nativelock_lost"] and not counts["nativelock_unhooked"], counts
    for method, lock in WAYS.items():
        own = [w for w in found if "Contends.%s(" % method in w.frames]
        assert [w.lock for w in own] == [lock] * COUNT, (method, own)
        # The other thread holds it for so long after it has said so, and the wait begins a little later.
        assert all(w.ns >= 5e6 for w in own) and sum(w.ns for w in own) >= COUNT * HOLD_MS * 1e6 / 2
        assert all("main" in w.thread for w in own)
    assert not [w for w in found if "Contends.uncontended(" in w.frames or "Contends.idle(" in w.frames], found
    [owned] = [w for w in found if "Contends.take(" in w.frames]
    assert owned.lock == "mutex" and owned.owner and "the-owner" in owned.owner, owned


@pytest.mark.jdks(8, 17, 25, "newest")
def test_waits_of_the_vm_come_if_asked_for(jdk, hprof, run_contends):
    """Sleeps, parks and Object.wait() are waits for conditions of libjvm; the option shows them."""
    path = run_contends(jdk, "event=nativelock,nativelock=5ms,nativelockvm=y,depth=64,file=x.jfr").cwd / "x.jfr"
    idle = [w for w in waits(hprof, path) if "Contends.idle(" in w.frames]
    assert len(idle) >= 9 and {w.lock for w in idle} == {"condition"} and all(w.timed_out for w in idle), idle


@one_jdk
def test_reports_and_two_recordings(jdk, hprof, run_contends):
    ended = run_contends(jdk, "event=nativelock+lock,nativelock=1us,file=x.jfr")
    text = subprocess.run([hprof, "report", "-e", "nativelock", str(ended.cwd / "x.jfr")], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "waits for native locks" in text and "Contends.mutex" in text, text
    counts = quality(hprof, ended.cwd / "x.jfr")
    # A million calls for a free lock: each takes it at the first try, and is no wait.
    assert counts["nativelock_waits"] + counts["nativelock_shorter"] < 100000, counts


@pytest.mark.jdks(8, 17, 25, "newest")
@pytest.mark.parametrize("collector", ["Parallel", "G1"])
def test_a_busy_vm_lives(jdk, run_contends, collector):
    """All waits of all threads, with those of the VM and its collectors, beside nativemem and samples."""
    ended = run_contends(jdk, "event=nativelock+nativemem+cpu,nativelock=0,nativelockvm=y,nativemem=64k,interval=1ms,file=x.jfr",
                         vm=["-Xmx32m", "-XX:+Use%sGC" % collector])
    assert (ended.cwd / "x.jfr").stat().st_size > 1000
