"""event=wall and virtual threads: those without a carrier are drawn by chance, and their samples add up to the lives of all.

SPDX-License-Identifier: Apache-2.0
"""
import re
import time

from attaching import attach  # noqa: F401 pylint: disable=unused-import
import conftest
import jfr_file
import pytest
from test_wall import lives, rows_of

NEWEST = conftest.JDKS[max(conftest.JDKS)]
INTERVAL_MS = 10
LASTS_MS = 3000
MANY = 300  # of each kind; 16 are looked at
STATES = {"sleeps": "sleeping", "parks": "parked", "computes": "running"}


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """programs_virtual, compiled once."""
    return conftest.compile_programs(tmp_path_factory, "programs_virtual", 21)


def times_of(text):
    """{method: {state: ms}} of the last table."""
    found = {name: {} for name in STATES}
    for count, stack, state in rows_of(text):
        for name, states in found.items():
            if "VirtualSpends.%s(" % name in stack:
                states[state] = states.get(state, 0) + count * INTERVAL_MS
    return found


def quality_of(text, name):
    return int(re.search(r"^  %s = (\d+)" % name, text, re.M).group(1))


@pytest.mark.everyday(21)
@pytest.mark.jdks(21, 25, "newest")
def test_the_samples_of_virtual_threads_are_their_lives(jdk, run_java):
    """The classes that list them are loaded in their first look, for which nothing is lost. They end together, and what is between the last look
    and that moment nobody sees: they live three times as long as the others here, so that it is a small part on a busy machine, too."""
    ended = run_java(jdk, "event=wall,wall=%dms,depth=64,cutoff=0" % INTERVAL_MS, "VirtualSpends", MANY, 3 * LASTS_MS)
    assert ended.rc == 0 and ended.stdout.endswith("done\n"), ended.stdout + ended.stderr
    found, known = times_of(ended.text()), lives(ended.stdout)
    waits = sum(sum(found[name].values()) for name in ("sleeps", "parks"))
    assert abs(waits - known["sleeps"] - known["parks"]) <= 0.05 * (known["sleeps"] + known["parks"]), (found, known)
    for name, state in STATES.items():
        total = sum(found[name].values())
        assert abs(total - known[name]) <= 0.25 * known[name], (name, found, known)  # drawn by chance
        # On a busy machine each look stands the carriers still for long, and what computes is in the VM meanwhile.
        as_known = found[name].get(state, 0) + (found[name].get("in the VM", 0) if name == "computes" else 0)
        assert as_known >= 0.5 * total, (name, found)
    text = ended.text()
    assert quality_of(text, "wall_virtual_hidden") == 0
    assert quality_of(text, "wall_failed") <= 0.01 * quality_of(text, "wall_virtual")


@pytest.mark.jdks(21)
def test_what_the_jdk_does_not_list_is_counted(jdk, run_java):
    """An executor lists its threads also then. The others end together, and on a busy machine the last look is well before."""
    ended = run_java(jdk, "event=wall,wall=%dms,depth=64,cutoff=0" % INTERVAL_MS, "VirtualSpends", MANY, LASTS_MS,
                     vm=["-Djdk.trackAllThreads=false"])
    assert ended.rc == 0 and ended.stdout.endswith("done\n"), ended.stdout + ended.stderr
    known, found = lives(ended.stdout), times_of(ended.text())
    hidden = quality_of(ended.text(), "wall_virtual_hidden") * INTERVAL_MS
    assert abs(hidden - known["sleeps"]) <= 0.25 * known["sleeps"], (hidden, known)
    seen = sum(ms for state, ms in found["sleeps"].items() if state != "running")    # one that steps is on its carrier, where it is seen
    assert seen <= 0.01 * known["sleeps"], (found, known)
    assert abs(sum(found["parks"].values()) - known["parks"]) <= 0.25 * known["parks"], (found, known)


@pytest.mark.jdks(25)
def test_those_that_began_before_the_recording_are_seen(jdk, start_java, attach):  # noqa: F811 pylint: disable=redefined-outer-name
    java = start_java(jdk, None, "VirtualSpends", MANY, 20000)
    java.wait_for_stdout("begun")
    begun = time.monotonic()
    assert "return code: 0" in attach(jdk, java, "start,wall=%dms,file=x.jfr,name=one,depth=64" % INTERVAL_MS)
    time.sleep(2)
    assert "return code: 0" in attach(jdk, java, "stop,one")
    lasted_ms = (time.monotonic() - begun) * 1000
    java.process.kill()
    samples = sum(event["samples"] for event in jfr_file.events(NEWEST, java.cwd / "x.jfr", "profiler.WallClockSample")
                  if event["sampledThread"]["javaName"] == "virtual threads")
    assert 0.6 * lasted_ms <= samples * INTERVAL_MS / (2 * MANY) <= 1.05 * lasted_ms, (samples, lasted_ms)


@pytest.mark.jdks(21, "newest")
@pytest.mark.parametrize("choice", ["wallthreads=virtual*", "walldaemon=n", "wallstates=parked"])
def test_they_are_chosen_as_what_they_are_in_files(jdk, choice, run_java):
    """Those without a carrier are one thread in files, a daemon, and are chosen so."""
    ended = run_java(jdk, "event=wall,wall=%dms,depth=64,file=x.jfr,%s" % (INTERVAL_MS, choice), "VirtualSpends", MANY, LASTS_MS)
    assert ended.rc == 0 and ended.stdout.endswith("done\n"), ended.stderr
    known, found = lives(ended.stdout), {}
    for event in jfr_file.events(NEWEST, ended.cwd / "x.jfr", "profiler.WallClockSample"):
        thread = event["sampledThread"]["javaName"]
        found[thread] = found.get(thread, 0) + event["samples"] * INTERVAL_MS
    ours = found.pop("virtual threads", 0)
    if "daemon" in choice:
        assert ours == 0 and found
    elif "states" in choice:
        assert abs(ours - known["parks"]) <= 0.25 * known["parks"], (ours, known)  # drawn by chance
    else:
        assert abs(ours - known["parks"] - known["sleeps"]) <= 0.1 * (known["parks"] + known["sleeps"]) and not found
