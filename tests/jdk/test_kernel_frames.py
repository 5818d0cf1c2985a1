"""kernel=y: the kernel's part of the stacks, where the kernel shows it, and what is said where it does not.

What the kernel permits is asked of the kernel, not of the agent: by a perf event that this file opens itself. Rights
are taken away with setpriv, for one JVM. What is not permitted here is skipped, with the reason.
SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import fcntl
import os
import pathlib
import platform
import re
import shutil
import struct
import subprocess

import pytest
from conftest import TIMEOUT_S, clean_environment, old_and_new
from kept import locked_memory
from robust import Profile, crash_files
from test_native_frames import classes  # noqa: F401 pylint: disable=unused-import

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}.get(platform.machine())
ENTRY = {"x86_64": r"kernel\.entry_SYSCALL", "aarch64": r"kernel\.(el0|vectors)"}.get(platform.machine())
CAPABILITIES = {"sys_admin": 21, "syslog": 34, "perfmon": 38, "ipc_lock": 14}


def kernel_refuses():
    """Why a perf event of this process may not look into the kernel; "" if it may."""
    if PERF_EVENT_OPEN is None:
        return "no test for this machine"
    # struct perf_event_attr: software, cpu-clock, each ms, callchain; of the flags none excludes the kernel.
    attr = struct.pack("<IIQQQQQ", 1, 112, 0, 1000000, 1 << 5, 0, 1).ljust(112, b"\0")
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(PERF_EVENT_OPEN, ctypes.c_char_p(attr), 0, -1, -1, 8)
    if fd < 0:
        return "perf_event_open with kernel stacks: " + os.strerror(ctypes.get_errno())
    os.close(fd)
    return ""


def has_capability(name):
    effective = re.search(r"^CapEff:\s+(\w+)", pathlib.Path("/proc/self/status").read_text(), re.M).group(1)
    return bool(int(effective, 16) >> CAPABILITIES[name] & 1)


def setting(name):
    return int(pathlib.Path("/proc/sys/kernel", name).read_text())


def kernel_functions():
    """The names in /proc/kallsyms up to their first dot; none where the addresses are hidden."""
    names = set()
    with open("/proc/kallsyms", encoding="utf-8", errors="replace") as symbols:
        for line in symbols:
            address, _, name = line.split()[:3]
            if int(address, 16):
                names.add(name.split(".")[0])
    return names


REFUSED = kernel_refuses()
shown = pytest.mark.skipif(bool(REFUSED), reason="the kernel shows no kernel stacks here: " + REFUSED)
FUNCTIONS = kernel_functions()
named = pytest.mark.skipif(not FUNCTIONS, reason="/proc/kallsyms shows no addresses here")


@pytest.fixture
def run_kernel(agent, classes, tmp_path):  # noqa: F811 pylint: disable=redefined-outer-name
    """run_kernel(jdk, options, without=(), threads=1): Profile and stderr of a JVM without these capabilities.

    One at a time: what perf may lock is counted for the user, not for the process."""
    def run(jdk, options, without=(), threads=1, rounds=4000, depth=64, before=()):
        argv = list(before)
        if without:
            if not shutil.which("setpriv") or not has_capability(without[0]):
                pytest.skip("no setpriv, or no right %s that could be taken away" % without[0])
            argv += ["setpriv", "--bounding-set", ",".join("-" + name for name in without)]
        argv += [jdk.tool("java"), "-agentpath:%s=cpu=samples,interval=1ms,depth=%d,cutoff=0,file=out.txt,%s" %
                 (agent, depth, options), "-Xmx256m", "-cp", str(classes), "Kernel", str(threads), str(rounds)]
        with locked_memory(fcntl.LOCK_EX):
            done = subprocess.run(argv, cwd=str(tmp_path), env=clean_environment(), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "done\n"
        assert not [name for name in os.listdir(tmp_path) if name.startswith(("hs_err", "core"))]
        return Profile((tmp_path / "out.txt").read_text()).check(), done.stderr
    return run


def kernel_part(row):
    """The row's frames of the kernel; fails if they are not all innermost."""
    count = sum(frame.endswith("_[k]") for frame in row.frames)
    assert all(frame.endswith("_[k]") for frame in row.frames[:count]), row
    return row.frames[:count]


def is_function(frame):
    group, name = frame[:-len("_[k]")].rsplit(".", 1)
    return group and name in FUNCTIONS


def total(rows):
    return sum(row.count for row in rows)


@old_and_new
@shown
@named
@pytest.mark.parametrize("native", "ny")
def test_the_kernel_functions_stand_above_the_call(run_kernel, jdk, native):
    profile, said = run_kernel(jdk, "kernel=y,native=" + native)
    assert "kernel=y:" not in said
    quality = profile.quality
    rows = [row for row in profile.rows if kernel_part(row)]
    reads = [row for row in rows if "Kernel.fill" in row.frames]
    assert total(rows) == quality["kernel_samples"] > 0
    assert quality["kernel_refused"] == quality["threads_without_kernel"] == 0
    # What follows holds for signals; see Profile.extra for what a host that takes the processor away does to samples.
    extra = profile.extra
    assert quality["kernel_stale"] <= 0.05 * quality["samples"] + 2 + extra, quality
    # What reads is in the kernel for a part of its time, and what computes is not but for the odd interrupt. The
    # processor comes back with an interrupt, so the sample that has the weight of a pause is often in the kernel.
    assert total(reads) > 0 and total(reads) >= 0.1 * (profile.with_frame("Kernel.fill") - extra)
    assert total([row for row in rows if "Kernel.compute" in row.frames]) <= \
        0.3 * profile.with_frame("Kernel.compute") + 5 + extra

    # Interrupts come anywhere, and any method may be the one that asks for its own compilation. The kernel's own walk
    # may end early, in code that it has no frame sizes for, and some of that code has no name or came later.
    zeros = [row for row in reads if "kernel.vfs_read_[k]" in row.frames]
    below = r"libc\.so\.6\." if native == "y" else r"java\.io\.FileInputStream\."
    assert total(zeros) > 0
    for those, is_good in ((zeros, lambda row: re.match(ENTRY, kernel_part(row)[-1])),
                           (zeros, lambda row: re.match(below, row.frames[len(kernel_part(row))])),
                           (rows, lambda row: all(is_function(frame) for frame in kernel_part(row)))):
        assert total(filter(is_good, those)) >= 0.9 * (total(those) - extra), [row for row in those if not is_good(row)]


