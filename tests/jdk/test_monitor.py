"""monitor=y and monitor=all against a program whose contention is known.

Counts must be exact. Times lie between what the program's own clock says at least and at most: each thread's clock runs
around the whole of what the agent measures, and all of them were blocked while the program slept.
SPDX-License-Identifier: Apache-2.0
"""
import re
import signal

from attaching import attach  # noqa: F401
import golden
import hprof_text
import jfr_file
from conftest import old_and_new, one_jdk
import pytest

GATE, BLOCKER, LOCK = "MonWork$Gate (Java)", "MonWork$Blocker (Park)", \
    "java.util.concurrent.locks.ReentrantLock$NonfairSync (Park)"
VIRTUAL = 21    # the first JDK that has virtual threads
CARRIERS = ["-Djdk.virtualThreadScheduler.parallelism=5"]    # on JDK 21 a virtual thread that is blocked keeps its carrier


def clocks(stdout):
    """{what: ms} of the program's last word on each."""
    return {what: float(ms) for what, ms in re.findall(r"^(\w+) ([\d.]+)$", stdout, re.M)}


def rows_of(table, klass):
    return [row for row in table.rows if row.method == klass]


def time_of(table, row):
    return row.self / 100 * table.total


def names(text):
    return {thread.serial: thread.name for thread in text.of(hprof_text.ThreadStart)}


@pytest.fixture
def monitor(run_java):
    """monitor(jdk, options, *args): the parsed file, checked for what always holds, and what the program printed."""
    def run(jdk, options, *args, **keywords):
        ended = run_java(jdk, options + ",cutoff=0,depth=8", "MonWork", *args, **keywords)
        assert ended.rc == 0 and ended.stdout.endswith("done\n"), ended.stdout + ended.stderr
        text = hprof_text.Text(ended.text())
        hprof_text.check(text, depth=8, cutoff=0, threads="thread=y" in options, all_traces=True)
        return text, ended.stdout
    return run


@pytest.fixture(params=["platform", "virtual"])
def kind(request, jdk):
    if request.param == "virtual" and jdk.number < VIRTUAL:
        pytest.skip("no virtual threads before JDK 21")
    return request.param


def check_time(total, said, count):
    """`total` ms, measured by the agent, of `count` threads that were all blocked while the program slept."""
    assert said["held"] * count * 0.5 <= total <= said["waited"] + 1 + total * 0.0002, (total, said)


def test_each_contended_enter_is_counted_with_its_time(jdk, kind, monitor):
    text, stdout = monitor(jdk, "monitor=y", "contend", 4, kind, vm=CARRIERS)
    table, = text.of(hprof_text.MonitorTime)
    row, = rows_of(table, GATE)
    assert row.count == 4
    assert text.traces[row.trace].frames[0].method == "enter"
    check_time(time_of(table, row), clocks(stdout), 4)


@pytest.mark.jdks(17)
def test_a_recording_as_jfr_has_each_enter_once(jdk, run_java):
    ended = run_java(jdk, "monitor=y,file=m.jfr", "MonWork", "contend", 4, "platform")
    assert ended.rc == 0, ended.stderr
    rows = jfr_file.events(jdk, ended.cwd / "m.jfr", "hprof.Enter")
    rows = [row for row in rows if row["text"] == GATE]
    assert sum(row["enters"] for row in rows) == 4


def test_with_thread_y_each_thread_has_its_own_row(jdk, kind, monitor):
    text, stdout = monitor(jdk, "monitor=y,thread=y", "contend", 4, kind, vm=CARRIERS)
    table, = text.of(hprof_text.MonitorTime)
    rows, name = rows_of(table, GATE), names(text)
    assert [row.count for row in rows] == [1] * 4
    assert {name[text.traces[row.trace].thread] for row in rows} == {"contender-%d" % i for i in range(4)}
    check_time(sum(time_of(table, row) for row in rows), clocks(stdout), 4)


@one_jdk
def test_every_dump_starts_again(jdk, start_java):
    java = start_java(jdk, "monitor=y,cutoff=0", "MonWork", "rounds", 3)
    java.wait_for_stdout("first")
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("done.\n")
    (java.cwd / "go").touch()
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    text = hprof_text.Text(ended.text())
    hprof_text.check(text, cutoff=0, all_traces=True)
    tables = text.of(hprof_text.MonitorTime)
    assert [sum(row.count for row in rows_of(table, GATE)) for table in tables] == [3, 5]
    golden.listed("Counts of MONITOR TIME")
    check_time(sum(time_of(tables[1], row) for row in rows_of(tables[1], GATE)), clocks(ended.stdout), 5)


