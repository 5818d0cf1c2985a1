"""hprof ps and hprof jcmd: live JVMs found and asked, against jps and jcmd of the same JDK.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import zipfile

import pytest

from asking import AS_NOBODY, ask, inner_java, open_command, told, unshare, waiting  # noqa: F401
from conftest import Java, compile_library, wait_until
from robust import classes  # noqa: F401


def row(hprof, java):
    rows = json.loads(ask(hprof, "ps", "--json")[0])["jvms"]
    return next(jvm for jvm in rows if jvm["pid"] == java.pid)


def test_answers_are_those_of_jcmd(hprof, waiting, jdk):
    java = waiting(jdk, "-Dname=a value")
    for command in (["VM.version"], ["VM.flags"], ["VM.command_line"], ["help"], ["help", "Thread.print"], ["GC.run"], *([[]] if jdk.number > 8 else [])):
        assert ask(hprof, "jcmd", java.pid, *command)[0] == told(jdk, "jcmd", java.pid, *command), command
    assert java.process.poll() is None and java.err.read_text() == ""


def test_the_first_question_makes_the_socket_and_leaves_nothing_else(hprof, waiting, jdk):
    java = waiting(jdk)
    socket = pathlib.Path("/tmp/.java_pid%d" % java.pid)
    assert not socket.exists()
    assert "JDK" in ask(hprof, "jcmd", java.pid, "VM.version")[0]
    assert stat.S_ISSOCK(socket.stat().st_mode)
    socket.unlink()
    assert "JDK" in ask(hprof, "jcmd", java.pid, "VM.version")[0], "a socket that a cleaner has removed"
    assert not list(java.cwd.glob(".attach_pid*")) and "Full thread dump" not in java.said()


def test_what_the_jvm_refuses_is_said(hprof, waiting, jdk):
    java = waiting(jdk)
    _, said = ask(hprof, "jcmd", java.pid, "No.such_command", status=1)
    assert re.search(r"%d \(Robust\): the JVM says: .*Unknown diagnostic command" % java.pid, said)


@pytest.mark.jdks(17)
def test_a_file_of_commands(hprof, waiting, jdk, tmp_path):
    """Each is sent as if it were alone: no matter of the VM."""
    java, file = waiting(jdk), tmp_path / "commands"
    file.write_text("# what it is\nVM.version\n\n  No.such_command\nVM.uptime\nstop\nVM.flags\n")
    each = ask(hprof, "jcmd", java.pid, "VM.version")[0]
    for words in (["-f", file, java.pid], [java.pid, "-f", file]):
        text, said = ask(hprof, "jcmd", *words, status=1)
        assert text.startswith(each) and re.fullmatch(r"(?s)(%d:\n.*?){3}" % java.pid, text) and text.endswith(" s\n")
        assert said.count("Unknown diagnostic command") == 1 and "-XX" not in text
    assert "no JVM named" in ask(hprof, "jcmd", "-f", file, status=2)[1]
    assert "not from both" in ask(hprof, "jcmd", "-f", file, java.pid, "VM.version", status=2)[1]


@pytest.mark.jdks(8, 17, "newest")
def test_long_commands(hprof, waiting, jdk):
    """1024 bytes is what the old protocol has room for; the new one has more."""
    java = waiting(jdk)
    long = "No.such_command " + "x" * 3000
    _, said = ask(hprof, "jcmd", java.pid, *long.split(), status=1)
    assert ("too long" in said) == (jdk.number < 24) and ("Unknown diagnostic command" in said) == (jdk.number >= 24)


def test_counters_are_those_of_jcmd(hprof, waiting, jdk):
    java = waiting(jdk)
    ours = ask(hprof, "jcmd", java.pid, "PerfCounter.print")[0].splitlines()
    theirs = told(jdk, "jcmd", java.pid, "PerfCounter.print").splitlines()
    def names(lines):
        return [line.partition("=")[0] for line in lines]
    assert names(ours) == names(theirs)
    text = re.compile(r'(java|sun)\.(property|rt)\.\w.*="')
    assert [line for line in ours if text.match(line)] == [line for line in theirs if text.match(line)]


@pytest.mark.everyday(17)
def test_the_list_is_that_of_jps(hprof, waiting, jdk):
    java = waiting(jdk, "-Dname=value")
    for flags in ("", "-l", "-lm", "-lmv", "-q"):
        line = next(line for line in told(jdk, "jps", *flags.split()).splitlines() if line.split()[0] == str(java.pid))
        assert line in ask(hprof, "ps", "--jps", *flags.split())[0].splitlines()
    watching = subprocess.Popen([hprof, "top", "-b", "-d", "50ms", str(java.pid)], stdout=subprocess.PIPE)
    try:
        watching.stdout.readline()     # it has read the VM's library by now, but has not loaded it
        assert watching.pid not in [jvm["pid"] for jvm in json.loads(ask(hprof, "ps", "--json")[0])["jvms"]]
    finally:
        watching.kill()
        watching.communicate()
    found = row(hprof, java)
    assert (found["main"], found["arguments"], found["uid"], found["inner_pid"]) == ("Robust", "wait", os.geteuid(), java.pid)
    assert found["jdk"].startswith("1.8" if jdk.number == 8 else str(jdk.number)) and found["counters"]


@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("flag", ["-XX:+PerfDisableSharedMem", "-XX:-UsePerfData"])
def test_a_jvm_without_a_file_of_counters_is_found(hprof, waiting, jdk, flag):
    java = waiting(jdk, flag)
    found = row(hprof, java)
    assert (found["main"], found["arguments"], found["counters"]) == ("Robust", "wait", False)
    # Some builds of JDK 8 have no file that says it.
    assert (found["jdk"] or "1.8").startswith("1.8" if jdk.number == 8 else str(jdk.number))
    if flag == "-XX:+PerfDisableSharedMem":
        assert 'sun.rt.javaCommand="Robust wait"' in ask(hprof, "jcmd", java.pid, "PerfCounter.print")[0]
    else:
        assert "-XX:-UsePerfData" in ask(hprof, "jcmd", java.pid, "PerfCounter.print", status=1)[1]


@pytest.mark.jdks(17)
def test_a_name_that_two_have_is_refused_with_both(hprof, classes, jdk, tmp_path):
    """How targets are chosen is no matter of the VM. Other tests have JVMs, too, so these have a name of their own."""
    jar = tmp_path / ("Named%d.jar" % os.getpid())
    with zipfile.ZipFile(jar, "w") as made:
        made.writestr("META-INF/MANIFEST.MF", "Main-Class: Robust\n")
        for path in classes.glob("Robust*.class"):
            made.write(path, path.name)
    both = [Java([jdk.tool("java"), "-Xmx64m", "-jar", str(jar), "wait"], tmp_path / name) for name in ("one", "two")]
    try:
        for java in both:
            java.wait_for_stdout("running")
        part = jar.name.lower()[:-3]
        _, said = ask(hprof, "jcmd", part, "VM.version", status=2)
        assert all("%d (%s)" % (java.pid, jar.name) in said for java in both)
        assert "no JVM is called" in ask(hprof, "jcmd", "NoSuchClass", "VM.version", status=1)[1]
        assert all("%d (%s)" % (java.pid, jar.name) in ask(hprof, "stack", part, status=1)[1] for java in both)
        both[1].process.kill()
        both[1].process.wait()
        assert "at Robust." in ask(hprof, "stack", part)[0]
        text = ask(hprof, "jcmd", part, "VM.version")[0]
        assert text.startswith("%d:\n" % both[0].pid) and "JDK" in text
        assert row(hprof, both[0])["main"] == str(jar)
    finally:
        for java in both:
            java.process.kill()
            java.process.wait()


@pytest.mark.jdks(17)
def test_a_dead_jvms_socket_and_a_strangers(hprof, waiting, jdk, tmp_path):
    """Of a socket the kernel tells whose it is: no matter of the VM."""
    java = waiting(jdk)
    socket = pathlib.Path("/tmp/.java_pid%d" % java.pid)
    code = "import socket,sys,time; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); print('up',flush=True); time.sleep(600)"
    stranger = subprocess.Popen(["python3", "-c", code, str(socket)], stdout=subprocess.PIPE)
    try:
        assert stranger.stdout.readline() == b"up\n"
        assert "belongs to somebody else" in ask(hprof, "jcmd", java.pid, "VM.version", status=1)[1]
    finally:
        stranger.kill()
        stranger.wait()
        stranger.stdout.close()
    assert "JDK" in ask(hprof, "jcmd", java.pid, "VM.version")[0], "nobody listens at it any more"


def failing(java, hprof, *words):
    _, said = ask(hprof, "jcmd", java.pid, "VM.version", status=1)
    assert all(word in said for word in words), said
    assert "Full thread dump" not in java.said() and java.process.poll() is None


def test_a_jvm_that_cannot_be_attached_to_is_left_in_peace(hprof, waiting, jdk):
    failing(waiting(jdk, "-XX:+DisableAttachMechanism"), hprof, "-XX:+DisableAttachMechanism")


@pytest.mark.jdks(17)
def test_without_counters_how_it_was_started_tells(hprof, waiting, jdk):
    """/proc has the command line and the environment, whatever the VM."""
    off, on = "-XX:+DisableAttachMechanism", "-XX:-DisableAttachMechanism"
    failing(waiting(jdk, "-XX:-UsePerfData", on, off), hprof, off)
    failing(waiting(jdk, "-XX:-UsePerfData", env={"JAVA_TOOL_OPTIONS": "-Dx=y " + off}), hprof, off)
    assert "JDK" in ask(hprof, "jcmd", waiting(jdk, "-XX:-UsePerfData", on, env={"JAVA_TOOL_OPTIONS": off}).pid, "VM.version")[0]


@pytest.mark.jdks(8, "newest")
def test_reduced_signals(hprof, waiting, jdk):
    java = waiting(jdk, "-Xrs")
    assert "JDK" in ask(hprof, "jcmd", java.pid, "VM.version")[0], "it has its socket from the start"
    pathlib.Path("/tmp/.java_pid%d" % java.pid).unlink()
    failing(java, hprof, "-Xrs")


@pytest.mark.jdks(17)
def test_a_stopped_jvm(hprof, waiting, jdk):
    java = waiting(jdk)
    java.signal(signal.SIGSTOP)
    status = pathlib.Path("/proc/%d/status" % java.pid)
    wait_until(lambda: re.search(r"State:\s+T", status.read_text()), "stop")
    failing(java, hprof, "is stopped")
    java.signal(signal.SIGCONT)


@pytest.mark.everyday(17)
@pytest.mark.jdks(17)
def test_no_jvm_is_never_sent_a_signal(hprof, tmp_path):
    sleeper = subprocess.Popen(["sleep", "600"])
    try:
        _, said = ask(hprof, "jcmd", sleeper.pid, "VM.version", status=1)
        assert "libjvm.so" in said and sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()
    assert "no such process" in ask(hprof, "jcmd", sleeper.pid, "VM.version", status=1)[1]


@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("spaces", ["--pid --mount --mount-proc", "--user --map-root-user --pid --mount --mount-proc", "--net"])
def test_jvms_in_namespaces(hprof, classes, jdk, tmp_path, spaces):
    """Pid 1 of its own namespace, with a /tmp of its own; mapped to another user; without a network."""
    script = 'exec "$0" -Xmx64m -cp "$1" Robust wait'
    if "--mount" in spaces:    # what lies below our /tmp is mounted where the JVM finds it
        script = 'mount --bind "$1" /mnt && mount -t tmpfs none /tmp && cd / && exec "$0" -Xmx64m -cp /mnt Robust wait'
    with inner_java([*unshare(*spaces.split()), "sh", "-c", script, jdk.tool("java"), str(classes)], tmp_path / "out") as pid:
        found = next(jvm for jvm in json.loads(ask(hprof, "ps", "--json")[0])["jvms"] if jvm["pid"] == pid)
        assert found["main"] == "Robust" and found["inner_pid"] == (1 if "--pid" in spaces else pid)
        for _ in range(2):
            assert "JDK" in ask(hprof, "jcmd", pid, "VM.version")[0]


@pytest.mark.jdks(17)
def test_a_jvm_below_another_root(hprof, agent, classes, jdk, tmp_path):
    """The kernel shows its files by our root folder; they are named by its own. No matter of the VM."""
    if os.geteuid() != 0:
        pytest.skip("takes root")
    jail, real = tmp_path / "jail", os.path.realpath(jdk.home)
    folders = [*(folder for folder in ("/usr", "/lib", "/lib64", "/etc", "/proc") if os.path.isdir(folder)), real]
    script = "".join('mkdir -p "%s%s" && mount --rbind "%s" "%s%s" && ' % (jail, folder, folder, jail, folder) for folder in folders)
    script += 'cp "%s"/Robust*.class "%s" && mkdir "%s/tmp" && ' % (classes, jail, jail)
    script += 'exec chroot "%s" "%s/bin/java" -Xmx64m -cp / Robust wait' % (jail, real)
    with inner_java([*unshare("--mount"), "sh", "-c", script], tmp_path / "out") as pid:
        found = next(jvm for jvm in json.loads(ask(hprof, "ps", "--json")[0])["jvms"] if jvm["pid"] == pid)
        assert found["libjvm"] == real + "/lib/server/libjvm.so" and found["jdk"].startswith("17")
        assert "JDK" in ask(hprof, "jcmd", pid, "VM.version")[0]
        for _ in range(2):    # the second time the library is found by what is mapped
            ask(hprof, "record", "-d", "300ms", "--agent", agent, "-o", tmp_path / "out.jfr", pid)
        assert ask(hprof, "status", pid)[0].startswith("status version=")
        named = ask(hprof, "dump-heap", pid, "/heap.hprof")[0].partition(": ")[0]
        assert named == "/proc/%d/root/heap.hprof" % pid and os.path.samefile(named, jail / "heap.hprof")


@pytest.mark.jdks(17)
def test_a_jvm_whose_first_thread_has_ended(hprof, waiting, jdk, tmp_path_factory):
    """As of a program that made its JVM there. /proc shows such a process as a zombie without memory and root."""
    java = waiting(jdk, env={"LD_PRELOAD": str(compile_library(tmp_path_factory, "leaver"))})
    status = pathlib.Path("/proc/%d/status" % java.pid)
    java.wait_for(lambda: re.search(r"State:\s+Z", status.read_text()), "end of the first thread")
    assert row(hprof, java)["main"] == "Robust"
    assert "verdict:  it can be asked" in ask(hprof, "why", java.pid)[0]
    for _ in range(2):
        assert "JDK" in ask(hprof, "jcmd", java.pid, "VM.version")[0]


HOSTILE = """
import mmap, os, socket
with open("lib/server/libjvm.so", "rb") as file:
    mapped = mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
