"""event=lock: each time that a thread was blocked is an event, with its begin, its length and what it was blocked by.

The programs know how long they were blocked by their own clock, which runs around what the agent measures.
SPDX-License-Identifier: Apache-2.0
"""
import datetime
import re
import subprocess
import time

from attaching import attach, command  # noqa: F401
import conftest
import jfr_file
import pytest
from test_monitor import CARRIERS, check_time, clocks, kind  # noqa: F401 pylint: disable=unused-import
from emulated import emulated, not_emulated

pytestmark = emulated

NEWEST = conftest.JDKS[max(conftest.JDKS)]
TYPES = ["jdk.JavaMonitorEnter", "jdk.ThreadPark", "jdk.JavaMonitorWait"]
# Owners are held in another way on each of these; and virtual threads leave their carriers in monitors from 24 on.
OWNERS = pytest.mark.jdks(8, 17, 21, 25)


def ms(event):
    """How long it was."""
    return 1000 * float(re.fullmatch(r"PT([\d.]+)S", event["duration"])[1])


def end(event):
    return datetime.datetime.fromisoformat(event["startTime"][:26]).timestamp() * 1000 + ms(event)


def of_class(events, name):
    return [e for e in events if (e.get("monitorClass") or e.get("parkedClass") or {}).get("name") == name]


def top(event):
    frame = event["stackTrace"]["frames"][0]["method"]
    return frame["type"]["name"] + "." + frame["name"]


@pytest.fixture
def blocked(run_java):
    """blocked(jdk, options, *args): the events of the three types, and what the program printed."""
    def run(jdk, options, *args, **keywords):
        ended = run_java(jdk, options + ",depth=16,file=x.jfr", "MonWork", *args, **keywords)
        assert ended.rc == 0 and ended.stdout.endswith("done\n"), ended.stdout + ended.stderr
        events = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", TYPES, depth=16)
        return events, ended.stdout
    return run


@OWNERS
def test_each_contended_enter_is_an_event(jdk, kind, blocked):  # noqa: F811 pylint: disable=redefined-outer-name
    events, stdout = blocked(jdk, "event=lock", "contend", 4, kind, vm=CARRIERS)
    enters = of_class(events["jdk.JavaMonitorEnter"], "MonWork$Gate")
    assert sorted(e["eventThread"]["javaName"] for e in enters) == ["contender-%d" % i for i in range(4)]
    assert {top(e) for e in enters} == {"MonWork.enter"}
    assert len({e["address"] for e in enters}) == 1 and enters[0]["address"] != 0
    check_time(sum(map(ms, enters)), clocks(stdout), 4)
    # The first one may have made the monitor, which then does not know its owner.
    owners = {e["previousOwner"]["javaName"] for e in enters if e["previousOwner"]}
    assert owners <= {"main"} and (jdk.number >= 21 or owners)


HOPS = 10


@pytest.mark.jdks(25, "newest")
def test_a_virtual_thread_that_goes_on_on_another_carrier_has_its_own_time(jdk, run_java, tmp_path_factory):
    """async-profiler#1797. From JDK 24 on a virtual thread leaves its carrier in a monitor."""
    folder = conftest.compile_programs(tmp_path_factory, "programs_virtual", 21)
    ended = run_java(jdk, "event=lock,depth=16,file=x.jfr", "-cp", folder, "Carriers", HOPS,
                     vm=["-Djdk.virtualThreadScheduler.%s=2" % name for name in ("parallelism", "maxPoolSize")])
    assert ended.rc == 0, ended.stdout + ended.stderr
    hops = re.findall(r"^hop (\S+) (moved|stayed) (\d+) (\d+)$", ended.stdout, re.M)
    assert len(hops) == HOPS and all(moved == "moved" for _, moved, _, _ in hops), ended.stdout
    events = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", TYPES, depth=16)
    for i, (name, _, held, own) in enumerate(hops):
        kind_of = "jdk.JavaMonitorWait" if i % 2 else "jdk.JavaMonitorEnter"
        found = [e for e in of_class(events[kind_of], "Carriers$Gate") if e["eventThread"]["javaName"] == name]
        # Who was notified may have to enter, too.
        assert len(found) == 1 and int(held) <= 1e6 * ms(found[0]) + 1000 and 1e6 * ms(found[0]) <= int(own) + 1000, (name, held, own, found)


