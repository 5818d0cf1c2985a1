"""The recorded runs of the original agent with heap=, monitor=y and cpu=times|old, repeated with ours on every JDK.

Status, output, messages and file names must be the recorded ones, the file must have the recorded layout, and what the
program itself did must be counted as recorded; JDK-internal code is another one on each JDK. Listed differences:
docs/hprof-compat.md. The socket's cases are in test_net.py.
SPDX-License-Identifier: Apache-2.0
"""
import itertools
import re

import golden
import hprof_text
import pytest
from emulated import emulated

pytestmark = emulated

HEAP = {"all_traces": True}
DUMP = {"depth": 256, **HEAP}    # roots name a frame of their thread's whole stack
# case: options, program and arguments, what hprof_text.check has to know
CASES = {
    "times": ("cpu=times,cutoff=0.01", ("Times",), {"cutoff": 0.01}),
    "times_all": ("cpu=times", ("Times",), {}),
    "times_depth0": ("cpu=times,depth=0", ("Hello",), {"depth": 0}),
    "times_depth1": ("cpu=times,depth=1,cutoff=0.001", ("Times",), {"depth": 1, "cutoff": 0.001}),
    "combo_samples_times": ("cpu=samples,cpu=times,cutoff=0.01", ("CpuHot", "10"), {"cutoff": 0.01}),
    "sites": ("heap=sites", ("Alloc",), HEAP),
    "sites_cut": ("heap=sites,cutoff=0.01", ("Alloc",), {"cutoff": 0.01, **HEAP}),
    "sites_depth0": ("heap=sites,depth=0", ("Hello",), {"depth": 0, **HEAP}),
    "mon": ("monitor=y", ("Mon",), HEAP),
    "mon_hold": ("monitor=y", ("Mon", "hold"), HEAP),
    "dump": ("heap=dump,file=d.txt", ("Hello",), DUMP),
    "default": ("", ("Hello",), DUMP),
    "doe_n_heap": ("heap=dump,doe=n", ("Hello",), DUMP),
}
OLD_CASES = {"old": ("cpu=old", "Times"), "old_depth5": ("cpu=old,depth=5", "Hello")}


def own_lines(stderr):
    """stderr without the lines that only ours prints: one begins with HPROF: and says how good a table is."""
    return golden.VM_SAYS.sub("", re.sub(r"HPROF: .*\n", "", stderr))


def run_case(run_java, jdk, case, options, argv, vm=()):
    run = golden.RUNS[case]
    ended = run_java(jdk, options, *argv, vm=vm)
    assert (ended.rc, ended.stdout) == (run["rc"], run["stdout"]), ended.stderr
    assert own_lines(ended.stderr) == run["stderr"]
    assert ended.files == run["files"]
    return ended.text(run["files"][0])


def has(frame, program):
    return frame.klass.partition("$")[0] == program


@pytest.mark.parametrize("case", sorted(CASES))
def test_the_recording_itself_fits_the_grammar(case):
    text = hprof_text.Text(golden.recorded_text(case))
    about = dict(CASES[case][2])
    if case == "combo_samples_times":
        return    # its two tables mix their costs: a defect
    hprof_text.check(text, **about)


@pytest.mark.parametrize("case", sorted(CASES))
def test_the_run_and_its_file_are_as_recorded(jdk, run_java, case):
    options, argv, about = CASES[case]
    text = hprof_text.Text(run_case(run_java, jdk, case, options, argv))
    hprof_text.check(text, **about)
    expected = hprof_text.Text(golden.recorded_text(case))
    shape = [kind for kind in text.shape() if kind not in ("MonitorTime", "NotTimed", "Unfinished", "Waiting", "Trace")]
    assert shape == [kind for kind in expected.shape() if kind != "Trace"]
    if "Heap" in shape:
        golden.listed("Stacks of threads")
    if case.startswith("mon"):
        golden.listed("MONITOR TIME")
        assert "MonitorTime" in text.shape()
    if "times" in case:
        golden.listed("NOT TIMED")
        golden.listed("Methods that wait")
        assert "NotTimed" in text.shape()


def calls(text):
    """{frames of Times: calls} of the table's rows whose trace is in Times alone: the VM's start differs."""
    counts = {}
    for row in text.tables[0].rows:
        frames = text.traces[row.trace].frames
        if all(has(frame, "Times") for frame in frames):
            key = tuple(frame.method for frame in frames)
            counts[key] = counts.get(key, 0) + row.count
    return counts


