"""Dumps on request and sudden ends: the recorded runs with signals, repeated with ours on every JDK.

SPDX-License-Identifier: Apache-2.0
"""
import os
import signal

import golden
import hprof_text
from conftest import old_and_new, one_jdk

CLOCK_TICKS_S = os.sysconf("SC_CLK_TCK")
PIECE_MS = 200    # CPU time between two signals: some 20 samples
STOP_FILE = "../run0.stop"    # beside the JVM's folder
PROGRAM_SAYS = ("spinning\n", "spun true\n")


def cpu_ms(java):
    with open("/proc/%d/stat" % java.pid, encoding="ascii", errors="replace") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) // CLOCK_TICKS_S


def burn(java):
    """Waits until the program has used another piece of CPU time."""
    until = cpu_ms(java) + PIECE_MS
    java.wait_for(lambda: cpu_ms(java) >= until, "%d ms of CPU time" % PIECE_MS)


def spinning(start_java, jdk, options):
    """A JVM that has spun for a while, and goes on until stop()."""
    java = start_java(jdk, options, "Spin", STOP_FILE)
    java.wait_for_stdout("spinning")
    burn(java)
    return java


def stop(java):
    """Its natural end."""
    java.cwd.with_name(java.cwd.name + ".stop").touch()
    return java.end()


def quit_and_wait(java, dumps):
    """SIGQUIT, then the dump it asks for."""
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr(golden.DUMPED, dumps)


def program_stdout(ended):
    """stdout without the VM's own answer to SIGQUIT."""
    assert "Full thread dump" in ended.stdout
    return "".join(line for line in ended.stdout.splitlines(True) if line in PROGRAM_SAYS)


@old_and_new
def test_each_quit_writes_a_table_of_what_came_since(jdk, start_java):
    java = spinning(start_java, jdk, "cpu=samples")
    quit_and_wait(java, 1)
    burn(java)
    quit_and_wait(java, 2)
    burn(java)
    ended = stop(java)
    run = golden.RUNS["quit_samples"]
    assert (ended.rc, program_stdout(ended)) == (run["rc"], run["stdout"])
    assert golden.as_original(ended.stderr) == run["stderr"]
    assert ended.files == run["files"]
    text = hprof_text.Text(ended.text())
    hprof_text.check(text)
    assert len(text.tables) == len(hprof_text.Text(golden.recorded_text("quit_samples")).tables) == 3
    assert all(table.total > 0 for table in text.tables)
    # The counts start again after each table, the prologue's counts go on.
    assert text.quality()["walked"] == sum(table.total for table in text.tables)
    # A later table refers back to a TRACE that an earlier one has printed.
    earlier = {row.trace for row in text.tables[0].rows}
    assert earlier & {row.trace for row in text.tables[2].rows}


@one_jdk
def test_doe_n_leaves_the_quit_dump_alone(jdk, start_java):
    java = spinning(start_java, jdk, "cpu=samples,doe=n")
    quit_and_wait(java, 1)
    ended = stop(java)
    run = golden.RUNS["quit_doe_n"]
    assert (ended.rc, program_stdout(ended)) == (run["rc"], run["stdout"])
    assert golden.as_original(ended.stderr) == run["stderr"]
    text = hprof_text.Text(ended.text())
    hprof_text.check(text)
    assert text.shape() == hprof_text.Text(golden.recorded_text("quit_doe_n")).shape() == ["Trace", "Table"]


def test_term_dumps(jdk, start_java):
    java = spinning(start_java, jdk, "cpu=samples")
    java.signal(signal.SIGTERM)
    ended = java.end()
    golden.check_run("term_samples", java, ended)
    text = hprof_text.Text(ended.text())
    hprof_text.check(text)
    assert text.with_method("Spin.main") > 0


@one_jdk
def test_kill_leaves_the_flushed_beginning(jdk, start_java):
    java = spinning(start_java, jdk, "cpu=samples")
    java.signal(signal.SIGKILL)
    ended = java.end()
    golden.check_run("kill_samples", java, ended)
    text = hprof_text.Text(ended.text())
    assert text.shape() == hprof_text.Text(golden.recorded_text("kill_samples")).shape() == []
