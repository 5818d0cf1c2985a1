"""hprof record --jfr: the JVM's own recording and the agent's in one file.

SPDX-License-Identifier: Apache-2.0
"""
import datetime
import json
import pathlib
import re
import signal
import stat
import subprocess

import pytest

from asking import ask, waiting  # noqa: F401
from conftest import JDKS, TIMEOUT_S, old_and_new, one_jdk, wait_until
import jfr_file
from robust import classes  # noqa: F401
from test_record import recording

PAUSE = "jdk.GCPhasePause"


def made_at(path):
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0


def nothing_is_left(java):
    """Waits until all files of recordings that are in the JVM's /tmp now are gone: those of other tests, which run at the same
    time, go when their recordings end. What is older than the JVM is none of it: a test that was killed left it."""
    process = pathlib.Path("/proc/%d" % java.pid)
    found = sorted(path for kind in ("jdk", "record") for path in (process / "root/tmp").glob(".hprof-%s-*" % kind)
                   if made_at(path) >= made_at(process))
    wait_until(lambda: not any(path.exists() for path in found), "end of %s" % found)
    return True


def begins(pauses):
    """{number of the collection: when its pause begins, in seconds}."""
    found = {}
    for pause in pauses:
        text, fraction = re.match(r"(.*:\d\d)(?:\.(\d+))?Z", pause["startTime"]).groups()
        found[pause["gcId"]] = datetime.datetime.fromisoformat(text).timestamp() + float("0." + (fraction or "0"))
    return found


def shift_of(ours, theirs):
    """How much later ours begin, and how far apart most of them are in that. Each numbers all collections from a start of its own:
    the same ones are where that is least."""
    found = []
    for offset in range(min(theirs) - max(ours), max(theirs) - min(ours) + 1):
        late = sorted(begin - theirs[number + offset] for number, begin in ours.items() if number + offset in theirs)
        if len(late) >= 0.5 * min(len(ours), len(theirs)):
            tenth = len(late) // 10
            found.append((late[len(late) - 1 - tenth] - late[tenth], late[len(late) // 2]))
    spread, shift = min(found)
    return shift, spread


@old_and_new
def test_both_are_in_one_file_on_one_clock(hprof, waiting, jdk, tmp_path):
    """Collections that both see begin at one time; tools of old and new JDKs read what ours does; samples are the agent's alone."""
    java, out = waiting(jdk, "-XX:+UseSerialGC"), tmp_path / "both.jfr"
    recorder = recording(hprof, java, out, "--jfr=profile", "-e", "cpu,gc")
    for _ in range(3):
        ask(hprof, "jcmd", java.pid, "GC.run")
    java.wait_for_cpu(0.3)
    recorder.send_signal(signal.SIGINT)
    said = recorder.communicate(timeout=TIMEOUT_S)[1]
    assert recorder.returncode == 0 and "recorded into" in said and nothing_is_left(java), said
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    ours = json.loads(ask(hprof, "jfr", "print", "--json", "--events", PAUSE, out)[0])["recording"]["events"]
    # The agent's have no thread. The JDK reads its two clocks one after the other, between which a busy machine may take the processor.
    pauses = [begins(event["values"] for event in ours if bool(event["values"]["eventThread"]) == of_jdk) for of_jdk in (False, True)]
    assert min(map(len, pauses)) >= 3, (pauses, said, jfr_file.tool(JDKS[max(JDKS)], "summary", out))
    shift, spread = shift_of(*pauses)
    assert abs(shift) < 0.1 and spread < 0.01, (shift, spread, pauses)
    for tool in (JDKS[min(JDKS)], JDKS[max(JDKS)]):
        assert len(jfr_file.events(tool, out, PAUSE)) == len(ours)
        rows = re.findall(r"^ jdk\.ExecutionSample +(\d+)", jfr_file.tool(tool, "summary", out), re.M)
        assert len(rows) == 1 and int(rows[0]) > 0, rows


@one_jdk
def test_settings_of_a_file(hprof, waiting, jdk, tmp_path):
    java, out, settings = waiting(jdk), tmp_path / "x.jfr", tmp_path / "own settings.jfc"
    settings.write_text('<?xml version="1.0" encoding="UTF-8"?><configuration version="2.0"><event name="jdk.ClassLoadingStatistics">'
                        '<setting name="enabled">true</setting><setting name="period">100 ms</setting></event></configuration>')
    ask(hprof, "record", "--jfr=%s" % settings, "-e", "gc", "-d", "1s", "-o", out, java.pid)
    found = jfr_file.counts(JDKS[max(JDKS)], out)
    assert found["jdk.ClassLoadingStatistics"] > 0 and not found.get("jdk.CPULoad") and nothing_is_left(java)


@pytest.mark.jdks(8, 17)
def test_a_jvm_that_starts_no_recording_of_its_own(hprof, waiting, jdk, tmp_path):
    """Nothing is recorded at all, and the JVM gets no agent. JDK 8 has other code for this answer."""
    java, out = waiting(jdk, "-XX:-FlightRecorder"), tmp_path / "x.jfr"
    said = ask(hprof, "record", "--jfr", "-d", "1s", "-o", out, java.pid, status=1)[1]
    assert "does not start its own recording: it says 'Flight Recorder is disabled.'" in said and "nothing is recorded" in said
    assert not out.exists() and nothing_is_left(java)
    assert "libhprof" not in pathlib.Path("/proc/%d/maps" % java.pid).read_text()


@one_jdk
def test_an_agent_that_refuses_ends_the_jvms_recording(hprof, waiting, jdk, tmp_path):
    java = waiting(jdk)
    ask(hprof, "start", "-O", "wall=10ms", "-o", tmp_path / "first.jfr", java.pid)
    said = ask(hprof, "record", "--jfr", "-O", "wall=20ms", "-d", "1s", "-o", tmp_path / "x.jfr", java.pid, status=1)[1]
    assert "wall=" in said and not (tmp_path / "x.jfr").exists(), said
    ask(hprof, "stop", java.pid)
    assert "No available recordings" in ask(hprof, "jcmd", java.pid, "JFR.check")[0] and nothing_is_left(java)
    assert "with --jfr it is a .jfr file" in ask(hprof, "record", "--jfr", "-o", tmp_path / "x.html", java.pid, status=2)[1]
    assert "--jfr=nowhere: No such file" in ask(hprof, "record", "--jfr=nowhere", java.pid, status=2)[1]


@pytest.mark.jdks(17)
def test_a_killed_jvm_leaves_the_agents_part(hprof, waiting, jdk, tmp_path):
    """It writes its own recording when it ends in order, and not else."""
    for sent, status, told in ((signal.SIGTERM, 0, "has ended"), (signal.SIGKILL, 1, "has the agent's alone")):
        java, out = waiting(jdk), tmp_path / ("%d.jfr" % sent)
        recorder = recording(hprof, java, out, "--jfr")
        java.signal(sent)
        java.process.wait()
        said = recorder.communicate(timeout=TIMEOUT_S)[1]
        assert recorder.returncode == status and told in said, said
        chunks = subprocess.run([hprof, "jfr", "summary", str(out)], stdout=subprocess.PIPE, text=True, check=False, timeout=TIMEOUT_S).stdout
        assert ("Chunks: 2" in chunks) == (status == 0), chunks
