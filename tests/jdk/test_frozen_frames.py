"""Virtual threads most of whose frames are in the heap: profiles show them, and never one that is not there.

A thread that was unmounted and goes on gets its innermost frames back on the stack, the others as it returns to them.
SPDX-License-Identifier: Apache-2.0
"""
import pytest
from conftest import compile_programs
from robust import Profile, crash_files

DEPTH = 20
WAY_DOWN = ["Frozen.comeBack"] + ["Frozen.down", "Frozen.other"] * DEPTH + ["Frozen.down", "Frozen.enter"]
ENTRY = "jdk.internal.vm.Continuation.enterSpecial"
MODES = {
    "serial": ["-XX:+UseSerialGC"],
    "parallel": ["-XX:+UseParallelGC"],
    "g1": ["-XX:+UseG1GC"],
    "z": ["-XX:+UseZGC"],
    "z-two-generations": ["-XX:+UseZGC", "-XX:+ZGenerational"],
    "shenandoah": ["-XX:+UseShenandoahGC"],
    "interpreter": ["-Xint"],
    "c1-full-references": ["-XX:TieredStopAtLevel=1", "-XX:-UseCompressedOops"],
    "compact-headers": ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseCompactObjectHeaders"],
}
LEVELS = 16    # of Unmounts
WARM_DEPTH, DEOPT_DEPTH = 20, 80    # of Deopts
# Compiled code is thrown away for no trap, and the frame at the barrier is the one that has the trap.
DEOPTS = ["-XX:-StackTraceInThrowable", "-XX:-OmitStackTraceInFastThrow", "-XX:PerMethodTrapLimit=100000000",
          "-XX:PerBytecodeTrapLimit=100000000", "-XX:PerMethodRecompilationCutoff=-1",
          "-XX:PerBytecodeRecompilationCutoff=-1", "-XX:CompileCommand=quiet",
          "-XX:CompileCommand=inline,Deopts.comeBack", "-XX:CompileCommand=inline,Deopts.trap"]


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """programs_virtual, compiled once."""
    return compile_programs(tmp_path_factory, "programs_virtual", 21)


@pytest.fixture
def profile_of(run_java):
    def run(jdk, mode, *args, options="", vm=()):
        ended = run_java(jdk, "cpu=samples,depth=200,cutoff=0,interval=1ms,file=out.txt" + options, *args,
                         vm=["-Xmx128m", "-XX:+IgnoreUnrecognizedVMOptions", *MODES[mode], *vm])
        assert ended.rc == 0, ended.stderr
        assert not crash_files(ended)
        return Profile(ended.text("out.txt")).check()
    return run


def of_virtual_threads(profile, prefix):
    """Rows of virtual threads with a frame of the program's: how many samples, and the virtual thread's frames."""
    for row in profile.rows:
        if ENTRY in row.frames:
            own = row.frames[:row.frames.index(ENTRY)]
            if any(frame.startswith(prefix) for frame in own):
                yield row.count, own


def is_whole(frames):
    return "java.lang.VirtualThread.run" in frames


def assert_burning_is_whole(profile):
    whole, cut, cuts = 0, 0, []
    for count, frames in of_virtual_threads(profile, "Frozen."):
        if "Frozen.burn" not in frames or "Frozen.comeBack" not in frames:
            continue
        if is_whole(frames):
            at = frames.index("Frozen.comeBack")
            if frames.count("Frozen.down") != 5:    # one of those that only compile the way down
                assert frames[at:at + len(WAY_DOWN)] == WAY_DOWN, frames
            whole += count
        else:
            cut += count
            cuts.append(frames)
    assert cut <= profile.quality.get("frozen_cut", 0), (cuts, profile.quality)
    # A law of signals, see Profile.extra.
    assert whole > 0.9 * (whole + cut - profile.extra) and whole > 50, (whole, cut, profile.extra, profile.quality)


@pytest.mark.jdks(since=21)
@pytest.mark.parametrize("mode", MODES)
def test_a_thread_that_came_back_deep_down_is_shown_with_all_its_callers(profile_of, jdk, mode):
    assert_burning_is_whole(profile_of(jdk, mode, "Frozen", 400, DEPTH, "garbage"))


@pytest.mark.jdks(since=21)
def test_native_frames_and_frames_in_the_heap_go_together(profile_of, jdk):
    assert_burning_is_whole(profile_of(jdk, "g1", "Frozen", 400, DEPTH, "garbage", options=",native=y"))


# A walk may meet a thread while it is being unmounted: its frames are on the stack and in the heap then.
@pytest.mark.jdks(since=21)
@pytest.mark.parametrize("mode", ["serial", "z", "shenandoah", "interpreter"])
def test_no_frame_is_shown_twice_while_threads_are_unmounted(profile_of, jdk, mode):
    profile = profile_of(jdk, mode, "Unmounts", 1)
    whole, cut, cuts = 0, 0, []
    for count, frames in of_virtual_threads(profile, "Unmounts."):
        levels = frames.count("Unmounts.level")
        assert levels <= LEVELS and frames.count("Unmounts.begin") <= 1, frames
        if is_whole(frames):
            whole += count
            assert "Unmounts.last" not in frames or levels == LEVELS, frames
        else:
            cut += count
            cuts.append(frames)
    assert whole > cut - profile.extra and whole > 0, (whole, cut, profile.extra)
    assert cut <= profile.quality.get("frozen_cut", 0), (cuts, profile.quality)


# To the VM the entry is the caller of a frame that it deoptimises at the barrier.
@pytest.mark.jdks(since=21)
def test_a_thread_that_is_deoptimised_deep_down_is_shown_with_all_its_callers(profile_of, jdk):
    profile = profile_of(jdk, "g1", "Deopts", 60_000, vm=DEOPTS)
    whole, cut = 0, 0
    for count, frames in of_virtual_threads(profile, "Deopts."):
        if "Deopts.trap" in frames and is_whole(frames):
            assert frames.count("Deopts.other") in (WARM_DEPTH, DEOPT_DEPTH), frames
            whole += count
        elif "Deopts.trap" in frames:
            cut += count
    assert cut <= profile.quality.get("frozen_cut", 0), profile.quality
    assert whole > cut - profile.extra and whole > 0, (whole, cut, profile.extra)
