"""JDK 8's own agent and ours, one beside the other, on the same programs and the same option strings.

What is not the same is in docs/hprof-compat.md, and here by name.
SPDX-License-Identifier: Apache-2.0
"""
import math
import re

import golden
import hprof_binary
import hprof_text
import pytest

pytestmark = pytest.mark.jdks(8)

# Threads that ran before the agent started: ours names them as well.
EARLY_THREADS = {("Reference Handler", "system"), ("Finalizer", "system"), ("Signal Dispatcher", "system")}
AGENT_THREAD = re.compile(r"HPROF .*")
BRACKET = re.compile(r" \[hprof[^\]\n]*\]")
LONG = 4096     # the longest value

# Both must say the same. Many more are recorded in data/golden-corpus: tests/unit/options_options.c.
REFUSED = ["cpu=", "depth=3,,interval=5", " help", "=", "doe=" + "y" * LONG, "file=" + "x" * (LONG + 1), "net=h,depth=3",
           "precrash=q", "errorexit=y,bogus", "format=b,cpu=times"]
# (command line, environment): the environment is appended, with a comma if both are there.
REFUSED_WITH_ENVIRONMENT = [("cpu=samples", "depth=q"), ("", "help"), ("cpu=samples,depth", "=3")]
TAKEN = ["cpu=samples,interval= +5,logflags=zz", "cpu=samples,cutoff=0x1p-4,depth=2,depth=3"]


@pytest.fixture
def both(jdk, run_java):
    """both(options, ...): the ended runs of the original and of ours."""
    if not jdk.original_agent:
        pytest.skip("this JDK 8 has no agent of its own")

    def run(options, *args, **keywords):
        return (run_java(jdk, options, *args, library=jdk.original_agent, **keywords),
                run_java(jdk, options, *args, **keywords))
    return run


def check_same_answer(original, ours, sampled):
    assert BRACKET.sub("", golden.as_original(ours.stderr, sampled)) == BRACKET.sub("", original.stderr)
    assert (ours.rc, golden.VM_ENDS.sub("", ours.stdout), ours.files) == (original.rc, original.stdout, original.files)


def short(options):
    return options if len(options) < 60 else "%s...%d" % (options[:20], len(options))


@pytest.mark.parametrize("options", REFUSED, ids=short)
def test_the_same_refusal(both, options):
    original, ours = both(options, "Hello")
    assert original.rc in (1, 9) and original.stderr.startswith("HPROF ERROR: hprof option error: ")
    check_same_answer(original, ours, sampled=False)


@pytest.mark.parametrize("options, environment", REFUSED_WITH_ENVIRONMENT)
def test_the_same_refusal_with_an_environment(both, options, environment):
    original, ours = both(options, "Hello", env={"_JAVA_HPROF_OPTIONS": environment})
    assert original.rc in (1, 9)
    check_same_answer(original, ours, sampled=False)


@pytest.mark.parametrize("options", TAKEN)
def test_the_same_acceptance(both, options):
    original, ours = both(options, "Hello")
    assert original.rc == 0
    check_same_answer(original, ours, sampled=True)


def work_of(text):
    """The samples of the work alone: what part of them the VM's start has depends on how busy the machine is then."""
    return sum(row.count for row in text.tables[0].rows
               if any(frame.klass in ("CpuWork", "CpuHot") for frame in text.traces[row.trace].frames))


def shares(text):
    counts, total = text.by_method(), work_of(text)
    return {method: count / total for method, count in counts.items()}


def test_the_same_methods_where_the_original_can_see_them(both):
    """Interpreted, every bytecode is a safepoint, so the original sees where the time goes."""
    original, ours = (hprof_text.Text(ended.text()) for ended in
                      both("cpu=samples,interval=2", "CpuWork", 500, vm=["-Xint"]))
    for text in (original, ours):
        hprof_text.check(text)
        assert work_of(text) > 300
    for method in ("CpuHot.hot", "CpuHot.fib", "CpuHot.warm"):
        counts, totals = zip(*((text.with_method(method), work_of(text)) for text in (original, ours)))
        theirs, mine = (count / total for count, total in zip(counts, totals))
        share = sum(counts) / sum(totals)
        # 6.2 standard deviations of a difference of two shares (once in 10^9), and what a wall clock (the original's) and a
        # CPU clock may see otherwise.
        far = 6.2 * math.sqrt(share * (1 - share) * sum(1 / total for total in totals)) + 0.03
        assert abs(theirs - mine) < far, (method, theirs, mine, far)
    theirs, mine = shares(original), shares(ours)
    assert max(theirs, key=theirs.get) == max(mine, key=mine.get) == "CpuHot.hot"


