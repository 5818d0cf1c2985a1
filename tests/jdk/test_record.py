"""hprof record, start, status, dump and stop: recordings of JVMs that run already.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess

import pytest

from asking import ask, inner_java, nobodys_java, unshare, waiting  # noqa: F401
from conftest import TIMEOUT_S, clean_environment, compile_library, one_jdk, wait_until
from robust import Profile, classes  # noqa: F401


def samples_of(path):
    profile = Profile(path.read_text(errors="replace")).check()
    return profile.of_thread("main")


OPTIONS = ["-i", "1ms", "-t", "-O", "depth=32", "-O", "cutoff=0"]


def test_a_recording_is_fetched(hprof, waiting, jdk, tmp_path):
    java = waiting(jdk)
    out = tmp_path / "out.txt"
    _, said = ask(hprof, "record", *OPTIONS, "-d", "700ms", "-o", out, java.pid)
    assert "recorded into %s" % out in said and samples_of(out) > 0
    assert "state=idle" in ask(hprof, "status", java.pid)[0]
    _, said = ask(hprof, "record", "-q", "-d", "300ms", "-o", tmp_path / "out.html", java.pid)
    assert said == "" and (tmp_path / "out.html").read_bytes().startswith(b"<!doctype html>")
    assert java.process.poll() is None


@one_jdk
def test_a_recording_goes_to_standard_output(hprof, waiting, jdk, tmp_path):
    java = waiting(jdk)
    for more in ([], ["--jfr"]):
        done = subprocess.run([hprof, "record", *OPTIONS, *more, "-d", "700ms", "-o", "-", str(java.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=str(tmp_path), timeout=TIMEOUT_S, check=False)
        assert done.returncode == 0 and b"recorded into standard output" in done.stderr, done.stderr
        (tmp_path / "out.jfr").write_bytes(done.stdout)
        summary, _ = ask(hprof, "jfr", "summary", tmp_path / "out.jfr")
        assert re.search(r"(?m)^ *jdk\.(ExecutionSample|CPUTimeSample) +[1-9]", summary), summary
        assert [path.name for path in tmp_path.iterdir() if path.name == "-"] == []


@pytest.fixture(scope="session")
def starting(tmp_path_factory):
    """The path of native/starting.c as a shared library."""
    return compile_library(tmp_path_factory, "starting")


@pytest.mark.jdks(17, 21, "newest")
def test_a_jvm_that_is_still_starting_is_waited_for(hprof, start_java, starting, classes, jdk, tmp_path):
    """Between two of its phases a VM loads agents, and has no JVM TI for them yet."""
    java = start_java(jdk, None, "Robust", "wait", vm=["-Xmx64m", "-agentpath:%s" % starting])
    java.wait_for_stdout("starting")
    wait_until(lambda: subprocess.run([hprof, "why", str(java.pid)], stdout=subprocess.DEVNULL, check=False).returncode == 0, "a JVM that can be asked")
    assert "running" not in java.out.read_text()
    _, said = ask(hprof, "record", "-d", "300ms", "-o", tmp_path / "out.jfr", java.pid)
    assert "recorded into" in said


@one_jdk
def test_a_terminal_gets_no_recording(hprof, jdk):
    leader, terminal = os.openpty()
    done = subprocess.run([hprof, "record", "-d", "1s", "-o", "-", "1"], stdout=terminal, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False)
    os.close(leader)
    os.close(terminal)
    assert done.returncode == 2 and "is not text for a terminal" in done.stderr


@pytest.mark.jdks(8, "newest")
def test_ctrl_c_and_the_end_of_the_jvm_end_it(hprof, waiting, jdk, tmp_path):
    java = waiting(jdk)
    for name in ("one.txt", "two.txt"):
        out = tmp_path / name
        recorder = subprocess.Popen([hprof, "record", *OPTIONS, "-o", str(out), str(java.pid)], stderr=subprocess.PIPE, text=True)
        java.wait_for(lambda: "running" in ask(hprof, "status", java.pid)[0] if "libhprof" in
                      pathlib.Path("/proc/%d/maps" % java.pid).read_text() else False, "recording")
        java.wait_for_cpu(0.05)
        if name == "one.txt":
            recorder.send_signal(signal.SIGINT)
        else:
            (java.cwd / "stop").touch()
            java.end()
        said = recorder.communicate(timeout=TIMEOUT_S)[1]
        assert recorder.returncode == 0 and out.exists(), said
        assert ("has ended" in said) == (name == "two.txt"), said
        assert samples_of(out) > 0


def descriptors(pid):
    """What a process has open. It may close one meanwhile."""
    names = []
    for link in pathlib.Path("/proc/%d/fd" % pid).iterdir():
        with contextlib.suppress(FileNotFoundError):
            names.append(os.readlink(link))
    return names


def leases(hprof, java):
    """How many recordings end by themselves if their command is killed."""
    if "libhprof" not in pathlib.Path("/proc/%d/maps" % java.pid).read_text():
        return 0
    return ask(hprof, "status", java.pid)[0].count(" lease=30.0 ")


def recording(hprof, java, out, *options):
    """hprof record, and the agent records for it, perhaps beside other recordings."""
    before = leases(hprof, java)
    recorder = subprocess.Popen([hprof, "record", *OPTIONS, *options, "-o", str(out), str(java.pid)], stderr=subprocess.PIPE, text=True)
    java.wait_for(lambda: leases(hprof, java) > before, "recording with a lease")
    # The command itself may be told later than others: a signal that comes before ends the waiting for the start's answer.
    wait_until(lambda: not any("socket:" in name for name in descriptors(recorder.pid)), "the answer to the start")
    return recorder


def held_by(hprof, pid):
    """The file into which it records for a command, which has no name and nobody else can read."""
    path = pathlib.Path("/proc/%d/fd" % pid) / re.search(r" fd=(\d+) ", ask(hprof, "status", pid)[0])[1]
    st = path.stat()
    assert stat.S_IMODE(st.st_mode) == 0o600 and st.st_nlink == 0
    return path


@pytest.mark.jdks(17)
@pytest.mark.parametrize("suffix", ["txt", "hprof", "jfr"])
def test_a_recording_of_a_killed_jvm_is_not_called_whole(hprof, waiting, jdk, tmp_path, suffix):
    """Each kind of file tells by itself whether the agent has finished it."""
    java, out = waiting(jdk), tmp_path / ("out." + suffix)
    recorder = recording(hprof, java, out)
    java.wait_for(lambda: held_by(hprof, java.pid).stat().st_size > 0, "the first bytes of the recording")
    java.signal(signal.SIGKILL)
    java.process.wait()
    said = recorder.communicate(timeout=TIMEOUT_S)[1]
    assert recorder.returncode == 1 and "is not whole" in said and "recorded into" not in said, said
    assert out.stat().st_size > 0 and stat.S_IMODE(out.stat().st_mode) == 0o600


@pytest.mark.jdks(17)
def test_ctrl_c_ends_the_command_when_the_jvm_does_not_answer(hprof, waiting, jdk, tmp_path):
    """What the JVM has recorded stays with it. A listener that another tool keeps busy is as silent as one that hangs."""
    java, out = waiting(jdk), tmp_path / "out.txt"
    recorder = recording(hprof, java, out)
    with socket.socket(socket.AF_UNIX) as idle:
        idle.connect("/tmp/.java_pid%d" % java.pid)
        idle.send(b"1")
        recorder.send_signal(signal.SIGINT)
        pending = pathlib.Path("/proc/%d/status" % recorder.pid)
        wait_until(lambda: re.search(r"ShdPnd:\t0+\n", pending.read_text()), "a stop that waits")
        assert recorder.poll() is None
        recorder.send_signal(signal.SIGINT)
        said = recorder.communicate(timeout=TIMEOUT_S)[1]
    assert recorder.returncode == 1 and not out.exists(), said
    left = pathlib.Path("/tmp") / re.search(r"as (hprof-record-\w+\.txt) in the JVM's /tmp", said).group(1)
    # The head of the file has its counts after the table.
    java.wait_for(lambda: all(word in left.read_text() for word in ("CPU SAMPLES END", "  samples = ")), "the stop that came late")
    assert samples_of(left) > 0
    java.wait_for(lambda: "state=idle" in ask(hprof, "status", java.pid)[0], "its answer")
    for file in [left, *left.parent.glob("." + left.stem.replace("record", "answer") + "-*")]:    # nobody waits for that answer any more
        file.unlink()


@pytest.mark.jdks(17)
def test_a_recording_that_another_stops_ends_before_its_time(hprof, waiting, jdk, tmp_path):
    java, out = waiting(jdk), tmp_path / "out.txt"
    recorder = recording(hprof, java, out)
    java.wait_for(lambda: int(re.search(r" samples=(\d+)", ask(hprof, "status", java.pid)[0])[1]) > 200, "samples")
    ask(hprof, "stop", java.pid)
    recorder.send_signal(signal.SIGINT)
    said = recorder.communicate(timeout=TIMEOUT_S)[1]
    assert recorder.returncode == 1 and "ends before its time" in said and "still in the JVM's" not in said, said
    assert samples_of(out) > 0


def test_a_long_recording_is_started_asked_and_stopped(hprof, waiting, jdk, tmp_path):
    java = waiting(jdk)
    assert "does not have the agent" in ask(hprof, "status", java.pid, status=1)[1]
    out = tmp_path / "long.txt"
    assert "start id=1 name=long" in ask(hprof, "start", *OPTIONS, "--name", "long", "-o", out, java.pid)[0]
    java.wait_for_cpu(0.05)
    assert re.search(r"samples=\d+ lost=0 file=%s" % out, ask(hprof, "status", java.pid, "long")[0])
    ask(hprof, "dump", java.pid, 1)
    java.wait_for(lambda: "CPU SAMPLES END" in out.read_text(), "dump")
    assert ask(hprof, "stop", java.pid)[0].startswith("stop id=1")
    assert "nothing to stop" in ask(hprof, "stop", java.pid, status=1)[1]
    assert samples_of(out) > 0


@pytest.mark.jdks(17)
def test_a_settings_file_is_that_of_the_commands_folder(hprof, waiting, jdk, tmp_path, monkeypatch):
    java = waiting(jdk)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.jfc").write_text('<configuration><event name="jdk.GarbageCollection"><setting name="enabled">true</setting></event></configuration>')
    ask(hprof, "start", "-O", "settings=x.jfc", "-o", "x.jfr", java.pid)
    # Nothing else is measured: the settings say what is.
    assert "samples=" not in ask(hprof, "status", java.pid)[0]
    ask(hprof, "stop", java.pid)


@one_jdk
def test_a_picture_shows_what_is_named_first(hprof, waiting, jdk, tmp_path):
    """Threads of the VM that wait are seen by wall alone. What is left out is told, and what was named but not measured."""
    java, idle = waiting(jdk), re.compile(r"ReferenceHandler|processPendingReferences|ReferenceQueue")
    for events, shown, other in (("wall,cpu", "wall", "cpu"), ("cpu,wall", "cpu", "wall")):
        out = tmp_path / (shown + ".collapsed")
        said = ask(hprof, "record", "-e", events, "-i", "1ms", "-d", "700ms", "-o", out, java.pid)[1]
        assert "shows '%s', and not '%s'; 'hprof report -e %s -o FILE'" % (shown, other, other) in said
        assert bool(idle.search(out.read_text())) == (shown == "wall") and "Robust" in out.read_text()
    recording, again = tmp_path / "both.jfr", tmp_path / "again.collapsed"
    said = ask(hprof, "record", "-e", "cpu", "-e", "wall", "-d", "700ms", "-o", recording, java.pid)[1]
    assert "report -e" not in said
    ask(hprof, "report", "-e", "wall", "-o", again, recording)
    assert idle.search(again.read_text())
    said = ask(hprof, "record", "-e", "exception,cpu", "-d", "700ms", "-o", again, java.pid)[1]
    assert "nothing of 'exception' was measured: it shows 'cpu'" in said and not idle.search(again.read_text())


@pytest.mark.jdks(17)
def test_what_is_wrong_is_said(hprof, waiting, jdk, tmp_path):
    """Said by the command, or by the agent, alike in all JVMs."""
    java = waiting(jdk)
    assert "--duration 'soon'" in ask(hprof, "record", "-d", "soon", java.pid, status=2)[1]
    assert "No such file or directory" in ask(hprof, "start", "-O", "settings=nowhere.jfc", java.pid, status=2)[1]
    assert "one JVM at a time" in ask(hprof, "record", "all", status=2)[1]
    assert "no event nothing: " in ask(hprof, "record", "-e", "nothing", "-d", "1s", "-o", tmp_path / "x.jfr", java.pid, status=2)[1]
    assert "must be a time" in ask(hprof, "start", "-d", "soon", java.pid, status=2)[1]
    assert ask(hprof, "record", "-o", "/nowhere/x.jfr", java.pid, status=1)[1]
    assert "suffix" in ask(hprof, "record", "-o", tmp_path / "x.unknown", java.pid, status=2)[1]
    assert ask(hprof, "record", "-o", "/sys/x.jfr", java.pid, status=1)[1]
    # Nothing has been loaded, and the JVM has said nothing of the mistakes of others.
    assert "libhprof" not in pathlib.Path("/proc/%d/maps" % java.pid).read_text() and java.err.read_text() == ""
    assert "the agent says: " in ask(hprof, "start", "-o", "/nowhere/x.jfr", java.pid, status=1)[1]
    said = ask(hprof, "record", "-e", "exception", "-d", "300ms", "-o", tmp_path / "x.html", java.pid, status=1)[1]
    assert "x.html: nothing of what is measured has happened" in said and "/proc" not in said and "still in" not in said
    assert not (tmp_path / "x.jfr").exists() and not (tmp_path / "x.html").exists()


@pytest.mark.jdks(8)
def test_another_agent_of_that_name_is_said(hprof, waiting, jdk, tmp_path):
    if not jdk.original_agent:
        pytest.skip("this JDK 8 has no agent of its own")
    java = waiting(jdk, "-agentpath:%s=heap=sites,file=%s" % (jdk.original_agent, tmp_path / "old.txt"))
    for words in (["record", "-d", "1s", "-o", tmp_path / "x.jfr"], ["status"]):
        said = ask(hprof, *words, java.pid, status=1)[1]
        assert re.search(r"has /\S+/libhprof.so, which does not answer: .*the agent that came with JDK 8; start the JVM without it\n$", said)
    assert java.process.poll() is None and not (tmp_path / "x.jfr").exists()


@pytest.mark.jdks(17)
def test_the_command_alone_is_enough(hprof, waiting, jdk, tmp_path):
    """It carries the agent, whatever the JVM."""
    java, lonely, mapped = waiting(jdk), shutil.copy(hprof, tmp_path), r"/\S+/\.hprof-%d/\w{16}/libhprof\.so" % os.geteuid()
    for name in ("one.txt", "two.txt"):
        ask(lonely, "record", *OPTIONS, "-d", "500ms", "-o", tmp_path / name, java.pid)
        assert samples_of(tmp_path / name) > 0
    library, = set(re.findall(mapped, pathlib.Path("/proc/%d/maps" % java.pid).read_text()))
    assert stat.S_IMODE(os.stat(library).st_mode) & 0o022 == 0 and os.stat(library).st_uid == os.geteuid()


@pytest.mark.jdks(8, "newest")
def test_a_jvm_of_another_user_that_sees_other_files(hprof, agent, classes, jdk, tmp_path):
    """The library is put where it sees it, and the recording belongs to who asked for it."""
    out = tmp_path / "out.txt"
    with nobodys_java(jdk, classes, tmp_path) as pid:
        for _ in range(2):
            for lasts in "500ms", "5s":    # it may have no processor for a while
                ask(hprof, "record", *OPTIONS, "--agent", shutil.copy(agent, tmp_path), "-d", lasts, "-o", out, pid)
                taken, owner = samples_of(out), out.stat().st_uid
                out.unlink()
                if taken > 0:
                    break
            assert taken > 0 and owner == 0
        tmp = pathlib.Path("/proc/%d/root/tmp" % pid)
        assert [path.name for path in tmp.glob(".hprof*")] == [".hprof-65534"], "neither recordings nor answers stay"
        assert len(list(tmp.glob(".hprof-65534/*/libhprof.so"))) == 1
        assert stat.S_IMODE((tmp / ".hprof-65534").stat().st_mode) == 0o700


@pytest.fixture
def lonely(hprof, tmp_path):
    """The command where no library is beside it, with a copy to carry that nobody else has: its build-id is another."""
    path = tmp_path / "alone" / "hprof"
    path.parent.mkdir()
    text = bytearray(pathlib.Path(hprof).read_bytes())
    at = text.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0", text.index(b"\x7fELF", 4)) + 16
    text[at:at + 16] = os.urandom(16)
    path.write_bytes(text)
    path.chmod(0o755)
    return str(path)


def copies_of(pid):
    """The library in each folder of ours, as that JVM has it loaded."""
    maps = pathlib.Path("/proc/%d/maps" % pid).read_text()
    return {pathlib.Path(path) for path in re.findall(r"/\S+/\.hprof-%d/\w{16}/libhprof\.so" % os.geteuid(), maps)}


@pytest.mark.jdks(8, "newest")
def test_the_copy_goes_with_the_last_jvm(hprof, lonely, waiting, jdk, tmp_path):
    """Each that has it loaded keeps it. Where the last was killed, the next command that puts one there removes it."""
    first, second, out = waiting(jdk), waiting(jdk), tmp_path / "out.txt"
    for java in (first, second):
        ask(lonely, "record", *OPTIONS, "-d", "300ms", "-o", out, java.pid)
    copy, = copies_of(first.pid)
    assert copies_of(second.pid) == {copy}
    for java in (first, second):
        assert copy.exists()
        (java.cwd / "stop").touch()
        java.end()
    assert not copy.exists() and not copy.parent.exists()
    killed = waiting(jdk)
    ask(lonely, "start", "-o", out, killed.pid)
    assert copies_of(killed.pid) == {copy}
    killed.signal(signal.SIGKILL)
    killed.process.wait()
    assert copy.exists()
    shutil.copy(hprof, tmp_path / "other")
    third = waiting(jdk)
    assert ask(tmp_path / "other", "start", "-o", tmp_path / "third.txt", third.pid)
    assert not copy.parent.exists() and copies_of(third.pid)


@pytest.mark.jdks(17)
def test_what_a_program_is_told_of_is_there_until_it_ends(lonely, classes, jdk, tmp_path):
    """And the line for others, which may come at any time, names one that stays."""
    java = [jdk.tool("java"), "-Xmx64m", "-cp", str(classes)]
    left = subprocess.run([lonely, "run", "-o", str(tmp_path / "left.txt"), "--", "sh", "-c",
                           '(until [ -e go ]; do sleep 0.1; done; exec "$@" >said 2>&1) >/dev/null 2>&1 &', "sh", *java, "Robust", "threads", "10"],
                          stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S, cwd=str(tmp_path), env=clean_environment(), check=False)
    (tmp_path / "go").touch()
    wait_until(lambda: (tmp_path / "left.txt").exists() and "CPU SAMPLES END" in (tmp_path / "left.txt").read_text(), "the end of what was left behind",
               lambda: False, lambda: left.stderr + (tmp_path / "said").read_text())
    done = subprocess.run([lonely, "run", "-o", str(tmp_path / "out.txt"), "--", "sh", "-c", '"$@" && "$@"', "sh", *java, "Robust", "threads", "10"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S, env=clean_environment(), check=False)
    line = ask(lonely, "run", "-o", tmp_path / "ide.txt", "--print-options")[0].split()[-1]
    copy = pathlib.Path(re.search(r"-agentpath:([^=]+)=", line).group(1))
    assert done.returncode == 0, done.stdout
    try:
        subprocess.run([java[0], line, *java[1:], "Robust", "threads", "10"], check=True, timeout=TIMEOUT_S, env=clean_environment(),
                       cwd=str(tmp_path))
        ask(lonely, "run", "-o", tmp_path / "more.txt", "--", *java, "Robust", "threads", "10")
        assert copy.exists()
    finally:
        shutil.rmtree(copy.parent)


@pytest.mark.jdks(17)
def test_the_copy_is_put_where_programs_may_be_run_from(lonely, classes, jdk, tmp_path):
    script = 'mount --bind "$1" /mnt && mount -t tmpfs -o noexec,mode=1777 none /tmp && cd / && exec "$0" -Xmx64m -cp /mnt Robust wait'
    with inner_java([*unshare("--mount"), "sh", "-c", script, jdk.tool("java"), str(classes)], tmp_path / "said") as pid:
        ask(lonely, "record", *OPTIONS, "-d", "300ms", "-o", tmp_path / "out.txt", pid)
        copy, = copies_of(pid)
        assert str(copy).startswith("/var/tmp/") and samples_of(tmp_path / "out.txt") >= 0
    shutil.rmtree(copy.parent)


def calls_of(text, method):
    return sum(int(calls) for calls in re.findall(rf"(\d+) \d+ ManyLoaded\$Copy\.{method}\n", text))


@pytest.mark.everyday(8)
@pytest.mark.jdks(8, 11)    # later VMs change all classes in one stop
def test_a_start_among_thousands_of_classes_answers(hprof, start_java, jdk):
    """Each class costs a stop: the JVM answers others meanwhile, and what was not reached is counted. At the end the file is not kept waiting until
    all have their own code back, and a recording that begins before that counts each call once."""
    java = start_java(jdk, None, "ManyLoaded", 6000, vm=["-Xmx256m"])
    java.wait_for_stdout("ready")
    for number in (1, 2):
        path = java.cwd / f"{number}.txt"
        answer, said = ask(hprof, "start", "-e", "times", "-O", "clock=none", "-O", "cutoff=0", "-o", path, java.pid)
        assert answer.startswith(f"start id={number} ") and re.search(r": \d{4} loaded classes are still to be changed, .*include=", said), said
        assert "JDK" in ask(hprof, "jcmd", java.pid, "VM.version")[0]
        assert int(re.search(r" classes_left=(\d+) ", ask(hprof, "status", java.pid)[0])[1]) > 0
        ask(hprof, "stop", java.pid)
        text = path.read_text()
        assert int(re.search(r"times_classes_waiting = (\d+)", text)[1]) > 0
        assert calls_of(text, "more") == pytest.approx(20 * calls_of(text, "work"), rel=0.01, abs=20)
    assert calls_of(text, "work") > 0
    assert java.said().count("had not been changed yet") == 2


@pytest.mark.jdks(8)    # later VMs have a sampler
def test_allocation_sites_among_thousands_of_classes_say_what_they_lack(hprof, start_java, jdk):
    java = start_java(jdk, None, "ManyLoaded", 6000, vm=["-Xmx256m"])
    java.wait_for_stdout("ready")
    path = java.cwd / "x.txt"
    said = ask(hprof, "start", "-O", "heap=sites", "-o", path, java.pid)[1]
    assert "loaded classes are still to be changed" in said
    ask(hprof, "stop", java.pid)
    left = int(re.search(r"sites_classes_waiting = (\d+)", path.read_text())[1])
    assert left > 0 and f"{left} classes that were loaded before had not been changed yet: their arrays are not counted" in java.said()