@OWNERS
def test_parks_say_what_for_and_how_long(jdk, kind, blocked):  # noqa: F811 pylint: disable=redefined-outer-name
    events, stdout = blocked(jdk, "lock=1ms", "parks", 3, kind, vm=CARRIERS)
    parks = of_class(events["jdk.ThreadPark"], "MonWork$Blocker")
    assert len(parks) == 3 and {top(e) for e in parks} == {"java/util/concurrent/locks/LockSupport.park"}
    assert all(e["timeout"] is None or "-" in str(e["timeout"]) for e in parks)
    check_time(sum(map(ms, parks)), clocks(stdout), 3)


@pytest.mark.jdks(8, 25)
def test_waits_and_timed_parks_have_their_limits(jdk, blocked):
    events, stdout = blocked(jdk, "lock=0", "bell")
    first = of_class(events["jdk.JavaMonitorWait"], "MonWork$Bell")[0]
    assert (first["timeout"], first["timedOut"]) == ("PT0.12S", True)
    assert 119 <= ms(first) <= clocks(stdout)["timeout"] + 1
    events, _ = blocked(jdk, "lock=0", "timed")
    parks = of_class(events["jdk.ThreadPark"], "MonWork$Blocker")
    assert sorted(top(e).rpartition(".")[2] for e in parks) == ["parkNanos"] * 5 + ["parkUntil"]


@pytest.mark.jdks(17)
def test_a_stack_that_is_cut_says_so(jdk, run_java):
    for depth in (1, 2):
        ended = run_java(jdk, "event=lock,depth=%d,file=x.jfr" % depth, "MonWork", "contend", 1)
        stacks = [e["stackTrace"] for e in of_class(jfr_file.events(NEWEST, ended.cwd / "x.jfr", TYPES[0]), "MonWork$Gate")]
        assert [(len(s["frames"]), s["truncated"]) for s in stacks] == [(depth, True)]


@pytest.mark.jdks(17)
@pytest.mark.parametrize("what, blocked_threads", [("event=lock", 1), ("monitor=all", 2)])
def test_a_recording_has_no_more_than_its_own_time(jdk, start_java, command, what, blocked_threads):  # noqa: F811
    """Who is blocked when a recording begins is so from then on."""
    java = start_java(jdk, what + ",file=long.txt", "MonWork", "held")
    java.wait_for_stdout("blocked")
    time.sleep(0.5)
    assert command(jdk, java, "start,%s,file=short.txt" % what) == [0]
    (java.cwd / "go").touch()
    ended = java.end()
    totals = [int(re.search(r"^MONITOR TIME BEGIN \(total = (\d+) ms\)", ended.text(name), re.M)[1]) for name in ("long.txt", "short.txt")]
    assert totals[0] - totals[1] >= 490 * blocked_threads and totals[1] > 0, totals


@pytest.mark.jdks(17)
def test_sums_tell_locks_from_other_waits(jdk, hprof, run_java, tmp_path):
    ended = run_java(jdk, "event=lock,depth=16,cutoff=0", "MonWork", "locks", 3)
    text = ended.text()
    locks = re.search(r"^MONITOR TIME BEGIN .*?^MONITOR TIME END$", text, re.S | re.M)[0]
    awaits = re.search(r"^EVENTS await BEGIN .*?^EVENTS await END$", text, re.S | re.M)[0]
    assert "java.util.concurrent.locks.ReentrantLock$NonfairSync (Park)" in locks and "java.util.concurrent.locks" not in awaits
    assert "java.lang.Thread" in awaits    # join()
    assert re.search(r"^  lock_shorter = \d+ ", text, re.M) and re.search(r"^  lock_lost = 0 ", text, re.M)
    (tmp_path / "x.txt").write_text(text)
    subprocess.run([hprof, "report", "x.txt", "--event", "lock", "-o", "x.collapsed"], cwd=tmp_path, check=True)
    folded = (tmp_path / "x.collapsed").read_text()
    assert "MonWork.lock;java/util/concurrent/locks/ReentrantLock.lock" in folded and "NonfairSync (Park)" in folded