def test_the_same_callers_where_the_original_is_biased(both):
    """Compiled, the original sees threads at safepoints only: the caller's loop, not the hot method.

    The program waits for the compilers: where they do not get the CPU it would be interpreted for long. Traces are as deep as fib goes,
    and reach main."""
    golden.listed("No safepoint bias")
    original, ours = (hprof_text.Text(ended.text()) for ended in both("cpu=samples,interval=2,depth=30", "CpuWork", 1000, vm=["-Xbatch"]))
    for text in (original, ours):
        assert work_of(text) > 50 and text.with_method("CpuWork.main") == work_of(text)
    assert shares(original).get("CpuWork.main", 0) > 0.5 > shares(ours).get("CpuWork.main", 0)
    assert shares(ours)["CpuHot.hot"] > 0.5


def skeleton(text):
    """A file's lines after the prologue with every number as 0, every date as DATE; without traces and rows."""
    body = text.partition("\n--------\n\n")[2]
    lines = re.sub(hprof_text.DATE, "DATE", body).split("\n")
    kept = [line for line in lines if line[:1] not in (" ", "\t") and not line.startswith("TRACE ")]
    return [re.sub(r"=[0-9a-f]{8}|\d+", "0", line) for line in kept]


def without_early_threads(lines):
    early = ['name="%s", group="%s"' % thread for thread in EARLY_THREADS]
    return [line for line in lines if not any(thread in line for thread in early) and 'name="HPROF ' not in line]


def test_the_same_lines_but_for_the_numbers(both):
    original, ours = both("cpu=samples", "CpuWork", 300)
    first = [re.sub(hprof_text.DATE, "DATE", ended.text().partition("\n")[0]) for ended in (original, ours)]
    assert first[0] == first[1]
    theirs, mine = (without_early_threads(skeleton(ended.text())) for ended in (original, ours))
    # The original prints an END for its own threads, too, if it comes to that.
    ends = [line for line in mine if line.startswith("THREAD END")]
    assert [line for line in theirs if not line.startswith("THREAD END")] == \
        [line for line in mine if not line.startswith("THREAD END")]
    assert len(ends) == 2 <= sum(line.startswith("THREAD END") for line in theirs)


def test_a_long_name_breaks_the_original_file_only(both):
    golden.listed("Long names")
    original, ours = (ended.text() for ended in both("cpu=samples", "LongName"))
    with pytest.raises(hprof_text.NotHprof):
        hprof_text.Text(original)
    hprof_text.check(hprof_text.Text(ours))


def threads(text):
    return {(thread.name, thread.group) for thread in text.of(hprof_text.ThreadStart)
            if not AGENT_THREAD.fullmatch(thread.name)}


def test_the_same_threads(both):
    original, ours = (hprof_text.Text(ended.text()) for ended in both("cpu=samples,thread=y", "Thr"))
    hprof_text.check(original, threads=True)
    hprof_text.check(ours, threads=True)
    golden.listed("Early threads")
    # The VM begins its dispatcher of signals beside the original agent, which tells of it now and then.
    assert EARLY_THREADS - {("Signal Dispatcher", "system")} <= threads(ours) - threads(original) <= EARLY_THREADS
    assert threads(original) <= threads(ours)
    named = {thread.serial: thread.name for thread in ours.of(hprof_text.ThreadStart)}
    ended = [named[record.serial] for record in ours.of(hprof_text.ThreadEnd)]
    assert {"main", "io", "t-outer", "parked", "sleeper"} <= set(ended)
    for text in (original, ours):
        spinners = {thread.serial for thread in text.of(hprof_text.ThreadStart)
                    if thread.name in ("t-outer", 't "quoted" \u00e9')}
        assert {text.traces[row.trace].thread for row in text.tables[0].rows if row.method == "Thr.spin"} == spinners


def test_the_same_classes_in_a_binary_file(both):
    original, ours = (hprof_binary.Binary(ended.read("java.hprof")) for ended in
                      both("cpu=samples,format=b", "CpuHot", 300, vm=["-Xmx200m"]))
    for binary in (original, ours):
        hprof_binary.check(binary)
    theirs, mine = ({klass.name for klass in binary.classes.values()} for binary in (original, ours))
    assert theirs == mine
    assert original.version == ours.version == "JAVA PROFILE 1.0.1"


@pytest.mark.parametrize("heap", ["200m", "1800m", "4g"])
def test_the_same_binary_version_for_a_heap(both, heap):
    original, ours = (hprof_binary.Binary(ended.read("java.hprof")) for ended in
                      both("cpu=samples,format=b", "Hello", vm=["-Xmx" + heap]))
    assert original.version == ours.version