@old_and_new
def test_waits_are_written_as_they_happen(jdk, monitor):
    text, stdout = monitor(jdk, "monitor=y", "bell")
    lines = [record for record in text.records if isinstance(record, (hprof_text.Wait, hprof_text.Waited)) and
             record.monitor == "LMonWork$Bell;"]
    assert {names(text)[line.thread] for line in lines} == {"main"}
    assert (lines[0].timeout, lines[2].timeout) == (120, 0)
    assert [type(line).__name__ for line in lines] == ["Wait", "Waited"] * (len(lines) // 2)
    assert 119 <= lines[1].waited <= clocks(stdout)["timeout"] + 1


def held(text, klass):
    dump, name = text.of(hprof_text.MonitorDump)[-1], names(text)
    return [(name.get(monitor.owner), monitor.entries, sorted(name[serial] for serial in monitor.enter),
             [name[serial] for serial in monitor.notify]) for monitor in dump.monitors if monitor.klass == klass]


def statuses(text):
    dump, name = text.of(hprof_text.MonitorDump)[-1], names(text)
    return {name.get(serial): status.rpartition("|")[2] for serial, (_, status) in dump.threads.items()}


def test_a_deadlock_is_in_the_dump(jdk, kind, monitor):
    text, _ = monitor(jdk, "monitor=y", "deadlock", 0, kind, vm=CARRIERS)
    virtual = kind == "virtual"
    left, = held(text, "LMonWork$Left;")
    right, = held(text, "LMonWork$Right;")
    # From JDK 23 on JVM TI does not tell how often a virtual thread has entered.
    assert (left[0], left[2:]) == ("lefty", (["righty"], []))
    assert (right[0], right[2:]) == ("righty", (["lefty"], []))
    assert virtual or left[1] == right[1] == 2
    assert held(text, "LMonWork$Bell;") == [(None, 0, [], ["waiter"])]
    assert [statuses(text)[name] for name in ("lefty", "righty", "waiter")] == ["MW", "MW", "CW"]
    dump, = text.of(hprof_text.MonitorDump)
    blocked, = [trace for serial, (trace, _) in dump.threads.items() if names(text)[serial] == "lefty"]
    assert text.traces[blocked].frames[0].klass.startswith("MonWork")


@old_and_new
@pytest.mark.parametrize("options", ["monitor=y", "monitor=y,depth=0", "monitor=y,thread=y"])
def test_ended_threads_are_listed_once(jdk, run_java, options):
    ended = run_java(jdk, options, "MonWork", "contend", 2)
    text = hprof_text.Text(ended.text())
    name, dump = names(text), text.of(hprof_text.MonitorDump)[0]
    status = {name[serial]: (text.traces[trace].frames, status) for serial, (trace, status) in dump.threads.items()}
    assert status["contender-0"] == status["contender-1"] == ((), "ZO")
    if "depth=0" in options:
        assert not any(frames for frames, _ in status.values())


def test_parks_are_counted_by_the_class_of_their_blocker(jdk, kind, monitor):
    text, stdout = monitor(jdk, "monitor=all", "parks", 3, kind, vm=CARRIERS)
    table, = text.of(hprof_text.MonitorTime)
    row, = rows_of(table, BLOCKER)
    assert row.count == 3
    assert [frame.method for frame in text.traces[row.trace].frames[:2]] == ["park", "park"]
    assert text.traces[row.trace].frames[1].klass == "MonWork"
    check_time(time_of(table, row), clocks(stdout), 3)


def test_parks_of_a_thread_are_its_own(jdk, kind, monitor):
    text, _ = monitor(jdk, "monitor=all,thread=y", "parks", 3, kind, vm=CARRIERS)
    table, = text.of(hprof_text.MonitorTime)
    rows, name = rows_of(table, BLOCKER), names(text)
    assert {name[text.traces[row.trace].thread] for row in rows} == {"parker-0", "parker-1", "parker-2"}


def test_a_park_without_a_blocker_has_none(jdk, kind, monitor):
    text, stdout = monitor(jdk, "monitor=all", "none", 2, kind, vm=CARRIERS)
    table, = text.of(hprof_text.MonitorTime)
    rows = [row for row in rows_of(table, "<none> (Park)") if
            any(frame.klass == "MonWork" and frame.method == "park" for frame in text.traces[row.trace].frames)]
    assert sum(row.count for row in rows) == 2
    check_time(sum(time_of(table, row) for row in rows), clocks(stdout), 2)


@old_and_new
def test_timed_parks_are_counted(jdk, monitor):
    text, _ = monitor(jdk, "monitor=all", "timed")
    table, = text.of(hprof_text.MonitorTime)
    counts = {text.traces[row.trace].frames[0].method: row.count for row in rows_of(table, BLOCKER)}
    assert counts == {"parkNanos": 5, "parkUntil": 1}


def test_a_lock_of_java_util_concurrent_is_named(jdk, kind, monitor):
    text, _ = monitor(jdk, "monitor=all", "locks", 3, kind, vm=CARRIERS)
    table, = text.of(hprof_text.MonitorTime)
    mine = [row for row in rows_of(table, LOCK) if
            any(frame.klass == "MonWork" and frame.method == "lock" for frame in text.traces[row.trace].frames)]
    assert sum(row.count for row in mine) >= 3


@old_and_new
def test_monitor_y_counts_no_parks(jdk, monitor):
    text, _ = monitor(jdk, "monitor=y", "parks", 2)
    assert not [row for table in text.of(hprof_text.MonitorTime) for row in table.rows if "(Park)" in row.method]


@pytest.mark.jdks(since=21)
def test_many_virtual_threads_come_and_go(jdk, monitor):
    text, _ = monitor(jdk, "monitor=all", "many", 1000, "virtual")
    name = names(text)
    waits = [name[record.thread] for record in text.of(hprof_text.Wait) if record.monitor == "LMonWork$Bell;"]
    ends = {name.get(record.serial) for record in text.of(hprof_text.ThreadEnd)}
    assert sorted(waits) == sorted("many-%d" % i for i in range(1000))
    assert set(waits) <= ends


def test_in_a_running_vm_until_it_is_told_to_stop(jdk, start_java, attach):  # noqa: F811 pylint: disable=redefined-outer-name
    java = start_java(jdk, None, "MonWork", "later", 3)
    java.wait_for_stdout("before go")
    assert "return code: 0" in attach(jdk, java, "monitor=all,cutoff=0,file=out.txt")
    (java.cwd / "go").touch()
    java.wait_for_stdout("before again")
    assert "return code: 0" in attach(jdk, java, "stop")
    (java.cwd / "again").touch()
    ended = java.end()
    assert ended.rc == 0 and ended.stdout.endswith("done\n"), ended.stderr
    text = hprof_text.Text(ended.text("out.txt"))
    hprof_text.check(text, cutoff=0, all_traces=True)
    table, = text.of(hprof_text.MonitorTime)
    assert [sum(row.count for row in rows_of(table, klass)) for klass in (GATE, BLOCKER)] == [3, 3]
    assert statuses(text)["main"] in ("SL", "R", "UN")


def without_jdk(records, text):
    """WAIT and WAITED of the program's own classes, by thread name and without the time."""
    return [(type(record).__name__, record.monitor, names(text)[record.thread], getattr(record, "timeout", None))
            for record in records if record.monitor.startswith("LMonWork")]


def is_settled(text):
    """Whether each thread that wants a monitor is in the list of one: it is blocked for Java before the VM has put it there."""
    dump, name = text.of(hprof_text.MonitorDump)[-1], names(text)
    waiting = {name[serial] for monitor in dump.monitors for serial in monitor.enter}
    return all(thread in waiting for thread, status in statuses(text).items() if status == "MW")


def by_the_original(jdk, monitor, program):
    """What the original agent says, once its dump has no thread on its way into a list."""
    for _ in range(5):
        text = monitor(jdk, "monitor=y", program, library=jdk.original_agent)[0]
        if is_settled(text):
            break
    return text


@pytest.mark.jdks(8)
def test_the_original_says_the_same(jdk, monitor):
    if not jdk.original_agent:
        pytest.skip("this JDK 8 has no agent of its own")
    golden.listed("MONITOR TIME")
    golden.listed("Waiting to enter")
    golden.listed("Monitors that nobody owns")
    for program in ("bell", "deadlock"):
        ours, theirs = monitor(jdk, "monitor=y", program)[0], by_the_original(jdk, monitor, program)
        for kind in (hprof_text.Wait, hprof_text.Waited):
            assert without_jdk(ours.of(kind), ours)[:2] == without_jdk(theirs.of(kind), theirs)[:2]
        for klass in ("LMonWork$Left;", "LMonWork$Right;"):
            assert held(ours, klass) == held(theirs, klass)
    assert {name: status for name, status in statuses(theirs).items() if name in ("lefty", "righty", "waiter")} == \
        {"lefty": "MW", "righty": "MW", "waiter": "CW"}
