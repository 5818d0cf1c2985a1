"""The recorded runs of the original agent with cpu=samples into a text file, repeated with ours on every JDK.

Status, output, messages and file names must be the recorded ones, and the file must have the recorded layout; serials,
counts, dates and JDK-internal frames are what they are. Listed differences: docs/hprof-compat.md.
SPDX-License-Identifier: Apache-2.0
"""
import re

import conftest
import golden
import hprof_text
from conftest import old_and_new, one_jdk
import pytest
from emulated import emulated

pytestmark = emulated

OLD = b"old\n"
# The work of CpuHot by the round, not by the clock: a second of CPU time or more.
WORK = ("CpuWork", 1000)

# case: options, program and arguments, what hprof_text.check has to know, files that are there before
CASES = {
    "samples": ("cpu=samples", ("CpuHot", 1000), {}, {}),
    "samples_depth0": ("cpu=samples,depth=0", ("CpuHot", 300), {"depth": 0}, {}),
    "samples_depth1": ("cpu=samples,depth=1", ("CpuHot", 300), {"depth": 1}, {}),
    "samples_int1": ("cpu=samples,interval=1,cutoff=0.05", ("CpuHot", 300), {"cutoff": 0.05}, {}),
    "samples_nolineno": ("cpu=samples,lineno=n", ("CpuHot", 300), {"lines": False}, {}),
    "samples_thread": ("cpu=samples,thread=y", ("Thr",), {"threads": True}, {}),
    "intr_samples": ("cpu=samples", ("Intr",), {}, {}),
    "file_nosuffix": ("cpu=samples,file=plain", ("Hello",), {}, {}),
    "force_n": ("cpu=samples,force=n", ("Hello",), {}, {}),
    "force_n_exists": ("cpu=samples,force=n", ("Hello",), {}, {"java.hprof.txt": OLD}),
    "force_n_TXT": ("cpu=samples,force=n,file=my.TXT", ("Hello",), {}, {"my.TXT": OLD}),
    "force_n_nosuffix": ("cpu=samples,force=n,file=my.out", ("Hello",), {}, {"my.out": OLD}),
    "force_y_exists": ("cpu=samples", ("Hello",), {}, {"java.hprof.txt": OLD * 5000}),
    "exit3": ("cpu=samples", ("Exit", "exit"), {}, {}),
    "halt4": ("cpu=samples", ("Exit", "halt"), {}, {}),
    "uncaught": ("cpu=samples", ("Exit", "uncaught"), {}, {}),
    "nomain": ("cpu=samples", ("NoSuchClass",), {}, {}),
    "verbose_n": ("cpu=samples,verbose=n", ("Hello",), {}, {}),
    "doe_n": ("cpu=samples,doe=n", ("Hello",), {}, {}),
    "agentpath": ("cpu=samples", ("Hello",), {}, {}),
}
# Cases that must have samples: with a program that works by the round, for the recorded one works by the clock and may get
# no CPU in its time. It prints the same.
SAMPLED = {"samples": WORK, "samples_depth1": WORK, "samples_int1": WORK, "samples_nolineno": WORK,
           "samples_thread": CASES["samples_thread"][1], "intr_samples": ("IntrWork", 500)}


@pytest.fixture(scope="module")
def done():
    """What has been run already: one run of a case serves all its tests."""
    return {}


@pytest.fixture
def repeat(start_java, tmp_path, done):
    """repeat(jdk, case): the new text file of a run, with everything checked that all cases share.

    `program` is another one than the case's, that prints the same.
    """
    def run(jdk, case, program=None):
        key = jdk.id, case, program
        if key not in done:
            done[key] = fresh(*key)
        return done[key]

    def fresh(jdk_id, case, program):
        jdk = conftest.BUILDS[jdk_id]
        options, argv, about, before = CASES[case]
        folder = tmp_path / "run"
        folder.mkdir()
        for name, content in before.items():
            (folder / name).write_bytes(content)
        java = start_java(jdk, options, *(program or argv), cwd=folder)
        ended = java.end()
        golden.check_run(case, java, ended, sampled=about.get("depth") != 0)
        new = [name for name in ended.files if ended.read(name) != before.get(name)]
        assert len(new) == 1
        text = hprof_text.Text(ended.text(new[0]))
        hprof_text.check(text, **about)
        return text
    return run


@pytest.mark.parametrize("case", sorted(set(CASES) & {path.name for path in (golden.DATA / "hprof-golden").iterdir()}))
def test_the_recording_itself_fits_the_grammar(case):
    text = hprof_text.Text(golden.recorded_text(case))
    hprof_text.check(text, **CASES[case][2])


@pytest.mark.parametrize("case", sorted(CASES))
def test_the_run_and_its_file_are_as_recorded(jdk, repeat, case):
    text = repeat(jdk, case, SAMPLED.get(case))
    first = text.records[0]
    assert (first.serial, first.name, first.group) == (200001, "main", "main")
    if case == "doe_n":
        assert text.shape() == []
        return
    expected = hprof_text.Text(golden.recorded_text(case))
    if case in SAMPLED:
        assert text.shape() == expected.shape() == ["Trace", "Table"]
    assert len(text.tables) == len(expected.tables)
    kinds, expected_kinds = ({type(record) for record in each.records} for each in (text, expected))
    assert kinds | {hprof_text.Trace} == expected_kinds | {hprof_text.Trace}


@old_and_new
def test_the_hot_method_leads(jdk, repeat):
    text = repeat(jdk, "samples", WORK)
    counts, total = text.by_method(), text.tables[0].total
    # The program does nothing but hot, warm and fib, and hot most of all; the rest is the VM's start. Four of five samples are
    # in hot: of 50 that is less than half once in 10^6, less than a third once in 10^10.
    assert counts.most_common(1)[0][0] == "CpuHot.hot"
    assert counts["CpuHot.hot"] > total / 3
    assert text.with_method("CpuWork.main") > 0.5 * total
    assert text.quality()["walked"] == total


