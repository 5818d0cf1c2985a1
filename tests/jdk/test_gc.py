"""event=gc: pauses of collections by cause, and what the heap held before and after.

The program keeps a known number of bytes and asks for a known number of collections.
SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess
import time

import pytest
from emulated import emulated

pytestmark = emulated

KEPT_MB, GARBAGE_MB, COUNT = 24, 16, 6
MB = 1 << 20
HEAD = re.compile(r"EVENTS gc BEGIN \(time_ns=(\d+) pauses=(\d+) heap_before=(\d+) heap_after=(\d+)\) ")
ROW = re.compile(r" *\d+ +[\d.]+% +[\d.]+% (\d+) (\d+) (\d+) (\d+) 300000 - (.+)")
COLLECTORS = ["Serial", "Parallel", "G1", "Shenandoah", "Z"]
# Of these a pause for System.gc() leaves what is kept, and nothing else; the others have several short ones for it, or one before it.
ALL_IN_ONE = ["Serial", "G1"]


def tables(text):
    """[{cause: (time_ns, pauses, before, after)}], and that the totals of each are those of its rows."""
    found = []
    for block in re.findall(r"^EVENTS gc BEGIN .*?^EVENTS gc END$", text, re.S | re.M):
        totals = [int(number) for number in HEAD.match(block).groups()]
        rows = {row[5]: tuple(int(row[i]) for i in range(1, 5)) for row in map(ROW.fullmatch, block.splitlines()[2:-1])}
        assert [sum(column) for column in zip(*rows.values())] == totals or not rows
        found.append(rows)
    return found


@pytest.mark.parametrize("collector", COLLECTORS)
def test_pauses_and_the_heap_before_and_after(jdk, run_java, collector):
    began = time.monotonic()
    ended = run_java(jdk, "event=gc,cutoff=0", "Collects", KEPT_MB, COUNT,
                     vm=["-Xms256m", "-Xmx256m", "-XX:+Use%sGC" % collector])
    if any(words in ended.stderr for words in ("Unrecognized VM option", "not supported", "is experimental")):
        pytest.skip("this build of JDK %d has no such collector" % jdk.number)
    assert ended.rc == 0, ended.stderr
    seconds = time.monotonic() - began
    (rows,) = tables(ended.text("java.hprof.txt"))
    time_ns, pauses, before, after = rows["System.gc()"]
    # G1 may collect once more for one call, and finish a marking in between, in pauses without a cause of their own.
    assert pauses == COUNT if collector == "Serial" else pauses >= COUNT
    assert 0 < time_ns < seconds * 1e9
    if "the heap's size is not known" in ended.stderr:
        assert before == after == 0
    elif collector in ALL_IN_ONE:
        assert KEPT_MB * MB < after / pauses < (KEPT_MB + GARBAGE_MB / 2) * MB
        # Each call but the first finds the garbage, and that of a second pause none.
        assert KEPT_MB * pauses + GARBAGE_MB * (COUNT - 1) < before / MB


@pytest.mark.jdks(17)
def test_a_later_table_has_all_and_a_report_reads_it(jdk, hprof, start_java, tmp_path):
    java = start_java(jdk, "event=gc,cutoff=0", "Collects", KEPT_MB, COUNT, vm=["-Xmx256m", "-XX:+UseSerialGC"])
    ended = java.end()
    text = ended.text("java.hprof.txt")
    (tmp_path / "x.txt").write_text(text)
    report = subprocess.run([hprof, "report", str(tmp_path / "x.txt")], stdout=subprocess.PIPE, text=True, check=True).stdout
    row = re.search(r"^ *[\d.]+% +([\d.]+) +(\d+) +(\d+) +(\d+) +System\.gc\(\)$", report, re.M)
    time_ns, pauses, before, after = tables(text)[-1]["System.gc()"]
    assert (int(row[2]), int(row[3]), int(row[4])) == (pauses, before // pauses, after // pauses)
    assert abs(float(row[1]) * 1e6 - time_ns) <= 500


@pytest.mark.jdks(17)
def test_a_binary_file_has_no_such_table(jdk, run_java):
    ended = run_java(jdk, "event=gc,format=b", "Hello")
    assert ended.rc != 0 and "event=gc is not supported with format=b" in ended.stderr
