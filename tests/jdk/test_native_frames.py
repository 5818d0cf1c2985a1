"""native=y: stacks with the frames of C and C++ code, against programs whose call chains are known.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import shutil
import subprocess

import pytest
from conftest import TIMEOUT_S, clean_environment, compile_library, compile_programs, old_and_new, one_jdk
from robust import Profile, crash_files

DOWN = ["libchain.so.chain_leaf", "libchain.so.chain_middle", "libchain.so.chain_outer",
        "libchain.so.Java_Chain_down", "Chain.down"]
IS_LIBRARY = re.compile(r"[^ ]*\.so[.0-9]*\.|java\.|linux-vdso")


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """programs_native, compiled once."""
    return compile_programs(tmp_path_factory, "programs_native")


@pytest.fixture(scope="session")
def chain(tmp_path_factory):
    """The path of native/chain.c as a shared library without frame pointers."""
    return compile_library(tmp_path_factory, "chain", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-pthread")


@pytest.fixture
def late(tmp_path_factory):
    """The paths of copies of native/late.c as a shared library."""
    library = compile_library(tmp_path_factory, "late")
    copies = [library.with_name("liblate%d.so" % i) for i in range(12)]
    for copy in copies:
        shutil.copy(library, copy)
    return copies


@pytest.fixture
def profile_of(run_java, chain):
    """profile_of(jdk, program, rounds): its Profile, with what holds for all checked."""
    def run(jdk, program, rounds, options="", vm=(), depth=128, interval="1ms", native="y"):
        ended = run_java(jdk, "cpu=samples,native=%s,depth=%d,cutoff=0,interval=%s,file=out.txt%s" %
                         (native, depth, interval, options), "Chain", program, rounds,
                         vm=["-Dchain=%s" % chain] + list(vm))
        assert ended.rc == 0, ended.stderr
        assert ended.stdout.endswith("done\n"), ended.stdout
        assert not crash_files(ended)
        profile = Profile(ended.text("out.txt")).check()
        assert profile.rows
        assert all(len(row.frames) <= depth for row in profile.rows)
        return profile
    return run


def is_native(frame):
    return bool(IS_LIBRARY.match(frame)) and not frame.startswith("java.")


def with_top(profile, frames):
    return sum(row.count for row in profile.rows if row.frames[:len(frames)] == frames)


def those_with(profile, frame):
    return [row for row in profile.rows if frame in row.frames]


def total(rows):
    return sum(row.count for row in rows)


def assert_most(profile, count, rows):
    """So many samples are most of those of the rows; a law of signals, see Profile.extra."""
    assert count > 0
    assert count >= 0.5 * (total(rows) - profile.extra), (total(rows), profile.extra)


def test_c_functions_stand_above_the_java_method_that_called_them(profile_of, jdk):
    profile = profile_of(jdk, "down", 400)
    leaves = those_with(profile, "libchain.so.chain_leaf")
    # Tables for a library are made when the agent next looks, a tenth of a second after it was loaded at most.
    assert_most(profile, with_top(profile, DOWN), leaves)
    for row in leaves:
        assert "Chain.main" in row.frames, row
        assert row.frames.index("Chain.main") > row.frames.index("libchain.so.chain_leaf")
    called = those_with(profile, "Chain.down")
    # Nothing is lost by asking for native frames too: what ends early goes on at the Java method.
    assert total(called) >= total(leaves)
    assert profile.quality["native_cut"] <= 0.3 * profile.quality["walked"] + profile.extra, profile.quality


def test_java_that_c_called_has_the_c_frames_below(profile_of, jdk):
    profile = profile_of(jdk, "round", 400)
    rows = [row for row in those_with(profile, "Chain.busy") if "libchain.so.Java_Chain_round" in row.frames]
    assert_most(profile, total(rows), those_with(profile, "Chain.busy"))
    for row in rows:
        at = [row.frames.index(name) for name in
              ("Chain.busy", "libchain.so.chain_back", "libchain.so.Java_Chain_round", "Chain.round", "Chain.main")]
        assert at == sorted(at), row
        assert all(is_native(frame) for frame in row.frames[at[0] + 1:at[3]]), row
        assert len(set(row.frames[at[0] + 1:at[1]])) >= 1, "the VM's own frames are between: %s" % (row,)


def test_each_change_of_language_shows(profile_of, jdk):
    profile = profile_of(jdk, "deep", 400)
    rows = [row for row in those_with(profile, "libchain.so.Java_Chain_deep") if row.frames[:len(DOWN)] == DOWN]
    assert_most(profile, total(rows), those_with(profile, "libchain.so.chain_leaf"))
    for row in rows:
        at = [row.frames.index(name) for name in
              ("Chain.again", "libchain.so.Java_Chain_deep", "Chain.deep", "Chain.main")]
        assert at == sorted(at), row


@old_and_new
def test_a_thread_that_the_vm_does_not_know_has_its_stack(profile_of, jdk):
    profile = profile_of(jdk, "thread", 1, options=",thread=y")
    rows = those_with(profile, "libchain.so.chain_thread")
    assert with_top(profile, DOWN[:3] + ["libchain.so.chain_thread"]) > 0
    assert_most(profile, total(rows), those_with(profile, "libchain.so.chain_leaf"))
    assert all(row.thread == 200000 for row in rows)
    assert profile.quality["other_samples"] >= total(rows)


@one_jdk
def test_a_thread_in_which_a_fault_would_kill_is_not_read(profile_of, jdk):
    profile = profile_of(jdk, "masked", 1)
    alone = [row for row in profile.rows if row.frames == ["libchain.so.chain_leaf"]]
    assert total(alone) > 0
    assert all(len(row.frames) == 1 for row in those_with(profile, "libchain.so.chain_thread"))
    assert profile.quality["native_cut"] >= total(alone)


@pytest.mark.parametrize("vm", [(), ("-Xint",), ("-Xcheck:jni",), ("-XX:+UseSerialGC",)],
                         ids=["", "xint", "check", "serial"])
def test_the_vm_itself_shows(profile_of, jdk, vm):
    rounds = 60 if vm == ("-Xint",) else 40
    profile = profile_of(jdk, "vm", rounds, vm=("-Xmx96m",) + vm)
    inside = [row for row in profile.rows if "Chain.main" in row.frames and is_native(row.frames[0])]
    assert any("java.util.zip.Deflater.deflate" in row.frames and
               any("Java_java_util_zip_Deflater" in frame for frame in row.frames) for row in inside)
    assert any("java.lang.String.intern" in row.frames and "libjvm.so.JVM_InternString" in row.frames
               for row in inside), "no String.intern"
    others = [row for row in profile.rows if all(is_native(frame) for frame in row.frames)]
    assert any(len(row.frames) > 3 for row in others) or vm == ("-Xcheck:jni",)
    assert total(others) > 0
    # Stacks end where threads begin, but for a few.
    assert profile.quality["failed"] <= 0.05 * profile.quality["samples"] + 5 + profile.extra, profile.quality
    if jdk.number != 8 and not vm:   # JDK 8's libjvm.so has no names of its inner functions
        frames = {frame for row in others for frame in row.frames}
        assert any("CompileBroker" in frame for frame in frames), "no compiler thread"
        assert any(re.search(r"G1|SerialHeap|DefNew|GenCollected|Thread", frame) for frame in frames)


@one_jdk
@pytest.mark.jdks(8, 17, "newest")
def test_a_library_has_its_names_from_its_first_sample_on(run_java, jdk, late):
    ended = run_java(jdk, "cpu=samples,native=y,depth=128,cutoff=0,interval=1ms,file=out.txt", "Late", *late)
    assert ended.rc == 0 and "done\n" in ended.stdout, ended.stderr
    profile = Profile(ended.text("out.txt")).check()
    assert len(profile.tables) == len(late) + 1
    assert profile.quality["unnamed_frames"] == 0, profile.quality
    for library in late:
        assert profile.with_frame("%s.late_work" % os.path.basename(library)) > 0, library


@one_jdk
def test_a_small_depth_keeps_the_innermost_frames_of_both_kinds(profile_of, jdk):
    profile = profile_of(jdk, "down", 200, depth=4)
    assert with_top(profile, DOWN[:4]) > 0
    assert profile.quality["truncated"] >= with_top(profile, DOWN[:4])


@one_jdk
def test_without_native_no_frame_is_native(profile_of, jdk):
    profile = profile_of(jdk, "down", 200, native="n")
    assert not any(is_native(frame) for row in profile.rows for frame in row.frames)
    assert "native_cut" not in profile.quality
    assert "other_samples" not in profile.quality
    assert profile.with_frame("Chain.down") > 0


@old_and_new
def test_the_java_frames_are_the_same_with_and_without(profile_of, jdk):
    known = ("Chain.again", "Chain.deep", "Chain.main")
    for native in "yn":
        profile = profile_of(jdk, "deep", 200, native=native)
        stacks = {tuple(frame for frame in row.frames if not is_native(frame)) for row in those_with(profile, known[0])}
        assert ("Chain.down",) + known in stacks
        assert all(stack[stack.index(known[0]):] == known for stack in stacks), stacks


@old_and_new
@pytest.mark.jdks(8, 17, 25)
def test_a_fine_interval_does_no_harm(profile_of, jdk):
    profile = profile_of(jdk, "vm", 40, interval="100us", vm=("-Xmx96m",))
    assert profile.quality["walked"] >= 0.9 * (profile.quality["samples"] - profile.quality["lost_ring_full"] - profile.extra)


@pytest.mark.jdks("newest")
@pytest.mark.parametrize("walker", ["agct", "jvmti"])
def test_a_walker_that_has_none_says_so(run_java, jdk, walker, chain):
    ended = run_java(jdk, "cpu=samples,native=y,walker=%s,file=out.txt" % walker, "Chain", "vm", 1)
    assert "walker=%s has no native frames" % walker in ended.stderr
    assert ended.rc == 1 and not (ended.cwd / "out.txt").exists(), "the start ends before anything is written"


@pytest.mark.jdks(17)
def test_run_shows_names_as_people_write_them(jdk, agent, hprof, classes, tmp_path):
    done = subprocess.run([hprof, "run", "-v", "--native", "-i", "1ms", "-o", "out.txt", "--agent", str(agent), "--top", "10000",
                           "--", jdk.tool("java"), "-cp", str(classes), "Chain", "vm", "20"], cwd=str(tmp_path),
                          env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stdout
    assert re.search(r"libjvm\.so\.JavaCalls::call_helper$", done.stdout, re.M), done.stdout
    assert "of it in threads that are not Java's" in done.stdout
    assert "libjvm.so._ZN9JavaCalls11call_helper" in (tmp_path / "out.txt").read_text()
