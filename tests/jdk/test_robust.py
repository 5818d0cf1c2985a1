"""Programs that are hard on a profiler: they must print and return what they do without us, and leave a sane profile.

Some crashes need luck to show: HPROF_REPEAT=20 repeats the tests that look for them.
SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess

import pytest
from conftest import clean_environment, old_and_new, one_jdk
from robust import Profile, classes, crash_files, helper  # noqa: F401

REPEAT = int(os.environ.get("HPROF_REPEAT", "1"))


def profiled(run_java, jdk, options, *args, rc=0, out=None, **keywords):
    """Runs with cpu=samples to out.txt; checks status, stdout and profile."""
    ended = run_java(jdk, "cpu=samples,file=out.txt,cutoff=0," + options, *args, **keywords)
    assert not crash_files(ended), ended.stderr + ended.stdout
    assert ended.rc == rc, (ended.rc, ended.stderr)
    if out is not None:
        assert ended.stdout == out
    assert "HPROF ERROR" not in ended.stderr
    return ended, Profile(ended.text("out.txt")).check()


# name, options of ours, of the VM, arguments, stdout, exit status
PROGRAMS = [
    ("quick", "interval=1ms", (), ("quick",), "quick\n", 0),
    ("spawn", "interval=1ms", (), ("spawn", 20), "children 20\n", 0),
    ("interpreted", "interval=1ms", ("-Xint",), ("work", 300), "work 248921865\n", 0),
    ("compiled", "interval=1ms", ("-Xcomp", "-XX:TieredStopAtLevel=1"), ("quick",), "quick\n", 0),
    ("threads", "interval=1ms", (), ("threads", 2000), "threads 2000\n", 0),
    ("unloading", "interval=200us", ("-Xmx64m",), ("unload", 600), "loaders 600\n", 0),
    ("overflows", "interval=100us", (), ("deep", 20), "overflows 20\n", 0),
    ("exceptions", "interval=100us", (), ("exceptions", 100000), "caught 100000\n", 0),
    ("unloading agct", "walker=agct,interval=200us", ("-Xmx64m",), ("unload", 400), "loaders 400\n", 0),
    ("exceptions agct", "walker=agct,interval=100us", (), ("exceptions", 50000), "caught 50000\n", 0),
    ("exits", "interval=1ms", (), ("exits", 8), "", 3),
    ("halt", "interval=1ms", (), ("halt", 5), "halt\n", 5),
    ("uncaught", "interval=1ms", (), ("uncaught",), "", 1),
    ("oom", "interval=1ms", ("-Xmx64m",), ("oom",), "oom\n", 0),
    ("oom uncaught", "interval=1ms", ("-Xmx64m",), ("oomUncaught",), "", 1),
    ("deep stacks", "interval=1ms,depth=8192", (), ("stack", 6000), None, 0),
]


@pytest.mark.parametrize("name,options,vm,args,out,rc", PROGRAMS, ids=[row[0].replace(" ", "-") for row in PROGRAMS])
def test_program_is_left_alone(run_java, jdk, name, options, vm, args, out, rc):
    for _ in range(REPEAT):
        _, profile = profiled(run_java, jdk, options, "Robust", *args, vm=vm, out=out, rc=rc)
        if name != "quick":
            assert profile.quality["samples"] > 0


@pytest.mark.jdks(since=21)
def test_virtual_threads(run_java, jdk):
    _, profile = profiled(run_java, jdk, "interval=1ms,depth=64", "Robust", "virtual", 500, out="virtual 500\n")
    assert profile.with_frame("Robust.round") > 0


def collectors(jdk):
    """The VM options of each collector that this JDK has."""
    for name in ("Serial", "Parallel", "G1", "Z", "Shenandoah"):
        for options in (["-XX:+Use%sGC" % name], ["-XX:+UnlockExperimentalVMOptions", "-XX:+Use%sGC" % name]):
            if subprocess.run([jdk.tool("java")] + options + ["-version"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env=clean_environment(), check=False).returncode == 0:
                yield name, options
                break


def test_each_collector(run_java, jdk):
    seen = []
    for name, options in collectors(jdk):
        _, profile = profiled(run_java, jdk, "interval=1ms", "Robust", "unload", 200, vm=options + ["-Xmx256m"],
                              out="loaders 200\n")
        assert profile.quality["walked"] > 0, name
        seen.append(name)
    assert {"Serial", "Parallel", "G1"} <= set(seen)


@old_and_new
def test_fork_in_native_code(run_java, jdk, helper):  # noqa: F811
    profiled(run_java, jdk, "interval=1ms", "Helper", "fork", 10, vm=["-Dhelper=%s" % helper], out="forked 10\n")


@old_and_new
def test_check_jni_says_nothing_about_us(run_java, jdk):
    without = run_java(jdk, None, "Robust", "threads", 10, vm=["-Xcheck:jni"])
    ended, _ = profiled(run_java, jdk, "interval=1ms", "Robust", "threads", 10, vm=["-Xcheck:jni"])
    assert ended.stdout == without.stdout
    ours = ("Dumping CPU usage", "HPROF: cpu=samples")
    assert [line for line in ended.stderr.splitlines() if not line.startswith(ours)] == without.stderr.splitlines()


@old_and_new
def test_check_jni_says_nothing_about_a_heap_dump(run_java, jdk):
    without = run_java(jdk, None, "Robust", "threads", 10, vm=["-Xcheck:jni"])
    ended = run_java(jdk, "heap=all,monitor=all,verbose=n", "Robust", "threads", 10, vm=["-Xcheck:jni"])
    assert (ended.rc, ended.stdout) == (without.rc, without.stdout)


@old_and_new
def test_sigquit_storm(start_java, jdk):
    java = start_java(jdk, "cpu=samples,interval=1ms,file=out.txt,cutoff=0", "Robust", "wait")
    java.wait_for_stdout("running")
    for _ in range(20):
        java.signal(3)
    java.wait_for_stderr("Dumping CPU usage")
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and "stopped\n" in ended.stdout
    profile = Profile(ended.text("out.txt")).check()
    assert len(profile.tables) == ended.stderr.count(" done.\n") >= 2, "each dump that was said is there, and signals may be one"


@one_jdk
def test_full_disk_is_said_once_and_the_program_goes_on(run_java, jdk):
    ended = run_java(jdk, "cpu=samples,interval=1ms,verbose=n,file=/dev/full", "Robust", "uncaught")
    assert ended.rc == 1
    errors = [line for line in ended.stderr.splitlines() if "HPROF" in line]
    assert len(errors) == 1 and "/dev/full" in errors[0] and "No space left" in errors[0], ended.stderr


@one_jdk
def test_folder_that_is_not_there_ends_the_vm_with_one_line(run_java, jdk):
    ended = run_java(jdk, "cpu=samples,file=/nowhere/out.txt", "Robust", "quick")
    assert ended.rc == 1 and "quick" not in ended.stdout.splitlines()
    errors = [line for line in ended.stderr.splitlines() if "HPROF" in line]
    assert len(errors) == 1 and "/nowhere/out.txt" in errors[0] and "No such file" in errors[0], ended.stderr


@one_jdk
def test_small_memory_budget_loses_samples_and_counts_them(run_java, jdk):
    _, profile = profiled(run_java, jdk, "interval=100us,mem=1m,depth=64,thread=y", "Robust", "threads", 2000,
                          out="threads 2000\n")
    q = profile.quality
    assert q["lost_memory_full"] + q["lost_ring_full"] + q["nameless"] > 0, q


@old_and_new
def test_ten_microseconds_leave_the_program_its_progress(run_java, jdk):
    _, profile = profiled(run_java, jdk, "interval=10us", "Robust", "exceptions", 1000, out="caught 1000\n")
    assert profile.quality["samples"] > 100


def limited_java(jdk, folder, setup):
    """The JDK, whose java starts after these commands of a shell."""
    folder.mkdir()
    (folder / "java").write_text('#!/bin/bash\n%s\nexec "%s" "$@"\n' % (setup, jdk.tool("java")))
    (folder / "java").chmod(0o755)

    class Limited:
        number = jdk.number

        @staticmethod
        def tool(_):
            return str(folder / "java")

    return Limited


@one_jdk
def test_few_descriptors_are_left_to_the_program(run_java, jdk, tmp_path):
    _, profile = profiled(run_java, limited_java(jdk, tmp_path / "limited", "ulimit -n 256"), "interval=1ms", "Robust", "files",
                          120, out="files 120\n")
    assert profile.quality.get("perf", 0) <= 256 // 32 * 2, "those of threads that have ended count too"
    assert profile.quality.get("ctimer", 0) > 0, "some threads have a timer that needs no descriptor"


@one_jdk
@pytest.mark.parametrize("inherited,files", [(850, 100), (0, 900), (0, -920)], ids=["before-the-start", "at-once", "slowly"])
def test_program_near_its_limit_of_descriptors_works_as_without_us(run_java, jdk, tmp_path, inherited, files):
    """Without us it has room for about 1,000. What we hold is given back where less than an eighth is free."""
    setup = "ulimit -n 1024\nfor i in $(seq %d); do exec {fd}</dev/null; done" % inherited
    _, profile = profiled(run_java, limited_java(jdk, tmp_path / "limited", setup), "interval=1ms", "Robust", "nearLimit",
                              files, out="files %d\nperf events 0\n" % abs(files))
    assert profile.quality.get("perf", 0) <= 1024 // 32 + 20, "at most a 32nd, and threads that had ended by then"


@one_jdk
def test_closed_stdout_does_not_end_up_in_the_profile(jdk, agent, classes, tmp_path):  # noqa: F811
    rc = subprocess.run(["/bin/sh", "-c", 'exec "$@" >&- 2>&- <&-', "sh", jdk.tool("java"),
                         "-agentpath:%s=cpu=samples,interval=1ms,file=out.txt" % agent, "-cp", str(classes), "Robust",
                         "work", "200"], cwd=str(tmp_path), env=clean_environment(), check=False).returncode
    text = (tmp_path / "out.txt").read_text()
    assert rc == 0
    Profile(text).check()
    assert "work 4" not in text and "Dumping" not in text


@one_jdk
def test_second_copy_at_startup_is_refused_and_the_first_goes_on(run_java, jdk, agent):
    ended = run_java(jdk, "cpu=samples,interval=1ms,file=second.txt,cutoff=0", "Robust", "work", 200,
                     vm=["-agentpath:%s=cpu=samples,interval=1ms,file=first.txt,cutoff=0" % agent])
    assert ended.rc == 0 and ended.stderr.count("Cannot load this JVM TI agent twice") == 1
    assert "second.txt" not in ended.files
    assert Profile(ended.text("first.txt")).check().quality["samples"] > 0
