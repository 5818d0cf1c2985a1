"""hprof probe: links of the kernel for many probes, which must tell what an event for each processor and site tells, and leave nothing.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import platform
import re
import signal
import subprocess

import pytest

from conftest import TIMEOUT_S, wait_until
from test_probe import NOTE, UPROBES, is_breakpoint, own, probe, refuse, without_links  # noqa: F401 (fixtures)
from test_probe_pairs import PROGRAM, Watch

FUNCTIONS = 300
# Function N of many is called N times by one thread and once by each of two others; a probe with a counter is met while that is not 0.
MANY = NOTE.replace(",0\\n.asciz", ",\" COUNTER \"\\n.asciz") + r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#define COUNTER "looks"
__attribute__((section(".probes"), used)) volatile unsigned short looks = 0;
__attribute__((noinline)) void guarded(long n) { if (looks) { NOTE("guarded", "8@%rdi"); __asm__ volatile("" :: "r"(n)); } }
#define ONE(n) __attribute__((noinline)) void many_##n(void) { __asm__ volatile("" :: "i"(n)); }
FUNCTIONS
static void (*const all[])(void) = { NAMES };
enum { COUNT = sizeof(all) / sizeof(*all) };
static void *once(void *unused) { for (int i = 0; i < COUNT; i++) all[i](); return unused; }
int main(void)
{
    pthread_t threads[2];
    puts("up"); fflush(stdout);
    for (char go[8]; fgets(go, sizeof(go), stdin);) {
        for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, once, NULL);
        for (int i = 0; i < COUNT; i++) for (int j = 0; j < i; j++) all[i]();
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
        for (int i = 0; i < 100; i++) guarded(i);
        printf("%d\n", looks); fflush(stdout);
    }
    return 0;
}
"""


@pytest.fixture(autouse=True)
def links():
    if not UPROBES.exists() or os.geteuid() != 0:
        pytest.skip("no uprobes in this kernel, or not root")
    if tuple(map(int, re.match(r"(\d+)\.(\d+)", platform.release()).groups())) < (6, 10):
        pytest.skip("this kernel has no links for the uprobes of a process")
    if os.uname().machine != "x86_64":
        pytest.skip("the descriptors are those of x86-64")


@pytest.fixture
def many(tmp_path):
    """many(): a program of several hundred functions. Each time it is told to, it calls them, and says how many look at its guarded probe."""
    numbers = range(FUNCTIONS)
    source = MANY.replace("FUNCTIONS", "\n".join("ONE(%d)" % n for n in numbers)).replace("NAMES", ", ".join("many_%d" % n for n in numbers))
    (tmp_path / "many.c").write_text(source)
    program = tmp_path / "many"
    subprocess.run(["cc", "-O1", "-pthread", "-Wl,--build-id", "-o", str(program), str(tmp_path / "many.c")], check=True)
    started = []

    def start():
        process = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        started.append(process)
        assert process.stdout.readline() == "up\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def call_all(process):
    """Let it call its functions. How many look at its guarded probe."""
    process.stdin.write("go\n")
    return int(process.stdout.readline())


def sites(hprof, process, *names):
    return [json.loads(line) for line in probe(hprof, "--json", process.pid, "list", *names).stdout.splitlines()]


EXPECTED = {"uprobe:many:many_%d" % n: n + 2 for n in range(FUNCTIONS)}


@pytest.mark.parametrize("way", ["links", "events"])
def test_hundreds_of_functions_and_a_guarded_probe_are_counted_exactly(hprof, many, refuse, tmp_path, way):  # noqa: F811
    """By threads that are not the first one, too, and not what another process calls in the same file."""
    process, other = many(), many()
    command = hprof if way == "links" else without_links(hprof, refuse, tmp_path)
    watch = Watch(command, process.pid, tmp_path, "--json", "count", "uprobe:many:many_*", "own:guarded")
    descriptors = len(os.listdir("/proc/%d/fd" % watch.process.pid))
    assert call_all(process) == 1
    other_looks = call_all(other)
    placed = [is_breakpoint(other.pid, site) for site in sites(hprof, process, "uprobe:many:many_*")]
    counts = {row["probe"]: row["hits"] for row in watch.end()}
    assert counts == {**EXPECTED, "own:guarded": 100}
    if way == "links":
        # one descriptor for all, none of the breakpoints in the other process, and all gone when the command ends
        assert descriptors < 32 and not any(placed) and other_looks == 0
        assert call_all(process) == 0
        assert not any(is_breakpoint(process.pid, site) for site in sites(hprof, process, "uprobe:many:many_*"))


def test_a_killed_command_leaves_no_breakpoint(hprof, many, tmp_path):
    process = many()
    watch = Watch(hprof, process.pid, tmp_path, "--json", "trace", "uprobe:many:many_*", "own:guarded")
    listed = sites(hprof, process, "uprobe:many:many_*", "own:guarded")
    assert call_all(process) == 1 and all(is_breakpoint(process.pid, site) for site in listed)
    watch.process.kill()
    assert watch.process.wait(TIMEOUT_S) == -signal.SIGKILL
    wait_until(lambda: not any(is_breakpoint(process.pid, site) for site in listed), "the breakpoints to go", lambda: process.poll() is not None)
    assert call_all(process) == 0 and process.poll() is None


def bare(rows):
    """What rows say beside when and who."""
    for row in rows:
        for name in ("time_ns", "duration_ns", "tid", "total_ns", "mean_ns", "min_ns", "max_ns", "p50_ns", "p90_ns", "p99_ns", "histogram"):
            row.pop(name, None)
        for frame in row.get("stack", ()):
            frame.pop("address", None)
            frame.pop("pc", None)
    return rows


ALL = ("own:work__*", "uprobe:own:down(depth:int)", "uretprobe:own:down(int)", "uprobe:own:named(word:str)", "uretprobe:own:named(str)", "uretprobe:libc:close(int)")


@pytest.mark.parametrize("words", [
    ("trace", *ALL),
    ("--stack", "trace", *ALL),
    ("--pairs", "trace", *ALL, "uprobe:own:leaves"),
    ("--pairs", "count", *ALL),
    ("count", *ALL),
    ("--by=arg1", "count", "own:work__*"),
    ("--where=arg1>1100", "count", "own:work__*"),
    ("--where=retval<0", "trace", "uretprobe:libc:close(int)"),
], ids=lambda words: "_".join(word for word in words if not word.startswith("u") and ":" not in word))
def test_both_ways_tell_the_same(hprof, own, refuse, tmp_path, words):  # noqa: F811
    said = []
    for command in (hprof, without_links(hprof, refuse, tmp_path)):
        process = own(PROGRAM, "-fno-optimize-sibling-calls", "-pthread", "-Wl,--build-id")
        watch = Watch(command, process.pid, tmp_path, "--json", *words)
        (tmp_path / "go").touch()
        assert process.stdout.readline() == "done\n"
        rows = watch.end()
        (tmp_path / "go").unlink()
        process.kill()
        process.wait()
        assert rows
        # an event has the hits of all processes that close files
        said.append((bare(rows), [line for line in watch.err.read_text().splitlines() if "of other processes" not in line]))
    assert said[0] == said[1]
