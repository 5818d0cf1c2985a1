"""event=page-faults and its like: samples by events of the kernel and the processor, against what the kernel itself counted.

Where the machine has no counters of the processor, as most virtual machines, their refusal is tested, and what the kernel is asked for
is compared with what perf(1) asks for. SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess

import pytest

from conftest import compile_programs, one_jdk, wait_until
from robust import crash_files
from test_kernel_frames import CAPABILITIES, PERF_EVENT_OPEN, has_capability
from test_nativemem import collapsed, of, quality

HARDWARE, SOFTWARE, PAGE_FAULTS, CONTEXT_SWITCHES = 0, 1, 2, 3
WORDS = ["cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses", "bus-cycles", "ref-cycles",
         "stalled-cycles-frontend", "stalled-cycles-backend", "L1-dcache-loads", "L1-dcache-load-misses", "L1-dcache-stores", "L1-icache-load-misses",
         "LLC-loads", "LLC-load-misses", "LLC-stores", "LLC-store-misses", "LLC-prefetch-misses", "dTLB-loads", "dTLB-load-misses",
         "dTLB-store-misses", "iTLB-loads", "iTLB-load-misses", "branch-loads", "branch-load-misses", "node-loads", "node-store-misses",
         "r1a8", "rc0", "page-faults", "minor-faults", "major-faults", "context-switches", "cpu-migrations", "alignment-faults",
         "emulation-faults", "faults", "cs", "cpu-cycles", "branch-instructions"]
NO_COUNTER = "this machine has no such counter of the processor"


def open_event(kind, config, flags=0):
    """0, or the errno with which the kernel refuses the event for this process."""
    attr = struct.pack("<IIQQQQQ", kind, 112, config, 1000000, 0, 0, 1 | flags).ljust(112, b"\0")
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(PERF_EVENT_OPEN, ctypes.c_char_p(attr), 0, -1, -1, 8)
    if fd < 0:
        return ctypes.get_errno()
    os.close(fd)
    return 0


@pytest.fixture
def counts():
    """Skips where the events of the kernel cannot be counted in the kernel, too."""
    if PERF_EVENT_OPEN is None or open_event(SOFTWARE, PAGE_FAULTS):
        pytest.skip("perf_event_open refuses page faults in the kernel here")


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs_perf")


def said(ended, what):
    """[(page faults, switches)] of each thread, as the kernel counted them."""
    assert ended.rc == 0 and ended.stdout.endswith("done\n"), ended.stdout + ended.stderr
    assert not crash_files(ended)
    return [(int(faults), int(switches)) for faults, switches in re.findall(r"^%s (\d+) (\d+)$" % what, ended.stdout, re.M)]


@pytest.mark.jdks(8, 17, 25, "newest")
@pytest.mark.parametrize("event", ["page-faults", "minor-faults"])
def test_page_faults_are_those_of_the_kernel(jdk, event, hprof, run_java, counts):
    """Each fault has the stack of the code that touched the page. The kernel's own count of the threads has also what a sample's handler and
    the reading of the count itself touch: some dozen pages each."""
    ended = run_java(jdk, "event=%s,depth=64,file=x.jfr" % event, "PerfEvents", "touch", 32, 3)
    threads = said(ended, "touch")
    stacks, have = collapsed(hprof, ended.cwd / "x.jfr", "perf"), quality(hprof, ended.cwd / "x.jfr")
    faults = of(stacks, r"PerfEvents\.touch")
    wanted = sum(thread[0] for thread in threads)
    assert len(threads) == 3 and wanted >= 3 * 16, threads
    assert wanted * 0.97 - 300 <= faults <= wanted, (faults, threads)
    assert have["perf_interval"] == 1 and have["perf_lost"] == 0, have
    assert have["perf_events"] + have["perf_no_stack"] == sum(count for _, count in stacks), have
    assert not have["perf_user_only"] and not have["perf_threads_without"], have


@pytest.mark.jdks(8, 17, 25, "newest")
def test_switches_are_those_of_the_kernel(jdk, hprof, run_java, counts):
    """A signal wakes a thread that waits, which is one more switch: this one is left out, and counted apart."""
    ended = run_java(jdk, "event=context-switches,depth=64,file=x.jfr", "PerfEvents", "waits", 200, 2)
    threads = said(ended, "waits")
    stacks, have = collapsed(hprof, ended.cwd / "x.jfr", "perf"), quality(hprof, ended.cwd / "x.jfr")
    switches, kernel = of(stacks, r"PerfEvents\.waits"), sum(thread[1] for thread in threads)
    assert len(threads) == 2
    # Each wait is a switch; going back to it after the signal is another, which the kernel counts, too, and we leave out. On a busy machine
    # a wait may have ended by then, and the next switch is left out instead: so half of them are there at least.
    assert switches >= 2 * 200 // 2 - 2, (switches, threads, have)
    assert switches <= kernel, (switches, threads, have)
    assert kernel * 0.95 - 20 <= of(stacks, r"PerfEvents\.run") + have["perf_caused"], (switches, threads, have)
    assert have["perf_caused"] >= 2 * 200 // 2 - 2 and have["perf_lost"] == 0, have


@pytest.mark.jdks(8, 17, 25, "newest")
def test_an_interval_makes_samples_rarer_and_keeps_the_sum(jdk, hprof, run_java, counts):
    ended = run_java(jdk, "event=page-faults,perf=64,depth=64,file=x.jfr", "PerfEvents", "touch", 32, 2)
    threads = said(ended, "touch")
    stacks, have = collapsed(hprof, ended.cwd / "x.jfr", "perf"), quality(hprof, ended.cwd / "x.jfr")
    wanted = sum(thread[0] for thread in threads)
    assert have["perf_interval"] == 64 and 0 < have["perf_samples"] <= have["perf_events"] // 64 + 1, have
    assert abs(of(stacks, r"PerfEvents\.touch") - wanted) <= 2 * 64 + wanted // 20, (threads, have)


@pytest.mark.jdks(17, "newest")
def test_other_samples_are_in_the_same_recording(jdk, hprof, run_java, counts):
    """Each engine has a signal of its own, so none takes the other's."""
    ended = run_java(jdk, "event=cpu+page-faults+wall,interval=1ms,wall=10ms,depth=64,file=x.jfr", "PerfEvents", "touch", 64, 2)
    threads = said(ended, "touch")
    path = ended.cwd / "x.jfr"
    assert abs(of(collapsed(hprof, path, "perf"), r"PerfEvents\.touch") - sum(thread[0] for thread in threads)) < 1000
    assert collapsed(hprof, path, "cpu") and collapsed(hprof, path, "wall")


