"""The profile's file is made anew: nothing is written through a link or into what others have, and descriptors are
taken as they are.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import resource
import socket
import stat
import subprocess
import threading
import time

import hprof_heap
import pytest
from conftest import JDKS, TIMEOUT_S, clean_environment, one_jdk, wait_until

OLD = b"what was there\n"
pytestmark = pytest.mark.jdks(8, "newest")  # no rule of files depends on a JDK; that the agent starts so early does


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "run"
    made.mkdir()
    return made


def mode_of(path):
    return stat.S_IMODE(path.lstat().st_mode)


def is_profile(path):
    return stat.S_ISREG(path.lstat().st_mode) and path.read_bytes().startswith(b"JAVA PROFILE 1.0")


@one_jdk
@pytest.mark.parametrize("options", ["cpu=samples", "heap=dump,format=b"], ids=["samples", "dump"])
def test_a_link_is_replaced_and_never_followed(jdk, options, run_java, folder):
    (folder / "victim").write_bytes(OLD)
    (folder / "out").symlink_to("victim")
    os.link(str(folder / "victim"), str(folder / "other"))
    ended = run_java(jdk, options + ",file=out", "Hello", cwd=folder)
    assert (ended.rc, ended.stdout) == (0, "Hello\n"), ended.stderr
    assert (folder / "victim").read_bytes() == OLD and is_profile(folder / "out")
    ended = run_java(jdk, options + ",file=other", "Hello", cwd=folder)
    assert (folder / "victim").read_bytes() == OLD and is_profile(folder / "other"), ended.stderr


@one_jdk
def test_with_force_n_the_second_name_is_made_anew_too(jdk, agent, classes, folder):
    (folder / "victim").write_bytes(OLD)
    (folder / "out").write_bytes(OLD)
    script = 'ln -s victim out.$$.txt; exec %s -agentpath:%s=cpu=samples,force=n,file=out -cp %s Hello' % (
        jdk.tool("java"), agent, classes)
    shell = subprocess.Popen(["sh", "-c", script], cwd=str(folder), stdin=subprocess.DEVNULL, env=clean_environment(),
                             stdout=subprocess.DEVNULL)
    assert shell.wait(TIMEOUT_S) == 0
    assert (folder / "victim").read_bytes() == OLD and (folder / "out").read_bytes() == OLD
    assert is_profile(folder / ("out.%d.txt" % shell.pid))


@one_jdk
def test_a_heap_dump_is_for_its_owner(jdk, run_java, folder):
    (folder / "dump").write_bytes(OLD)
    (folder / "dump").chmod(0o666)
    run_java(jdk, "heap=dump,format=b,file=dump", "Hello", cwd=folder)
    run_java(jdk, "cpu=samples,file=samples", "Hello", cwd=folder)
    assert (mode_of(folder / "dump"), mode_of(folder / "samples")) == (0o600, 0o644 & ~current_umask())


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


@one_jdk
def test_the_name_of_an_unfinished_dump_may_be_taken(jdk, run_java, folder):
    (folder / "out.TMP").write_bytes(OLD)
    ended = run_java(jdk, "heap=dump,format=b,file=out", "Hello", cwd=folder)
    assert ended.files == ["out", "out.TMP"], ended.stderr
    assert (folder / "out.TMP").read_bytes() == OLD
    heap = hprof_heap.Heap((folder / "out").read_bytes())
    heap.check()
    assert heap.dump_count == 1


@pytest.mark.parametrize("name, how, options", [("/dev/stdout", ">", "cpu=samples"), ("/dev/fd/1", ">>", "heap=dump"),
                                                ("/proc/self/fd/1", ">>", "cpu=samples")],
                         ids=["stdout", "fd", "proc"])
def test_the_programs_output_stays_where_it_is(jdk, name, how, options, agent, classes, folder):
    (folder / "out").write_bytes(OLD)
    script = "{ echo first; %s -agentpath:%s=%s,force=n,file=%s -cp %s Hello; echo last; } %s out" % (
        jdk.tool("java"), agent, options, name, classes, how)
    shell = subprocess.run(["sh", "-c", script], cwd=str(folder), stdin=subprocess.DEVNULL, env=clean_environment(),
                           check=True, timeout=TIMEOUT_S, stderr=subprocess.PIPE)
    text = (folder / "out").read_bytes()
    begin = OLD + b"first\n" if how == ">>" else b"first\n"
    # The file has a thread of its own: the program may say something before that begins.
    assert text.startswith(begin) and b"\nJAVA PROFILE 1.0.1, created " in text, shell.stderr
    assert text.endswith(b"last\n") and text.count(b"\nHello\n") == 1 and b"\0" not in text
    assert (b"CPU SAMPLES BEGIN" if options == "cpu=samples" else b"HEAP DUMP END") in text
    assert sorted(os.listdir(str(folder))) == ["out"]


@one_jdk
def test_a_descriptor_that_cannot_be_written(jdk, agent, classes, folder):
    script = "exec %s -agentpath:%s=cpu=samples,file=/dev/stdin -cp %s Hello </dev/null" % (jdk.tool("java"), agent,
                                                                                         classes)
    shell = subprocess.run(["sh", "-c", script], cwd=str(folder), env=clean_environment(), check=False, text=True,
                           timeout=TIMEOUT_S, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert shell.returncode == 1 and "/dev/stdin (that descriptor is not open for writing)" in shell.stderr


def test_a_fifo_that_nobody_reads_does_not_hold_the_jvm_for_ever(run_java, folder):
    os.mkfifo(str(folder / "fifo"))
    ended = run_java(JDKS[max(JDKS)], "cpu=samples,file=fifo", "Hello", cwd=folder)
    assert ended.rc == 1 and "can't create profile file: fifo (nobody reads this FIFO)" in ended.stderr


@one_jdk
def test_a_fifo_gets_the_profile(jdk, run_java, folder):
    os.mkfifo(str(folder / "fifo"))
    got = []
    reader = threading.Thread(target=lambda: got.append((folder / "fifo").read_bytes()), daemon=True)
    reader.start()
    ended = run_java(jdk, "cpu=samples,file=fifo,force=n", "Hello", cwd=folder)
    reader.join()
    assert ended.rc == 0 and got[0].startswith(b"JAVA PROFILE 1.0.1, created "), ended.stderr
    assert ended.files == ["fifo"]


@pytest.fixture
def mount(folder):
    """mount(owner): folder/out, a file of that user that is mounted over and so cannot be unlinked."""
    source, mounts = folder.with_name("mounted"), []

    def make(owner):
        source.write_bytes(OLD)
        (folder / "out").write_bytes(b"")
        mounted = subprocess.run(["mount", "--bind", str(source), str(folder / "out")], stdin=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, check=False, timeout=TIMEOUT_S)
        if mounted.returncode != 0:
            pytest.skip("nothing can be mounted here: run as root")
        mounts.append(str(folder / "out"))
        os.chown(str(source), owner, -1)
        return source

    yield make
    for path in mounts:
        subprocess.run(["umount", path], check=True, timeout=TIMEOUT_S)


@one_jdk
def test_a_mounted_file_is_emptied_if_it_is_ones_own(jdk, run_java, folder, mount):
    source = mount(os.geteuid())
    ended = run_java(jdk, "heap=dump,format=b,file=out", "Hello", cwd=folder)
    assert (ended.rc, ended.files) == (0, ["out"]), ended.stderr
    heap = hprof_heap.Heap(source.read_bytes())
    heap.check()
    assert heap.dump_count == 1 and mode_of(source) == 0o600


@one_jdk
def test_a_mounted_file_of_somebody_else_is_not_written(jdk, run_java, folder, mount):
    source = mount(65534)
    ended = run_java(jdk, "cpu=samples,file=out", "Hello", cwd=folder)
    assert ended.rc == 1 and "can't create profile file: out (it is another user's file)" in ended.stderr
    assert source.read_bytes() == OLD


class Lines:
    """The other end of a standard error on which each write arrives as one piece."""

    def __init__(self):
        self.ours, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.ours.settimeout(TIMEOUT_S)
        self.pieces = []
        self.thread = threading.Thread(target=self.take, daemon=True)
        self.thread.start()

    def take(self):
        while True:
            piece = self.ours.recv(1 << 16)
            if not piece:
                return
            self.pieces.append(piece.decode())

    def end(self):
        self.theirs.close()
        self.thread.join(TIMEOUT_S)
        self.ours.close()
        return self.pieces


@one_jdk
def test_each_line_of_the_agent_is_one_write(jdk, agent, classes, folder):
    lines = Lines()
    argv = [jdk.tool("java"), "-agentpath:%s=cpu=samples,heap=all,monitor=y,include=x" % agent, "-cp", str(classes),
            "Hello"]
    subprocess.run(argv, cwd=str(folder), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=lines.theirs,
                   env=clean_environment(), check=True, timeout=TIMEOUT_S)
    pieces = lines.end()
    assert all(piece.count("\n") == 1 and piece.endswith("\n") for piece in pieces), pieces
    dumped, = [piece for piece in pieces if piece.startswith("Dumping ")]
    assert "allocation sites ..." in dumped and "CPU usage" in dumped
    assert sum(piece.startswith("HPROF: ") for piece in pieces) >= 2


@one_jdk
def test_each_line_of_the_command_is_one_write(hprof, jdk, classes, folder):
    lines = Lines()
    argv = [hprof, "run", "-o", "out.txt", "--", jdk.tool("java"), "-cp", str(classes), "Hello"]
    (folder / "out.txt").write_bytes(OLD)
    subprocess.run(argv, cwd=str(folder), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=lines.theirs,
                   env=clean_environment(), check=True, timeout=TIMEOUT_S)
    pieces = lines.end()
    first, = [i for i, piece in enumerate(pieces) if piece.startswith("hprof: process ")]  # the JVM has ended
    assert pieces[0].startswith("hprof: run: 'out.txt' was there already") and pieces[0].endswith("'out.txt.old'\n")
    assert len(pieces) > first + 1 and all(piece.endswith("\n") for piece in pieces[first:]), pieces


CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\u061c]")


@pytest.mark.parametrize("options", ["cpu=samples,interval=1ms,thread=y", "cpu=samples,thread=y,format=b", "heap=all"],
                         ids=["text", "binary", "heap"])
def test_names_drive_no_terminal(jdk, options, hprof, start_java, folder):
    java = start_java(jdk, options + ",depth=8,file=out", "OddNames", cwd=folder)
    java.wait_for_stdout("running")
    java.wait_for_cpu(0.5)
    stack = subprocess.run([hprof, "stack", str(java.pid)], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=TIMEOUT_S, check=True).stdout.decode()
    (folder / "stop").touch()
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    report = subprocess.run([hprof, "report", "--traces", "3", "out"], cwd=str(folder), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False).stdout.decode()
    assert '"odd?[2J?31m?? \u20ac"' in stack
    assert not CONTROLS.search(stack) and not CONTROLS.search(report)
    assert "heap" in options or "odd?[2J?31m?? \u20ac" in report
    if "format=b" not in options:
        assert not CONTROLS.search(ended.text("out")) and 'name="odd?[2J?31m?? \u20ac"' in ended.text("out")


def test_listen_without_a_descriptor_waits_for_one(hprof, folder):
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))
    with open(str(folder / "said"), "wb") as said:
        server = subprocess.Popen([hprof, "listen", "--keep", "127.0.0.1:0"], cwd=str(folder), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=said, preexec_fn=limit)
    try:
        wait_until((lambda: b"waiting for agents at" in (folder / "said").read_bytes()), "a port")
        port = int((folder / "said").read_text().split()[-1].rpartition(":")[2])
        peers = [socket.create_connection(("127.0.0.1", port)) for _ in range(12)]
        wait_until((lambda: "no agent can connect for now" in (folder / "said").read_text()), "the limit")
        before = cpu_ticks(server.pid)
        time.sleep(1)
        assert cpu_ticks(server.pid) - before < 20, "a loop that does not wait uses all of that second"
        assert (folder / "said").read_text().count("no agent can connect") == 1
        for peer in peers:
            peer.close()
        wait_until((lambda: (folder / "said").read_text().count("has connected") == 12), "the others")
    finally:
        server.kill()
        server.wait()


def cpu_ticks(pid):
    """Its CPU time, in hundredths of a second."""
    fields = pathlib.Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


@one_jdk
def test_duration_of_a_run(hprof, jdk, classes, tmp_path):
    """The file is finished while the program goes on."""
    out, log = tmp_path / "out.txt", tmp_path / "log"
    with open(log, "wb") as said:
        run = subprocess.Popen([hprof, "run", "-q", "--duration", "500ms", "-o", str(out), "--", jdk.tool("java"), "-cp", str(classes), "Fires", "wait:1"],
                               stdout=said, stderr=said, env=clean_environment(), cwd=str(tmp_path))
    try:
        wait_until(lambda: out.exists() and "CPU SAMPLES END" in out.read_text(), "the end of the recording", lambda: run.poll() is not None, log.read_text)
        assert run.poll() is None
        (tmp_path / "go1").touch()
        assert run.wait(timeout=TIMEOUT_S) == 0
        assert out.read_text().count("CPU SAMPLES END") == 1
    finally:
        run.kill()
        run.wait()