@pytest.mark.parametrize("case", ["times", "times_all", "times_depth1"])
def test_the_calls_of_the_program_are_counted_as_recorded(jdk, run_java, case):
    options, argv, _ = CASES[case]
    # The methods of the program have little time of their own, on some JDKs less than a row of a table can say.
    ours = calls(hprof_text.Text(run_case(run_java, jdk, case, options + ",cutoff=0,raw=y", argv)))
    recorded = calls(hprof_text.Text(golden.recorded_text(case)))
    assert recorded and recorded.items() <= ours.items()


@pytest.mark.parametrize("case", sorted(OLD_CASES))
def test_cpu_old_counts_the_calls_of_the_program_as_recorded(jdk, run_java, case):
    options, program = OLD_CASES[case]
    table, = hprof_text.read_old(run_case(run_java, jdk, case, options, (program,)))
    recorded, = hprof_text.read_old(golden.recorded_text(case))
    counts = {(row.callee, row.caller): row.count for row in table}
    assert [row.count for row in table] == sorted((row.count for row in table), reverse=True)
    # A method whose caller is the VM has no caller; main is counted when it has ended.
    own = {(row.callee, row.caller): row.count for row in recorded
           if row.callee.startswith(program + ".") and not row.callee.startswith(program + ".main(")}
    assert own.items() <= counts.items()
    assert own or program == "Hello"


def own_sites(text, program):
    """{(class, method and line in the program): objects} of all that the program's own lines allocated themselves."""
    counts = {}
    for row in text.of(hprof_text.Sites)[0].rows:
        # What a constructor of the JDK makes inside is the JDK's own and differs.
        own = list(itertools.takewhile(lambda frame: has(frame, program), text.traces[row.trace].frames))
        makers = [frame for frame in own if frame.method not in ("<init>", "<clinit>")]
        if makers:
            key = row.klass, makers[0].method, makers[0].line
            counts[key] = counts.get(key, 0) + row.objects
    return counts


def test_the_programs_own_allocations_are_counted_as_recorded(jdk, run_java):
    options, argv, _ = CASES["sites"]
    # From JDK 11 on, what the JIT compiler keeps out of the heap is not counted: docs/allocation.md.
    said = run_case(run_java, jdk, "sites", options + ",cutoff=0,raw=y", argv, vm=["-XX:-DoEscapeAnalysis"])
    ours = own_sites(hprof_text.Text(said), "Alloc")
    recorded = own_sites(hprof_text.Text(golden.recorded_text("sites")), "Alloc")
    assert recorded[("byte[]", "garbage", 11)] == 20000
    missing = {key: (count, ours.get(key, 0)) for key, count in recorded.items() if ours.get(key, 0) < count}
    assert not missing


def test_a_monitor_held_at_the_end_shows_owner_and_waiter(jdk, run_java):
    options, argv, _ = CASES["mon_hold"]
    text = hprof_text.Text(run_case(run_java, jdk, "mon_hold", options, argv))
    name = {thread.serial: thread.name for thread in text.of(hprof_text.ThreadStart)}
    dump, = text.of(hprof_text.MonitorDump)
    held, = [monitor for monitor in dump.monitors if monitor.klass == "Ljava/lang/Object;" and monitor.enter]
    assert (name[held.owner], [name[serial] for serial in held.enter]) == ("holder", ["blocked"])
    status = {name.get(serial): status.rpartition("|")[2] for serial, (_, status) in dump.threads.items()}
    assert (status["holder"], status["blocked"], status["wf"]) == ("SL", "MW", "CW")


def heap_lines(text, kind):
    heap, = text.of(hprof_text.Heap)
    return [line for line in heap.lines if line.startswith(kind)]


def test_the_heap_dump_holds_the_program(jdk, run_java):
    text = hprof_text.Text(run_case(run_java, jdk, "default", *CASES["default"][:2]))
    assert heap_lines(text, "ROOT")[0] == "ROOT 0 (kind=<thread>, id=200000, trace=300000)"
    assert [line for line in heap_lines(text, "CLS") if "(name=Hello," in line]
    defined = {line.split()[1] for kind in ("OBJ", "ARR", "CLS") for line in heap_lines(text, kind)}
    roots = {line.split()[1] for line in heap_lines(text, "ROOT")} - {"0"}
    heap, = text.of(hprof_text.Heap)
    lost, holders, holder = 0, set(), None
    for line in heap.lines:
        if not line.startswith("\t"):
            holder = line
        elif line.split("\t")[-1] not in defined:
            lost, holders = lost + 1, holders | {holder}
    # The VM's own arrays of an archive's mirrors have those of classes that nobody has loaded, which are in no dump, HotSpot's neither.
    assert roots <= defined and len(holders) <= 2 and all("elem type=java.lang.Object" in one for one in holders), holders
    assert lost == 0 or lost > 100 and jdk.number >= 17