listener = socket.socket(socket.AF_UNIX)
listener.bind("/tmp/.java_pid%d" % os.getpid())
listener.listen()
print("up", flush=True)
while True:
    try:
        taken = listener.accept()[0]
        asked = taken.recv(100)
        if b"getversion" in asked:
            taken.sendall(b"-1\\n")
            taken.close()
            continue
        if b"silent" in asked:    # it has the question, and says no more
            held = taken
            continue
        while True:
            taken.sendall(b"0\\n" + bytes(1 << 20))
    except OSError:
        pass
"""


@pytest.mark.everyday(17)
@pytest.mark.jdks(17)
def test_what_looks_like_a_jvm_may_be_hostile(hprof, tmp_path):
    """A process with a file called libjvm.so, whose version drives terminals, and whose answers do not end."""
    (tmp_path / "lib/server").mkdir(parents=True)
    (tmp_path / "lib/server/libjvm.so").write_text("no library")
    (tmp_path / "release").write_text('JAVA_VERSION="\x1b]0;mine\x07"\n')
    with subprocess.Popen(["python3", "-c", HOSTILE], cwd=str(tmp_path), stdout=subprocess.PIPE) as hostile:
        try:
            assert hostile.stdout.readline() == b"up\n"
            listed = ask(hprof, "ps")[0]
            assert re.search(r"(?m)^ *%d .* \?]0;mine\? " % hostile.pid, listed) and "\x1b" not in listed
            for command in ("jcmd", "load"):    # not the hour that a dump may take
                said = ask(hprof, command, "--timeout", "1.5s", hostile.pid, "silent", status=1)[1]
                assert "did not answer in time" in said
            assert "longer than 256 MB" in ask(hprof, "jcmd", hostile.pid, "VM.version", status=1)[1]
        finally:
            hostile.kill()
            pathlib.Path("/tmp/.java_pid%d" % hostile.pid).unlink()


BUSY = """
import mmap, signal
with open("libjvm.so", "rb") as file:
    mapped = mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
