"""--max-stop: what stops somebody else's program has a bound, lets it go on when that is over, and counts what it left out.

SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import re
import subprocess

import pytest

from asking import ask
from conftest import TIMEOUT_S
from test_stack import stack
from test_stack_virtual import demo, demo_classes    # noqa: F401 (fixtures)

MANY = 20000
TRIES = 100
LEFT = re.compile(r": stopped for [\d.]+ ms, the bound of --max-stop: (?:(\d+) of (\d+) threads)?(?: and )?"
                  r"(?:(\d+) of (\d+) virtual threads)?(?:,? ?(?:and )?some locks)? were not read\n")


def stack_within(hprof, bound_ms, pid):
    done = subprocess.run([hprof, "stack", "--java", "--virtual", "--json", "--max-stop", "%.3fms" % bound_ms, str(pid)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=TIMEOUT_S)
    return done.returncode, done.stdout, done.stderr


def unmounted(data):
    return [thread for thread in data["threads"] if thread.get("unmounted")]


def assert_goes_on(pid):
    for task in pathlib.Path("/proc/%d/task" % pid).iterdir():
        status = (task / "status").read_text()
        assert "\nTracerPid:\t0\n" in status and "\nState:\tt" not in status


@pytest.mark.jdks(21, 25, 28)
def test_what_was_not_read_is_counted(hprof, demo, jdk):    # noqa: F811
    """Bounds from shorter than the stop itself to longer than all takes: some are over in the midst of it."""
    java = demo(jdk, str(MANY), vm=["-Xmx512m"])

    def all_sleep():
        threads = unmounted(json.loads(stack(hprof, "--java", "--virtual", "--json", "--max-stop", "none", java.pid)[0]))
        return len(threads) >= MANY and all(thread["frames"] and "unread" not in thread for thread in threads)

    java.wait_for(all_sleep, "sleep of each thread")
    cut, bound_ms = 0, 1
    for _ in range(TRIES):
        status, text, said = stack_within(hprof, bound_ms, java.pid)
        assert_goes_on(java.pid)
        bound_ms = bound_ms * 1.2
        if status == 0:    # all was read
            assert len([t for t in unmounted(json.loads(text)) if t["frames"]]) >= MANY and "--max-stop" not in said
            bound_ms = 1
            continue
        assert status == 1
        if "did not all stop within" in said:
            assert text == ""
            continue
        left = LEFT.search(said)
        assert left, said
        if not left.group(3):
            continue
        count, total = int(left.group(3)), int(left.group(4))
        assert total >= MANY
        read = [t for t in unmounted(json.loads(text)) if "unread" not in t] if text else []
        assert len(read) == total - count
        assert all(thread["frames"] for thread in read)
        cut += 1
        if cut == 3:
            break
    assert cut == 3
    assert java.process.poll() is None


@pytest.mark.jdks(8, 21, 25, 28)
def test_a_long_pause_for_the_heap_is_refused(hprof, start_java, jdk, tmp_path):
    java = start_java(jdk, None, "StackDemo", vm=("-Xmx64m",))
    java.wait_for_stdout("ready")
    ask(hprof, "jcmd", java.pid, "GC.run")    # from here on the counters know what is in use
    path = tmp_path / "heap.hprof"
    said = ask(hprof, "dump-heap", "--max-stop", "10us", java.pid, path, status=1)[1]
    assert re.search(r": it would stand still for about [\d.]+ ms, [\d.]+ GB of its heap being in use; the bound is 0.01 ms: "
                     r"use --fork or --max-stop none\n$", said)
    assert not path.exists()
    said = ask(hprof, "histo", "--max-stop", "10us", java.pid, status=1)[1]
    assert said.endswith("the bound is 0.01 ms: use --max-stop none\n")
    assert "java.lang.String" in ask(hprof, "histo", java.pid)[0]
    ask(hprof, "dump-heap", "--max-stop", "none", java.pid, path)
    assert path.exists()