@pytest.mark.jdks(17, 25)
def test_it_agrees_with_the_jdk(jdk, blocked, tmp_path):
    """Both record the same moments: no event of the JDK's is missing, and the ends are as near as the clocks are read."""
    (tmp_path / "all.jfc").write_text('<configuration version="2.0">' + "".join(
        '<event name="%s"><setting name="enabled">true</setting><setting name="stackTrace">true</setting>'
        '<setting name="threshold">5 ms</setting></event>' % name for name in TYPES) + "</configuration>")
    events, _ = blocked(jdk, "lock=4ms", "contend", 4, "platform",
                        vm=["-XX:StartFlightRecording=settings=%s,filename=%s" % (tmp_path / "all.jfc", tmp_path / "jdk.jfr")])
    theirs = jfr_file.events_by_type(NEWEST, tmp_path / "jdk.jfr", TYPES)
    assert len(of_class(theirs["jdk.JavaMonitorEnter"], "MonWork$Gate")) == 4
    for name in TYPES:
        for event in theirs[name]:
            if not event["eventThread"] or not event["eventThread"]["javaName"]:
                continue
            near = [e for e in events[name] if e["eventThread"]["javaName"] == event["eventThread"]["javaName"] and
                    abs(end(e) - end(event)) < 20 and abs(ms(e) - ms(event)) < 20]
            assert near, (name, event["eventThread"]["javaName"], event["startTime"], event["duration"], event["stackTrace"])


@not_emulated("so slow is it that other waits pass the threshold, too")
@pytest.mark.jdks(17)
def test_each_recording_has_its_own_threshold(start_java, attach, jdk):  # noqa: F811 pylint: disable=redefined-outer-name
    """Two begin in a running VM. What is too short for one of them is counted for it, and is an event of the other; parks have one of their own."""
    java = start_java(jdk, None, "MonWork", "later", 3)
    java.wait_for_stdout("before go")
    for options in ("start,lock=1ms,file=fine.jfr,name=fine", "start,lock=3600s,jdk.ThreadPark#threshold=1ms,file=coarse.jfr,name=coarse"):
        assert "return code: 0" in attach(jdk, java, options)
    (java.cwd / "go").touch()
    java.wait_for_stdout("before again")
    for options in ("status,answer=said", "stop,coarse", "stop,fine"):
        assert "return code: 0" in attach(jdk, java, options)
    (java.cwd / "again").touch()
    ended = java.end()
    assert ended.rc == 0 and ended.stdout.endswith("done\n"), ended.stderr
    shorter = [int(number) for number in re.findall(r"shorter=(\d+)", (java.cwd / "said").read_text())]
    assert len(shorter) == 2 and shorter[1] >= shorter[0] + 3
    fine, coarse = (jfr_file.counts(NEWEST, java.cwd / (name + ".jfr")) for name in ("fine", "coarse"))
    # The waits of others, and for classes that are loaded, may be that long beside other work.
    enters = [event for event in jfr_file.events(NEWEST, java.cwd / "fine.jfr", "jdk.JavaMonitorEnter")
              if event["monitorClass"]["name"].startswith("MonWork")]
    assert (len(enters), fine["jdk.ThreadPark"]) == (3, 3)
    assert [coarse[name] for name in TYPES] == [0, 3, 0]
    settings = {(e["id"], e["name"]): e["value"] for e in jfr_file.events(NEWEST, java.cwd / "coarse.jfr", "jdk.ActiveSetting")}
    assert sorted(value for (_, name), value in settings.items() if name == "threshold") == \
        ["1 ms", "10 us", "2 ms"] + 8 * ["20 ms"] + 2 * ["3600000 ms"]  # also those of nativelock, ttsp, vthread and, seven, io
