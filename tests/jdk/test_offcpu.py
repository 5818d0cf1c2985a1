"""hprof probe, offcpu: threads that were away from the processors, why, where, and who woke them.

SPDX-License-Identifier: Apache-2.0
"""
import fcntl
import os
import pathlib
import subprocess

import pytest

import jfr_file
from conftest import JDKS
from kept import locked_memory
from test_probe import classes, own, probe  # noqa: F401 (fixtures)
from test_probe_pairs import Watch, run_own

MS = 1000000
# Each kind of wait a known number of times, by threads with names: asleep until a time, asleep until another thread posts, unable to be
# woken while a child that shares the memory runs, and without a processor beside another thread.
PROGRAM = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
static sem_t ready;
static volatile int asked, waiter;    /* so that who posts begins its time when the other one waits */
static void pass(long ns) { struct timespec t = {0, ns}; nanosleep(&t, NULL); }
__attribute__((noinline)) static void sleeps(void) { for (int i = 0; i < 10; i++) { pass(20000000); __asm__ volatile(""); } }
__attribute__((noinline)) static void posted(void) { for (int i = 0; i < 10; i++) { asked = i + 1; sem_wait(&ready); __asm__ volatile(""); } }
__attribute__((noinline)) static void forks(void) { for (int i = 0; i < 10; i++) { if (vfork() == 0) { pass(25000000); _exit(0); } __asm__ volatile(""); } }
static int is_asleep(void)
{
    char path[64], state = 0;
    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", waiter);
    FILE *stat = fopen(path, "r");
    if (fscanf(stat, "%*d (waits) %c", &state) != 1) state = 0;
    fclose(stat);
    return state == 'S';
}
static void *waits(void *unused) { prctl(PR_SET_NAME, "waits"); waiter = gettid(); posted(); return unused; }
static void *posts(void *unused) { prctl(PR_SET_NAME, "posts"); for (int i = 0; i < 10; i++) { while (asked <= i || !is_asleep()) usleep(1000); pass(30000000); sem_post(&ready); } return unused; }
static void on_first(void) { cpu_set_t set; CPU_ZERO(&set); CPU_SET(0, &set); sched_setaffinity(0, sizeof(set), &set); }
static double used(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static void *spins(void *name) { prctl(PR_SET_NAME, name); on_first(); while (used() < 0.1) ; return name; }
int main(void)
{
    pthread_t one, two;
    puts("up"); fflush(stdout);
    while (access("go", F_OK) != 0) usleep(1000);
    prctl(PR_SET_NAME, "sleeps"); sleeps();
    prctl(PR_SET_NAME, "forks"); forks();
    sem_init(&ready, 0, 0);
    pthread_create(&one, NULL, waits, NULL); pthread_create(&two, NULL, posts, NULL);
    pthread_join(one, NULL); pthread_join(two, NULL);
    pthread_create(&one, NULL, spins, "spins-1"); pthread_create(&two, NULL, spins, "spins-2");
    pthread_join(one, NULL); pthread_join(two, NULL);
    puts("done"); fflush(stdout);
    for (;;) pause();
}
"""


@pytest.fixture
def programs():
    if not pathlib.Path("/sys/kernel/tracing/events/sched/sched_waking").exists() or os.geteuid() != 0:
        pytest.skip("no tracefs at /sys/kernel/tracing, or not root")
    with locked_memory(fcntl.LOCK_SH):
        yield


@pytest.fixture
def program(own):  # noqa: F811
    return own(PROGRAM, "-fno-optimize-sibling-calls", "-pthread", "-rdynamic", "-g")


def functions(row):
    return [frame.get("function") for frame in row["stack"]]


def methods(row):
    return ["%s.%s" % (frame["class"], frame["method"]) for frame in row["stack"] if "method" in frame]


def in_function(rows, name):
    return [row for row in rows if name in functions(row)]


def test_each_kind_of_wait_is_there(hprof, program, tmp_path, programs):
    rows, _ = run_own(hprof, program, tmp_path, "--stack", "trace", "offcpu:>5ms")
    assert {row["probe"] for row in rows} == {"kernel:offcpu"} and all(row["queued_ns"] <= row["duration_ns"] for row in rows)
    # glibc's vfork() keeps its return address in a register, so its callers are not known.
    sleeps, forks, posted = (in_function(rows, name) for name in ("sleeps", "vfork", "posted"))
    sleeps = [row for row in sleeps if row["duration_ns"] >= 20 * MS]
    assert len(sleeps) == 10 and {row["state"] for row in sleeps} == {"sleeping"} and {row["waker"] for row in sleeps} == {"interrupt"}
    assert len(forks) == 10 and {row["state"] for row in forks} == {"uninterruptible"}, forks
    assert all(row["duration_ns"] >= 25 * MS and functions(row) == ["vfork"] and row["waker"].startswith("forks[") for row in forks)
    assert len({row["waker"] for row in forks}) == 10    # each child has a number of its own
    assert len(posted) == 10 and {row["state"] for row in posted} == {"sleeping"}
    (waker,) = {row["waker"] for row in posted}
    assert waker.startswith("posts[") and waker != "posts[%d]" % posted[0]["tid"]
    assert all(row["stack_is_whole"] for row in sleeps + posted)
    # Two threads that need 0.1 s each of one processor: one of them has none for 0.1 s, less what is left of the last turn.
    spun = [row for row in rows if row["state"] == "runnable"]
    assert all(row["queued_ns"] == row["duration_ns"] and row["waker"] is None and row["stack"] == [] for row in spun)


def test_more_stacks_than_wanted_are_not_copied(hprof, program, tmp_path, programs):
    rows, said = run_own(hprof, program, tmp_path, "--stack", "--max-rate=3", "trace", "offcpu:>5ms")
    posted = [row for row in rows if (row["waker"] or "").startswith("posts[")]
    assert len(posted) == 10, posted
    bare = [row for row in rows if row["state"] in ("sleeping", "uninterruptible") and not row["stack"]]
    assert bare and "probe: %d waits are without a stack" % len(bare) in said, (len(bare), said)


def test_short_waits_and_other_processes_are_left_out(hprof, program, tmp_path, programs):
    rows, said = run_own(hprof, program, tmp_path, "trace", "offcpu:>5ms")
    assert all(row["duration_ns"] >= 5 * MS and "stack" not in row and "waker_frames" not in row for row in rows), rows
    assert len([row for row in rows if (row["waker"] or "").startswith("posts[")]) == 10
    tids = {int(path.name) for path in pathlib.Path("/proc/%d/task" % program.pid).iterdir()}
    assert program.pid in tids and "lost" not in said


def test_threads_without_a_processor(hprof, program, tmp_path, programs):
    rows, _ = run_own(hprof, program, tmp_path, "--where=state=runnable", "trace", "offcpu:>1us")
    assert rows and {row["state"] for row in rows} == {"runnable"}
    # Both need 0.1 s of one processor: at the end of the first one, the other has waited as long as that has run since it began.
    assert sum(row["duration_ns"] for row in rows) >= 80 * MS


def test_counts_by_state_and_who_woke(hprof, program, tmp_path, programs):
    watch = Watch(hprof, program.pid, tmp_path, "--json", "--by=state", "count", "offcpu:>5ms")
    (tmp_path / "go").touch()
    assert program.stdout.readline() == "done\n"
    counts = {row["state"]: row for row in watch.end()}
    assert counts["uninterruptible"]["count"] >= 10 and counts["uninterruptible"]["total_ns"] >= 250 * MS
    assert counts["sleeping"]["count"] >= 20


@pytest.mark.jdks(8, 11, 17, 21, 25, "newest")
def test_a_java_thread_is_woken_by_another(jdk, hprof, start_java, tmp_path, programs):
    java = start_java(jdk, None, "OffCpu")
    java.wait_for_stdout("up")
    watch = Watch(hprof, java.pid, tmp_path, "--json", "--stack", "trace", "offcpu:>10ms")
    (java.cwd / "go").touch()
    java.wait_for_stdout("done")
    waits = [row for row in watch.end() if row.get("thread_name") == "waiter" and row["state"] == "sleeping" and "OffCpu.waits" in methods(row)]
    rows = [row for row in waits if (row["waker"] or "").startswith("main[")]
    assert len(rows) == 20 and all("java.lang.Object.wait" in methods(row) for row in rows), [{**row, "stack": methods(row)} for row in waits]
    assert all("OffCpu.wakes < OffCpu.main" in row["waker_frames"] for row in rows)
    assert all(row["state"] == "sleeping" and row["stack_is_whole"] for row in rows)


@pytest.mark.jdks(17, "newest")
def test_a_recording_has_them(jdk, hprof, start_java, tmp_path, programs):
    java = start_java(jdk, None, "OffCpu")
    java.wait_for_stdout("up")
    watch = Watch(hprof, java.pid, tmp_path, "--stack", "--output=%s" % (tmp_path / "x.jfr"), "trace", "offcpu:>10ms")
    (java.cwd / "go").touch()
    java.wait_for_stdout("done")
    assert watch.end() == []
    events = jfr_file.events(JDKS[max(JDKS)], tmp_path / "x.jfr", "probe.kernel.offcpu", depth=64)
    waits = [event for event in events if any(frame["method"]["name"] == "waits" for frame in (event["stackTrace"] or {"frames": ()})["frames"])]
    assert len([event for event in waits if (event["waker_frames"] or "").endswith("OffCpu.wakes < OffCpu.main")]) == 20


@pytest.mark.parametrize("name", ["offcpu:", "offcpu:5ms", "offcpu:>x", "offcpu:>1h"])
def test_a_wrong_name_is_one_line(hprof, name):
    said = probe(hprof, os.getpid(), "trace", name)
    assert said.returncode == 2 and said.stdout == "" and said.stderr.count("\n") == 1 and "'offcpu:>10ms'" in said.stderr


def test_without_rights_it_says_so(hprof, program, programs, tmp_path):
    wanted = ["setpriv", "--bounding-set=-bpf,-sys_admin,-perfmon", hprof, "probe", "-d", "1s", str(program.pid), "trace", "offcpu"]
    done = subprocess.run(wanted, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1 and "CAP_BPF" in done.stderr and done.stderr.count("\n") == 1, done.stderr