@one_jdk
def test_depth_0_takes_no_samples(jdk, repeat):
    text = repeat(jdk, "samples_depth0")
    assert [(table.total, table.rows) for table in text.tables] == [(0, [])]


@one_jdk
def test_the_quality_counts_add_up(jdk, repeat):
    golden.listed("What a sample cannot tell")
    text = repeat(jdk, "samples", WORK)
    count = text.quality()
    assert count["walked"] == text.tables[0].total
    assert count["samples"] == sum(count[part] for part in ("walked", "failed", "nameless", "lost_ring_full",
                                                             "thread_end")) + \
        sum(count.get(part, 0) for part in ("no_Java_frame", "signal_blocked", "signal_lost"))
    assert count["shifted"] + count["scanned"] <= 0.1 * count["walked"], "guessed starts are rare"
    assert count["truncated"] <= count["walked"]


def test_each_thread_has_its_object(jdk, repeat):
    golden.listed("`obj=`")
    objects = [thread.object for thread in repeat(jdk, "samples_thread", SAMPLED["samples_thread"]).of(hprof_text.ThreadStart)]
    assert len(set(objects)) == len(objects)


@old_and_new
def test_the_agents_own_threads_are_not_listed(jdk, repeat):
    golden.listed("The agent's own threads")
    text = repeat(jdk, "samples_thread", SAMPLED["samples_thread"])
    started = {thread.serial: thread.name for thread in text.of(hprof_text.ThreadStart)}
    assert not [name for name in started.values() if name.startswith("HPROF ")]
    assert {record.serial for record in text.of(hprof_text.ThreadEnd)} <= set(started)


@one_jdk
def test_a_long_name_stays_on_one_line(jdk, run_java):
    golden.listed("Long names")
    golden.listed("Names with a line break")
    text = hprof_text.Text(run_java(jdk, "cpu=samples", "LongName").text())
    names = [thread.name for thread in text.of(hprof_text.ThreadStart)]
    assert max(len(name) for name in names) == 3000
    assert "two lines" in names


def test_lines_are_those_of_the_source(jdk, repeat, request):
    text = repeat(jdk, "samples", WORK)
    source = (request.path.parent / "programs/CpuHot.java").read_text(encoding="utf-8").split("\n")
    frames = {frame for trace in text.traces.values() for frame in trace.frames if frame.klass == "CpuHot"}
    assert frames
    for frame in frames:
        assert frame.source == "CpuHot.java"
        assert " %s(" % frame.method in source[frame.line - 1]


@one_jdk
def test_cutoff_leaves_out_rows_but_not_the_total(jdk, repeat):
    text = repeat(jdk, "samples_int1", WORK)
    table, = text.tables
    assert all(row.count >= 0.05 * table.total for row in table.rows)
    assert text.quality()["walked"] == table.total > sum(row.count for row in table.rows)


@one_jdk
def test_thread_y_splits_traces_by_thread(jdk, repeat):
    text = repeat(jdk, "samples_thread", SAMPLED["samples_thread"])
    by_name = {thread.name: thread for thread in text.of(hprof_text.ThreadStart)}
    assert (by_name["t-outer"].group, by_name["parked"].group) == ("outer", "inner")
    assert by_name['t "quoted" \u00e9'].group == "inner"
    ended = [record.serial for record in text.of(hprof_text.ThreadEnd)]
    for name in ("t-outer", 't "quoted" \u00e9', "io", "parked", "sleeper"):
        assert ended.count(by_name[name].serial) == 1
    spinning = {text.traces[row.trace].thread for row in text.tables[0].rows if row.method == "Thr.spin"}
    # They spin for 400 ms of wall time: on a loaded machine one of them may hardly run.
    assert spinning and spinning <= {by_name["t-outer"].serial, by_name['t "quoted" \u00e9'].serial}


def test_a_thread_that_blocks_in_accept_is_not_sampled(jdk, repeat):
    golden.listed("CPU time, not wall clock")
    text = repeat(jdk, "samples_thread", SAMPLED["samples_thread"])
    blocked = re.compile(r".*(accept0?|socketAccept|poll|park|sleep0?)$", re.I)
    rows = [row for row in text.tables[0].rows if blocked.match(row.method)]
    # A call into the system costs some CPU time, and the kernel may charge it with what a hypervisor took away meanwhile;
    # 400 ms of waiting would be 40 samples of each of three threads.
    assert sum(row.count for row in rows) <= 20, rows
    original = hprof_text.Text(golden.recorded_text("samples_thread")).by_method()
    assert original["java.net.PlainSocketImpl.socketAccept"] >= 20, "the defect that ours does not have"


def test_an_interrupted_thread_is_sampled(jdk, repeat):
    golden.listed("Interrupted threads")
    text = repeat(jdk, "intr_samples", SAMPLED["intr_samples"])
    assert text.with_method("IntrWork.main") > 0.5 * text.tables[0].total
    original = hprof_text.Text(golden.recorded_text("intr_samples"))
    assert original.with_method("Intr.main") == 0, "the defect that ours does not have"


@one_jdk
def test_force_n_keeps_the_old_file(jdk, start_java, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "java.hprof.txt").write_bytes(OLD)
    java = start_java(jdk, "cpu=samples,force=n", "Hello", cwd=folder)
    ended = java.end()
    assert ended.read("java.hprof.txt") == OLD
    assert ended.text("java.hprof.%d.txt" % java.pid).startswith("JAVA PROFILE 1.0.1, created ")
