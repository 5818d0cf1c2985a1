"""The agent's own classes, which injected methods call, are in no stack, and no stack is shorter for them.

Deep's stacks have more than 60 frames whenever it works, so each of them must have all the frames that were asked for.
SPDX-License-Identifier: Apache-2.0
"""
import re
import signal
import subprocess

import hprof_text
import pytest
from asking import ask
from conftest import TIMEOUT_S, clean_environment

OWN = "Hprof"  # java.lang.Hprof_libhprof_Times and others
TRACKED = "heap=sites,monitor=all,cutoff=0,interval=1ms,thread=y"
SAMPLED = {
    "depth 1": ("cpu=samples", 1),
    "depth 4": ("cpu=samples", 4),
    "with times": ("cpu=samples,cpu=times", 4),
    "native": ("cpu=samples,native=y", 48),
    "kernel": ("cpu=samples,native=y,kernel=y", 48),
    "agct": ("cpu=samples,walker=agct", 4),
    "jvmti": ("cpu=samples,walker=jvmti", 4),
}


def sampled(text, method):
    """Traces of CPU SAMPLES that pass the method, by the number of their frames: {frames: samples}."""
    counts = {}
    for row in text.titled("CPU SAMPLES")[-1].rows:
        frames = text.traces[row.trace].frames
        if method is None or any(frame.method == method for frame in frames):
            counts[len(frames)] = counts.get(len(frames), 0) + row.count
    return counts


@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.parametrize("name", SAMPLED)
def test_samples(jdk, run_java, name):
    options, depth = SAMPLED[name]
    ended = run_java(jdk, "%s,%s,depth=%d" % (TRACKED, options, depth), "Deep", 1000)
    assert ended.rc == 0, ended.stderr
    assert OWN not in ended.text()
    text = hprof_text.Text(ended.text())
    if depth > 1:
        whole = sampled(text, "work")
        assert list(whole) == [depth], "a trace of work() lacks frames"
        assert whole[depth] >= 100
    else:
        assert list(sampled(text, None)) == [1]


@pytest.mark.jdks(8, "newest")
def test_method_times(jdk, run_java):
    ended = run_java(jdk, "cpu=times,heap=sites,monitor=all,cutoff=0", "Deep", 500)
    assert ended.rc == 0, ended.stderr
    text = hprof_text.Text(ended.text())
    assert "Deep.work" in {row.method for row in text.titled("CPU TIME (ms)")[-1].rows}
    assert OWN not in ended.text()


@pytest.mark.jdks(8)
def test_stacks_of_dumps(jdk, start_java):
    """MONITOR DUMP and the threads of a heap dump, taken while the thread is in a tracker more often than not."""
    java = start_java(jdk, "heap=all,format=a,monitor=all,cutoff=0,depth=8", "Deep", 10000)
    java.wait_for_stdout("begins")
    for count in range(1, 6):
        java.signal(signal.SIGQUIT)
        java.wait_for_stderr(" done.\n", count)
    java.signal(signal.SIGTERM)
    text = java.end().text()
    assert text.count("MONITOR DUMP BEGIN") >= 5
    stacks = [block for block in re.findall(r"^TRACE \d+:.*\n(?:\t.*\n)+", text, re.M) if "Deep." in block]
    assert stacks and not [block for block in stacks if OWN in block]


@pytest.mark.jdks(8)
def test_hprof_stack(jdk, start_java, hprof):
    java = start_java(jdk, "heap=sites,monitor=all", "Deep", 60000)
    java.wait_for_stdout("begins")
    shown = 0
    for i in range(30):
        said = subprocess.run([hprof, "stack", "--json" if i % 2 else "--java", str(java.pid)], stdout=subprocess.PIPE,
                              text=True, timeout=TIMEOUT_S, env=clean_environment(), check=True).stdout
        shown += "Deep.java" in said
        assert OWN not in said
    assert shown >= 25
    java.signal(signal.SIGKILL)
    java.end()


@pytest.mark.jdks(17)
def test_stacks_are_whole_where_nobody_says_how_deep(hprof, start_java, run_java, jdk, tmp_path):
    """Deep works below 60 frames and more: a picture's lowest row is where threads begin, not the fourth frame from above. Files
    of the original's kinds have its four, where no command says otherwise."""
    def depths(path):
        return [line.count(";") for line in path.read_text().splitlines() if "Deep.work" in line]

    java = start_java(jdk, None, "Deep", 60000)
    java.wait_for_cpu(0.3)
    ask(hprof, "record", "-i", "1ms", "-d", "700ms", "-o", tmp_path / "whole.collapsed", java.pid)
    ask(hprof, "record", "-i", "1ms", "-d", "700ms", "-j", "8", "-o", tmp_path / "cut.collapsed", java.pid)
    ask(hprof, "record", "-i", "1ms", "-d", "700ms", "-o", tmp_path / "whole.txt", java.pid)
    ask(hprof, "report", "-o", tmp_path / "text.collapsed", tmp_path / "whole.txt")
    assert min(depths(tmp_path / "whole.collapsed")) > 60 and max(depths(tmp_path / "cut.collapsed")) <= 8
    assert min(depths(tmp_path / "text.collapsed")) > 60
    run_java(jdk, "cpu=samples,interval=1ms,file=%s" % (tmp_path / "agent.collapsed"), "Deep", 500)
    run_java(jdk, "cpu=samples,interval=1ms,file=%s" % (tmp_path / "agent.txt"), "Deep", 500)
    ask(hprof, "report", "-o", tmp_path / "old.collapsed", tmp_path / "agent.txt")
    assert min(depths(tmp_path / "agent.collapsed")) > 60 and max(depths(tmp_path / "old.collapsed")) <= 4
