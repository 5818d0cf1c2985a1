"""libhprofjfr.so as others use it: built from what is installed, and against the command on recordings of real JVMs.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import datetime
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, TIMEOUT_S, built, clean_environment, compile_programs, one_jdk, wait_until

EXAMPLE = ROOT / "examples/jfr/count_samples.c"
LISTER = pathlib.Path(__file__).resolve().parent / "jfrlib/list_types.cpp"
READER = LISTER.with_name("read_events.c")
DATA = ROOT / "tests/data/jfr"
COMPILERS = {"gcc": ["gcc", "-std=gnu11"], "clang": ["clang", "-std=gnu11"], "c++": ["c++", "-std=c++11"]}


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """The folder below which the build was installed."""
    root = tmp_path_factory.mktemp("root")
    build = built("src/jfrlib/libhprofjfr.so.1").parents[2]
    subprocess.run(["meson", "install", "-C", str(build), "--no-rebuild", "--strip", "--destdir", str(root)], check=True,
                   stdout=subprocess.DEVNULL, timeout=TIMEOUT_S)
    return root


def compiler_of(name):
    for word in (name, name + "-14"):
        if shutil.which(word):
            return [word] + COMPILERS[name][1:]
    return pytest.skip("no %s: run tools/bootstrap test" % name)


def compile_program(installed, compiler, source, output):    # pylint: disable=redefined-outer-name
    """Links with the installed library; what runs it gets the path to it from the environment."""
    pc = next(installed.rglob("hprofjfr.pc"))
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "hprofjfr"], stdout=subprocess.PIPE, text=True, check=True,
                           env=dict(clean_environment(), PKG_CONFIG_PATH=str(pc.parent), PKG_CONFIG_SYSROOT_DIR=str(installed))).stdout.split()
    subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", str(source), "-o", str(output), *flags], check=True, timeout=TIMEOUT_S)
    return output


@pytest.fixture(scope="session")
def run_installed(installed):    # pylint: disable=redefined-outer-name
    library = next(installed.rglob("libhprofjfr.so.1")).parent

    def run(program, *words):
        done = subprocess.run([str(program), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                              timeout=TIMEOUT_S, env=dict(clean_environment(), LD_LIBRARY_PATH=str(library)))
        assert done.returncode == 0 and done.stderr == "", done.stdout + done.stderr
        return done.stdout
    return run


@pytest.fixture(scope="session")
def count_samples(installed, run_installed, tmp_path_factory):    # pylint: disable=redefined-outer-name
    """count_samples(file, event): {method: samples}, by the example."""
    program = compile_program(installed, compiler_of("gcc"), EXAMPLE, tmp_path_factory.mktemp("example") / "count_samples")

    def count(path, event):
        rows = re.findall(r"^ *(\d+)  (.+)$", run_installed(program, path, event), re.M)
        return {method: int(number) for number, method in rows}
    return count


def reported(hprof, path, *options):
    """{method: samples} by the innermost frames of the command's stacks."""
    said = subprocess.run([str(hprof), "report", "--hidden", *options, "--to", "collapsed", str(path)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=True, env=clean_environment(), timeout=TIMEOUT_S).stdout
    counts = collections.Counter()
    for line in said.splitlines():
        stack, _, number = line.rpartition(" ")
        counts[stack.rpartition(";")[2]] += int(number)
    return counts


def normal(counts):
    """The command writes slashes into the names of collapsed stacks, and marks kernel functions and kinds of frames."""
    out = collections.Counter()
    for method, number in counts.items():
        out[re.sub(r"_\[\w\]$", "", method).replace("/", ".")] += number
    return out


@pytest.mark.parametrize("name", sorted(COMPILERS))
@one_jdk
def test_programs_are_built_and_run_from_what_is_installed(jdk, name, installed, run_installed, tmp_path):    # pylint: disable=redefined-outer-name,unused-argument
    """With hprofjfr.pc, `#include <hprof_jfr.h>` and the library's versioned name."""
    source = LISTER if name == "c++" else EXAMPLE
    program = compile_program(installed, compiler_of(name), source, tmp_path / "program")
    needed = subprocess.run(["readelf", "-dW", "--version-info", str(program)], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "[libhprofjfr.so.1]" in needed and "HPROFJFR_1" in needed, needed
    said = run_installed(program, DATA / "small.jfr").splitlines()
    if name == "c++":
        assert said == ["jdk.ExecutionSample: startTime sampledThread stackTrace",
                        "test.Everything: startTime duration eventThread stackTrace z b c s i l f d text klass numbers[]",
                        "test.Small: startTime"]
    else:
        assert said == ["       4  test.Work.main", "       4  test.Work.run"]


@one_jdk
@pytest.mark.parametrize("name, event", [("small.jfr", "jdk.ExecutionSample"), ("times.jfr", "jdk.ExecutionSample"),
                                         ("jvm.jfr", "jdk.ExecutionSample,jdk.CPUTimeSample"), ("build.jfr", "jdk.ExecutionSample")])
def test_the_example_counts_as_the_report_does(jdk, name, event, hprof, count_samples):    # pylint: disable=redefined-outer-name,unused-argument
    ours = normal(reported(hprof, DATA / name))
    assert ours and normal(count_samples(DATA / name, event)) == ours


@pytest.fixture(scope="session")
def read_events(installed, tmp_path_factory):    # pylint: disable=redefined-outer-name
    """The path of the program that prints a line for each event."""
    return compile_program(installed, compiler_of("gcc"), READER, tmp_path_factory.mktemp("reader") / "read_events")


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs_recorded")


@pytest.fixture(scope="session")
def recording(programs, tmp_path_factory):    # pylint: disable=redefined-outer-name
    """recording(jdk): one of the JDK's own recorder, made once for each JDK."""
    paths = {}

    def get(jdk):
        if jdk.id not in paths:
            folder = tmp_path_factory.mktemp("recording")
            subprocess.run([*jdk.short_tool("java"), "-XX:StartFlightRecording=settings=profile,filename=x.jfr", "-cp", str(programs), "Recorded"],
                           cwd=str(folder), env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
                           timeout=TIMEOUT_S)
            paths[jdk.id] = folder / "x.jfr"
        return paths[jdk.id]
    return get


def nanoseconds(moment):
    """Of a moment as `print --json` has it: 2026-01-02T03:04:05.123456789+01:00."""
    day, fraction, zone = re.fullmatch(r"(.*?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)", moment).groups()
    seconds = datetime.datetime.fromisoformat(day + zone.replace("Z", "+00:00")).timestamp()
    return int(seconds) * 10**9 + int((fraction or "0").ljust(9, "0"))


def test_the_samples_of_the_jdks_recorder_are_those_of_the_report(jdk, recording, hprof, count_samples):    # pylint: disable=redefined-outer-name
    ours = normal(reported(hprof, recording(jdk)))
    assert sum(ours.values()) > 10
    assert normal(count_samples(recording(jdk), "jdk.ExecutionSample")) == ours


@one_jdk
def test_the_samples_of_our_own_recordings_are_those_of_the_report(jdk, run_java, hprof, count_samples):    # pylint: disable=redefined-outer-name
    ended = run_java(jdk, "cpu=samples,interval=1ms,depth=64,file=x.jfr", "CpuHot", 600)
    path = ended.cwd / "x.jfr"
    ours = normal(reported(hprof, path))
    assert sum(ours.values()) > 10, ended.stderr    # a busy machine leaves it little CPU time
    assert normal(count_samples(path, "jdk.ExecutionSample")) == ours


def test_events_have_the_type_and_the_time_that_the_command_shows(jdk, recording, hprof, read_events, run_installed):    # pylint: disable=redefined-outer-name
    said = subprocess.run([hprof, "jfr", "print", "--json", str(recording(jdk))], stdout=subprocess.PIPE, check=True, env=clean_environment(),
                          timeout=TIMEOUT_S).stdout
    shown = collections.Counter((event["type"], nanoseconds(event["values"]["startTime"]))
                                for event in json.loads(said)["recording"]["events"])
    read = collections.Counter()
    for line in run_installed(read_events, recording(jdk)).splitlines():
        name, start_ns, _, _ = line.split()
        read[name, int(start_ns)] += 1
    assert sum(read.values()) > 500 and read == shown


@pytest.mark.everyday(25)
@pytest.mark.jdks(17, 25)    # the first and the last that flush
def test_the_repository_of_a_running_jvm_is_read_to_its_end(jdk, installed, programs, read_events, tmp_path):    # pylint: disable=redefined-outer-name
    """Over chunks that are small: each event once, from the first to the last. Their order is that of the file."""
    java = subprocess.Popen([*jdk.short_tool("java"), "-Xlog:disable", "-XX:FlightRecorderOptions:repository=repository,maxchunksize=1M",
                             "-XX:StartFlightRecording:settings=profile", "-cp", str(programs), "Ticking"], cwd=str(tmp_path), env=clean_environment(),
                            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    reader = None
    try:
        chunks = str(tmp_path / "repository/*/*.jfr")
        wait_until(lambda: glob.glob(chunks), "the first chunk")    # the JVM also makes a folder, and removes it
        library = next(installed.rglob("libhprofjfr.so.1")).parent
        reader = subprocess.Popen([str(read_events), os.path.dirname(glob.glob(chunks)[0]), "test.Tick"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, env=dict(clean_environment(), LD_LIBRARY_PATH=str(library)))
        numbers = []
        while len(numbers) < 1000:
            line = reader.stdout.readline()
            assert line, reader.stderr.read()
            numbers.append(int(line.split()[3]))
        assert java.poll() is None
        java.stdin.write(b"x")
        java.stdin.flush()
        numbers += [int(line.split()[3]) for line in reader.stdout]
        assert reader.wait(timeout=TIMEOUT_S) == 0 and reader.stderr.read() == ""
        assert sorted(numbers) == list(range(-1, len(numbers) - 1))
    finally:
        for child in (java, reader):
            if child:
                child.kill()
                child.wait()