@pytest.mark.jdks(17, "newest")
def test_a_running_jvm_is_recorded_and_let_go(jdk, hprof, start_java, tmp_path, counts):
    """Attached and detached twice: afterwards the process has no event of ours open."""
    java = start_java(jdk, None, "PerfEvents", "touch", 1, 1, "stay", vm=("-Xmx64m",))
    java.wait_for_stdout("done")
    for turn in range(2):
        path = tmp_path / ("x%d.jfr" % turn)
        subprocess.run([hprof, "record", "-q", "-e", "page-faults", "-d", "1s", "-o", str(path), str(java.pid)], check=True, timeout=120)
        assert quality(hprof, path)["perf_interval"] == 1
    files = [os.readlink(fd) for fd in pathlib.Path("/proc/%d/fd" % java.pid).iterdir() if fd.is_symlink()]
    assert not [name for name in files if "perf_event" in name], files
    assert java.process.poll() is None


@one_jdk
def test_two_recordings_count_one_event(jdk, hprof, start_java, tmp_path, counts):
    java = start_java(jdk, "event=page-faults,file=x.jfr", "PerfEvents", "touch", 1, 1, "stay", vm=("-Xmx64m",))
    java.wait_for_stdout("done")
    other = subprocess.run([hprof, "record", "-q", "-e", "context-switches", "-d", "1s", "-o", str(tmp_path / "y.jfr"), str(java.pid)],
                           stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    assert other.returncode != 0 and "another recording counts page-faults" in other.stderr + java.err.read_text(), other.stderr
    subprocess.run([hprof, "record", "-q", "-e", "page-faults", "-d", "1s", "-o", str(tmp_path / "z.jfr"), str(java.pid)], check=True, timeout=120)


@one_jdk
def test_files_name_the_value_by_the_event(jdk, hprof, run_java, counts, tmp_path):
    ended = run_java(jdk, "event=page-faults,depth=64,file=x.jfr", "PerfEvents", "touch", 16, 1)
    assert ended.rc == 0
    path = str(ended.cwd / "x.jfr")
    printed = subprocess.run([hprof, "jfr", "print", "--events", "hprof.PerfSample", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert 'event = "page-faults"' in printed and re.search(r"events = \d+", printed)
    packed = str(tmp_path / "x.pb.gz")
    subprocess.run([hprof, "report", "--to", "pprof", "-o", packed, path], check=True)
    again = subprocess.run([hprof, "report", packed], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "page-faults" in again, again
    raw = subprocess.run(["zcat", packed], stdout=subprocess.PIPE, check=True).stdout
    assert b"page-faults" in raw and b"perf_events" not in raw


@one_jdk
def test_a_counter_that_the_machine_lacks_is_refused_in_one_line(jdk, hprof, run_java, start_java):
    """By the agent when the JVM starts, and by the command before it touches the JVM."""
    if PERF_EVENT_OPEN is None or open_event(HARDWARE, 0) != 2:
        pytest.skip("this machine has counters of the processor, or refuses all events")
    ended = run_java(jdk, "event=cycles,file=x.jfr", "PerfEvents", "touch", 1, 1)
    lines = [line for line in ended.stderr.splitlines() if line.startswith("HPROF")]
    assert ended.rc != 0 and len(lines) == 1 and NO_COUNTER in lines[0] and "page-faults" in lines[0], ended.stderr
    java = start_java(jdk, None, "PerfEvents", "touch", 1, 1, "stay")
    java.wait_for_stdout("done")
    refused = subprocess.run([hprof, "record", "-e", "LLC-load-misses", "-d", "1s", str(java.pid)], stderr=subprocess.PIPE, text=True, check=False)
    assert refused.returncode == 1 and len(refused.stderr.splitlines()) == 1 and NO_COUNTER in refused.stderr, refused.stderr
    assert "libhprof" not in pathlib.Path("/proc/%d/maps" % java.pid).read_text()


@one_jdk
def test_a_kernel_without_kprobes_is_refused_in_one_line(jdk, hprof, run_java):
    if pathlib.Path("/sys/bus/event_source/devices/kprobe/type").exists():
        pytest.skip("this kernel has kprobes")
    ended = run_java(jdk, "event=kprobe:do_sys_openat2,file=x.jfr", "PerfEvents", "touch", 1, 1)
    lines = [line for line in ended.stderr.splitlines() if line.startswith("HPROF")]
    assert ended.rc != 0 and len(lines) == 1 and "CONFIG_KPROBE_EVENTS" in lines[0], ended.stderr


@one_jdk
@pytest.mark.parametrize("event, line", [("mem:12x", "an address is mem:ADDRESS"), ("kprobe:a/b", "the name of a function of the kernel is wanted"), ("no_such:event", "no event no_such:event"),
                                         ("page-faults+cycles", "page-faults is counted already"), ("cyclus", "no event cyclus")])
def test_an_event_that_is_none_is_refused(jdk, event, line, run_java):
    ended = run_java(jdk, "event=%s,file=x.jfr" % event, "PerfEvents", "touch", 1, 1)
    assert ended.rc != 0 and line in ended.stderr, ended.stderr


@one_jdk
def test_without_the_right_to_see_the_kernel(jdk, hprof, run_java, counts):
    """Page faults of user mode count alone, which the file says; switches are refused, since all of them happen in the kernel."""
    taken = ["perfmon", "sys_admin"]
    if not shutil.which("setpriv") or not all(has_capability(name) for name in taken):
        pytest.skip("no setpriv, or no rights %s that could be taken away" % ", ".join(taken))
    if int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()) < 2:
        pytest.skip("kernel.perf_event_paranoid lets everybody see the kernel")
    drop = ",".join("-cap_%d" % CAPABILITIES[name] for name in taken)
    before = ["setpriv", "--bounding-set", drop, "--inh-caps", drop]
    ended = run_java(jdk, "event=page-faults,depth=64,file=x.jfr", "PerfEvents", "touch", 16, 1, before=before)
    have = quality(hprof, ended.cwd / "x.jfr")
    assert ended.rc == 0 and have["perf_user_only"] == 1 and have["perf_events"] > 0, ended.stderr
    ended = run_java(jdk, "event=context-switches,file=y.jfr", "PerfEvents", "waits", 2, 1, before=before)
    assert ended.rc != 0 and "CAP_PERFMON, or kernel.perf_event_paranoid at 1 or below" in ended.stderr, ended.stderr


@one_jdk
def test_the_kernel_is_asked_for_what_perf_asks_for(jdk, hprof, start_java, tmp_path):
    """Type and number of each word: ours as strace sees them, perf's as it prints them."""
    if not shutil.which("perf") or not shutil.which("strace") or subprocess.run(["perf", "--version"], capture_output=True, check=False).returncode:
        pytest.skip("no perf or strace")
    asked = subprocess.run(["perf", "stat", "-vv", "-e", "page-faults", "true"], capture_output=True, text=True, check=False).stderr
    if "perf_event_attr" not in asked:
        pytest.skip("this perf does not print what it asks for")
    compared = 0
    for word in WORDS:
        asked = subprocess.run(["perf", "stat", "-vv", "-e", word, "true"], capture_output=True, text=True, check=False).stderr
        # perf leaves fields out that are 0
        attr = re.search(r"perf_event_attr:\n(.*?)\n-", asked, re.S)
        if not attr:
            continue
        fields = {name: int(value, 0) for name, value in re.findall(r"^ +(type|config) +(\w+)$", attr.group(1), re.M)}
        log = tmp_path / "strace"
        subprocess.run(["strace", "-X", "raw", "-e", "trace=perf_event_open", "-o", str(log), hprof, "record", "-e", word, "-d", "1s", "-o",
                        str(tmp_path / "none" / "x.jfr"), "1"], capture_output=True, check=False)
        ours = re.search(r"perf_event_open\(\{type=(\w+), size=\w+, config=([\w<|]+), sample_period=(\w+)", log.read_text())
        assert ours, word + ": " + log.read_text()
        # strace writes events of caches as 0x1<<16|0<<8|0x2
        parts = [(part + "<<0").split("<<")[:2] for part in ours[2].split("|")]
        config = sum(int(value, 0) << int(shift) for value, shift in parts)
        assert (int(ours[1], 0), config) == (fields.get("type", 0), fields.get("config", 0)), (word, ours[0], fields)
        compared += 1
    assert compared >= 30


def recorded_round(hprof, java, event, path):
    """The stacks of one round of ProbeWork; skips where the processor has no breakpoints."""
    with subprocess.Popen([hprof, "record", "-q", "-e", event, "-o", str(path), str(java.pid)], stderr=subprocess.PIPE, text=True) as recording:
        wait_until(lambda: "perf_samples=" in subprocess.run([hprof, "status", str(java.pid)], capture_output=True, text=True, check=False).stdout,
                   "the recording", lambda: recording.poll() is not None)
        (java.cwd / "go").touch()
        java.wait_for_stdout("round 1")
        recording.send_signal(signal.SIGINT)
        text = recording.communicate(timeout=120)[1]
    if "no such event" in text:
        pytest.skip("no breakpoints of the processor here")
    return collapsed(hprof, path, "perf")


@one_jdk
def test_calls_of_an_address_are_counted(jdk, hprof, start_java, tmp_path, counts):
    """A breakpoint of the processor on JVM_GC, which each System.gc() of the program calls."""
    if not shutil.which("nm"):
        pytest.skip("no nm")
    java = start_java(jdk, None, "ProbeWork", vm=("-XX:+UseSerialGC", "-Xmx32m"))
    java.wait_for_stdout("up")
    library = re.search(r"^(\w+)-\S+ \S+ 0+ .* (/\S+/libjvm\.so)$", pathlib.Path("/proc/%d/maps" % java.pid).read_text(), re.M)
    symbols = subprocess.run(["nm", "-D", library[2]], stdout=subprocess.PIPE, text=True, check=True).stdout
    at = int(library[1], 16) + int(re.search(r"^(\w+) T JVM_GC\b", symbols, re.M)[1], 16)
    assert of(recorded_round(hprof, java, "mem:%#x/8:x" % at, tmp_path / "x.jfr"), r"JVM_GC", r"ProbeWork\.main") == 7


@pytest.mark.jdks(8, 17, 25, "newest")
@pytest.mark.everyday("oldest", "newest")
def test_calls_of_a_function_are_counted(jdk, hprof, start_java, tmp_path, counts):
    java = start_java(jdk, None, "ProbeWork", vm=("-XX:+UseSerialGC", "-Xmx32m"))
    java.wait_for_stdout("up")
    assert of(recorded_round(hprof, java, "uprobe:libjvm:JVM_GC", tmp_path / "x.jfr"), r"JVM_GC", r"ProbeWork\.main") == 7


@pytest.mark.jdks(8, 17, 25, "newest")
@pytest.mark.everyday("oldest", "newest")
def test_a_tracepoint_is_counted(jdk, hprof, start_java, tmp_path, counts):
    """The place in the kernel where a system call begins, and the Java frames that lead there."""
    if not pathlib.Path("/sys/kernel/tracing/events/syscalls/sys_enter_fdatasync").exists():
        pytest.skip("no tracefs at /sys/kernel/tracing")
    java = start_java(jdk, None, "Syncs")
    java.wait_for_stdout("up")
    assert of(recorded_round(hprof, java, "syscalls:sys_enter_fdatasync", tmp_path / "x.jfr"), r"FileChannelImpl\.force", r"Syncs\.main") == 25


@one_jdk
@pytest.mark.parametrize("name, why", [("nix:read", "no library of this name is loaded now"), ("libc:nix", "the library has no function of this name"),
                                       ("libjvm", "a library and its function are wanted")])
def test_a_function_that_is_not_there_is_refused(jdk, hprof, start_java, tmp_path, counts, name, why):
    java = start_java(jdk, None, "PerfEvents", "touch", 1, 1, "stay")
    java.wait_for_stdout("done")
    done = subprocess.run([hprof, "record", "-e", "uprobe:" + name, "-d", "1s", "-o", str(tmp_path / "x.jfr"), str(java.pid)], stderr=subprocess.PIPE,
                          text=True, check=False, timeout=120)
    if "no such event" in done.stderr:
        pytest.skip("no breakpoints of the processor here")
    assert done.returncode != 0 and len(re.findall(why, done.stderr)) == 1 and not (tmp_path / "x.jfr").exists(), done.stderr
    assert java.process.poll() is None


@one_jdk
@pytest.mark.parametrize("event", ["usdt:hotspot:gc__begin", "uretprobe:libc:read"])
def test_what_probe_has_is_no_event(hprof, event):
    done = subprocess.run([hprof, "record", "-e", event, "-d", "1s", "1"], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2 and "hprof probe PID trace '%s' has it" % event in done.stderr, done.stderr


@one_jdk
def test_an_address_is_watched(jdk, hprof, run_java, counts):
    """A breakpoint of the processor: the event exists here, or is refused in one line. Nothing touches the address."""
    ended = run_java(jdk, "event=mem:0x1000:w,file=x.jfr", "PerfEvents", "touch", 1, 1)
    if ended.rc != 0:
        assert "HPROF ERROR: event mem:0x1000:w: " in ended.stderr, ended.stderr
        pytest.skip("no breakpoints of the processor here")
    assert quality(hprof, ended.cwd / "x.jfr")["perf_events"] == 0
