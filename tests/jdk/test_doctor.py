"""hprof doctor: each rule finds the program that has its trouble, and leaves alone the one that only looks like it.

The rules that need hours, a container or a kernel's limits are judged on facts in files: tests/golden/cli/doctor_rules.case.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import signal
import subprocess
import time

import pytest

from conftest import TIMEOUT_S, compile_programs, wait_until

STATUS = {"fine": 0, "note": 0, "warning": 10, "severe": 20}


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs_doctor")


@pytest.fixture
def doctor(hprof):
    """doctor(*words): the status and the objects of `hprof doctor --json`."""
    def ask(*words):
        ran = subprocess.run([hprof, "doctor", "--json", *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT_S)
        print(ran.stdout, ran.stderr)
        at, objects = 0, []
        while ran.stdout[at:].strip():
            one, at = json.JSONDecoder().raw_decode(ran.stdout, at)
            at += 1
            objects.append(one)
        return ran.returncode, objects
    return ask


@pytest.fixture
def judged(doctor):
    """judged(java): the findings of a JVM by rule, and all that is said of it; the status is that of the worst."""
    def ask(java):
        status, (one,) = doctor("--for", "2500ms", java.process.pid)
        found = {finding["rule"]: finding for finding in one["findings"]}
        assert status == STATUS[one["severity"]]
        assert one["severity"] == max((f["severity"] for f in found.values()), key=list(STATUS).index, default="fine")
        return found, one
    return ask


# mode: (rule, its severity, options of the VM); the healthy twin has the same options.
SICK = {
    "monitors": ("deadlock", "severe", ()),
    "locks": ("deadlock", "severe", ()),
    "convoy": ("lock-convoy", "warning", ()),
    "pool": ("pool-starved", "warning", ()),
    "collects": ("gc-pauses", None, ("-XX:+UseSerialGC", "-Xmx40m", "-Xms40m")),
    "asks": ("system-gc", "warning", ("-XX:+UseSerialGC",)),
    "humongous": ("humongous-objects", "warning", ("-XX:+UseG1GC", "-Xmx64m", "-XX:G1HeapRegionSize=1m")),
    "files": ("file-descriptors", None, ("-XX:-MaxFDLimit",)),
    "direct": ("direct-memory", "warning", ("-XX:MaxDirectMemorySize=16m",)),
    "finalizes": ("finalizer-stuck", "warning", ()),
}


@pytest.mark.jdks(8, 17, 25, "newest")
@pytest.mark.parametrize("mode", SICK)
@pytest.mark.parametrize("sick", (True, False), ids=("sick", "healthy"))
def test_finds_what_is_wrong(start_java, jdk, mode, sick, judged):
    rule, severity, options = SICK[mode]
    before = ("prlimit", "--nofile=100:100") if mode == "files" else ()
    java = start_java(jdk, None, "Sick", mode, *(() if sick else ("healthy",)), vm=options, before=before)
    java.wait_for_stdout("ready")
    found, _ = judged(java)
    if sick:
        assert rule in found
        assert severity in (None, found[rule]["severity"])
    else:
        assert [one for one in found.values() if one["severity"] not in ("note",)] == []


@pytest.mark.jdks(8, 17, "newest")
def test_options_for_developers_and_a_debugger(start_java, jdk, judged):
    java = start_java(jdk, None, "Sick", "nothing", vm=("-Xint", "-Xcheck:jni", "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=0"))
    java.wait_for_stdout("ready")
    found, one = judged(java)
    assert found["interpreted"]["severity"] == "warning"
    assert "compiler-off" not in found
    assert all(word in found["debug-flags"]["seen"] for word in ("-Xcheck:jni", "jdwp"))
    assert "dt_socket" not in json.dumps(one)    # options of agents may be secrets
    assert found["agents"]["severity"] == "note"


@pytest.mark.jdks(17, "newest")
def test_a_stopped_process(start_java, jdk, judged):
    java = start_java(jdk, None, "Sick", "nothing")
    java.wait_for_stdout("ready")
    os.kill(java.process.pid, signal.SIGSTOP)
    try:
        wait_until(lambda: "\nState:\tT" in open("/proc/%d/status" % java.process.pid).read(), "it is stopped")
        found, _ = judged(java)
    finally:
        os.kill(java.process.pid, signal.SIGCONT)
    assert found["stopped"]["severity"] == "severe"


@pytest.mark.jdks(17, 25)
def test_nothing_is_asked_and_nothing_stopped(start_java, jdk, doctor):
    """The JVM never opens its attach socket, and no thread of it is stopped by a debugger's means."""
    java = start_java(jdk, None, "Sick", "nothing")
    java.wait_for_stdout("ready")
    doctor("--for", "100ms", java.process.pid)
    tasks = os.listdir("/proc/%d/task" % java.process.pid)
    names = {open("/proc/%d/task/%s/comm" % (java.process.pid, task)).read().strip() for task in tasks}
    assert "Attach Listener" not in names
    assert "Signal Dispatc" in {name[:14] for name in names}


@pytest.mark.jdks(8, 17, 25, "newest")
def test_facts_of_json_give_the_same_findings(start_java, jdk, hprof, tmp_path):
    java = start_java(jdk, None, "Sick", "monitors")
    java.wait_for_stdout("ready")
    ran = subprocess.run([hprof, "doctor", "--json", str(java.process.pid)], capture_output=True, text=True)
    (tmp_path / "facts.json").write_text(ran.stdout)
    again = subprocess.run([hprof, "doctor", "--json", str(tmp_path / "facts.json")], capture_output=True, text=True)
    assert (again.returncode, again.stdout) == (20, ran.stdout)


def test_dumps_of_the_jdk_have_the_deadlock(start_java, jdk, hprof, doctor, tmp_path):
    java = start_java(jdk, None, "Sick", "locks")
    java.wait_for_stdout("ready")
    for n in range(2):
        (tmp_path / ("%d.txt" % n)).write_text(subprocess.run([hprof, "threads", str(java.process.pid)], capture_output=True, text=True).stdout)
        time.sleep(0.1)
    status, (one,) = doctor(tmp_path / "0.txt", tmp_path / "1.txt")
    assert status == 20 and [f["rule"] for f in one["findings"] if f["severity"] == "severe"] == ["deadlock"]