signal.signal(signal.SIGQUIT, lambda number, frame: None)
print("up", flush=True)
while True:
    signal.pause()
"""


@pytest.mark.everyday(17)
@pytest.mark.jdks(17)
def test_a_question_that_was_not_taken_is_said_to_come_later(hprof, tmp_path):
    """A JVM that is too busy to make its socket prints its threads when it comes to the signal."""
    (tmp_path / "libjvm.so").write_text("no library")
    with subprocess.Popen(["python3", "-c", BUSY], cwd=str(tmp_path), stdout=subprocess.PIPE) as busy:
        try:
            assert busy.stdout.readline() == b"up\n"
            said = ask(hprof, "jcmd", "--timeout", "300ms", busy.pid, "VM.version", status=1)[1]
            assert "did not open its socket in time" in said and "may print its threads on its own standard output" in said
        finally:
            busy.kill()


@pytest.mark.jdks(8, "newest")
def test_root_acts_as_the_user_of_the_jvm(hprof, classes, jdk, tmp_path, open_command):
    """JDK 8 trusts its own user alone. Its files, which only we may read, are mounted where that user may."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("takes root, and setpriv")
    shown, out = tmp_path / "classes", tmp_path / "out"
    shutil.copytree(classes, shown)
    shown.chmod(0o755)
    # A JDK below a folder that its user cannot enter is shown at its path all the same.
    script = 'mount --bind "$1" /mnt && mount --bind "$2" /media && '
    closed = next((folder for folder in reversed(pathlib.Path(jdk.home).parents) if not folder.stat().st_mode & stat.S_IXOTH), None)
    if closed:
        script += 'mount -t tmpfs -o mode=755 none "$3" && mkdir -p -m 755 "$1" && mount --bind /mnt "$1" && '
    script += 'cd / && exec %s "$1/bin/java" -Xmx64m -cp /media Robust wait' % AS_NOBODY
    with inner_java([*unshare("--mount"), "sh", "-c", "umask 022; " + script, "sh", jdk.home, str(shown), str(closed)], out) as pid:
        for _ in range(2):
            assert "JDK" in ask(hprof, "jcmd", pid, "VM.version")[0]
        assert pathlib.Path("/tmp/.java_pid%d" % pid).stat().st_uid == 65534
        _, said = ask(open_command, "jcmd", pid, "VM.version", status=1,
                      before=["setpriv", "--reuid=65533", "--regid=65533", "--clear-groups"])
        assert "not permitted" in said
        assert "Full thread dump" not in out.read_text()