@shown
@pytest.mark.jdks(17)
def test_a_small_depth_keeps_the_innermost_frames_and_one_of_java(run_kernel, jdk):
    profile, _ = run_kernel(jdk, "kernel=y", depth=3)
    deep = [row for row in profile.rows if len(kernel_part(row)) == 3]
    assert deep and all(len(row.frames) <= 3 for row in profile.rows)
    assert profile.quality["truncated"] >= total(deep)


@shown
@pytest.mark.jdks(8, "newest")
def test_without_kernel_no_frame_is_the_kernels(run_kernel, jdk):
    profile, _ = run_kernel(jdk, "native=y", rounds=300)
    assert not any(kernel_part(row) for row in profile.rows)
    assert "kernel_samples" not in profile.quality


@pytest.mark.jdks(8, "newest")
def test_where_the_kernel_refuses_the_profile_is_as_without(run_kernel, jdk):
    if setting("perf_event_paranoid") < 2:
        pytest.skip("kernel.perf_event_paranoid is below 2: the kernel refuses nobody here")
    profile, said = run_kernel(jdk, "kernel=y", without=("sys_admin", "perfmon"))
    lines = [line for line in said.splitlines() if "kernel=y:" in line]
    assert len(lines) == 1, said
    assert "kernel.perf_event_paranoid is %d" % setting("perf_event_paranoid") in lines[0]
    assert "CAP_PERFMON" in lines[0] and "going on without kernel frames" in lines[0]
    assert profile.quality["kernel_refused"] == 1 and profile.quality["kernel_samples"] == 0
    assert profile.with_frame("Kernel.fill") > 0
    assert not any(kernel_part(row) for row in profile.rows)


@shown
@pytest.mark.jdks("newest")
def test_where_names_are_hidden_one_frame_says_so(run_kernel, jdk):
    if setting("kptr_restrict") == 0 and setting("perf_event_paranoid") < 2:
        pytest.skip("the kernel hides its addresses from nobody here")
    profile, said = run_kernel(jdk, "kernel=y", without=("syslog",))
    assert said.count("/proc/kallsyms shows no addresses") == 1, said
    rows = [row for row in profile.rows if kernel_part(row)]
    assert total(rows) > 0
    assert {tuple(kernel_part(row)) for row in rows} == {("kernel.[unknown]_[k]",)}


@shown
@pytest.mark.jdks(17)
def test_threads_beyond_the_limit_of_locked_memory_have_the_timer_alone(run_kernel, jdk):
    threads = setting("perf_event_mlock_kb") * os.cpu_count() // 8 + 40
    if threads > 600:
        pytest.skip("perf_event_mlock_kb allows more threads than a test should start")
    profile, said = run_kernel(jdk, "kernel=y,thread=y", without=("ipc_lock",), threads=threads, rounds=20,
                               before=["prlimit", "--memlock=0:0"])
    quality = profile.quality
    assert "kernel=y:" not in said
    assert 0 < quality["threads_without_kernel"] < quality["perf"]
    assert quality["threads_without_timer"] == 0
    assert quality["kernel_samples"] > 0


@pytest.mark.jdks("newest")
@pytest.mark.parametrize("other", ["walker=jvmti", "timer=ctimer", "timer=monotonic"])
def test_what_has_no_kernel_frames_says_so(run_java, jdk, other):
    ended = run_java(jdk, "cpu=samples,kernel=y,file=out.txt," + other, "Kernel", 1, 1)
    assert "%s has no kernel frames" % other in ended.stderr
    assert ended.rc == 1 and not (ended.cwd / "out.txt").exists()
    assert not crash_files(ended)


@shown
@named
@pytest.mark.jdks(17)
@pytest.mark.parametrize("form", "ab")
def test_run_and_report_show_them(jdk, agent, hprof, classes, tmp_path, form):  # noqa: F811 pylint: disable=redefined-outer-name
    both = {"env": clean_environment(), "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True,
            "timeout": TIMEOUT_S, "check": False, "cwd": str(tmp_path)}
    run = subprocess.run([hprof, "run", "-v", "--kernel", "-i", "1ms", "-f", form, "-o", "out", "--agent", str(agent),
                          "--top", "10000", "--", jdk.tool("java"), "-cp", str(classes), "Kernel", "1", "4000"], **both)
    report = subprocess.run([hprof, "report", "-v", "--top", "10000", "out"], **both)
    for done in (run, report):
        assert done.returncode == 0, done.stdout
        assert re.search(r" kernel\.vfs_read_\[k\]$", done.stdout, re.M), done.stdout
        assert re.search(r"[1-9]\d* with kernel frames", done.stdout), done.stdout
