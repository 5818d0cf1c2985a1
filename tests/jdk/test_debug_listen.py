"""hprof debug --listen: jdb, and a client of JDI that writes down all it sees, at a core and at a JVM that is held, against the same
client at the JDK's own debugging agent.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import os
import pathlib
import re
import resource
import socket
import struct
import subprocess
import time

import pytest

from asking import ask
from conftest import HERE, TIMEOUT_S, Java, clean_environment, compiler, old_and_new, one_jdk, wait_until
from cores import dump_core
from kept import made_once
from test_heapdump import PARALLEL, SERIAL, SHENANDOAH, ZGC, has_collector

VERSION, ID_SIZES, ALL_THREADS, DISPOSE, SUSPEND, RESUME = (1, 1), (1, 7), (1, 4), (1, 6), (1, 8), (1, 9)
COLLECTORS = {"serial": [SERIAL], "parallel": [PARALLEL], "shenandoah": SHENANDOAH, "z": ZGC, "wide": ["-XX:-UseCompressedOops"]}
NOT_IMPLEMENTED, INVALID_OBJECT, ILLEGAL_ARGUMENT = 99, 20, 103


def compiled(tmp_path_factory, name, jdk, *flags):
    sources = sorted((HERE / name).glob("*.java"))
    return made_once(sources, lambda into: [jdk.tool("javac"), "-nowarn", "-g", "-encoding", "UTF-8", "-d", into, *flags] +
                     [str(source) for source in sources], tmp_path_factory.mktemp("classes"), clean_environment())


@pytest.fixture(scope="session")
def shown(tmp_path_factory):
    """The program that is looked at, with its variables."""
    oldest = compiler(8)
    return compiled(tmp_path_factory, "programs_debugged", oldest, *([] if oldest.number == 8 else ["--release", "8"]))


@pytest.fixture(scope="session")
def walker(tmp_path_factory):
    """walker(port, path, ...): what the client of JDI writes down there."""
    jdk = compiler(17)
    folder = compiled(tmp_path_factory, "programs_debugger", jdk)

    def walk(port, path, *args):
        done = subprocess.run([jdk.tool("java"), "-cp", str(folder), "Walk", str(port), str(path), *args], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S, env=clean_environment(), check=False)
        assert done.returncode == 0, done.stdout
        return path.read_text(encoding="utf-8")
    return walk


@pytest.fixture
def start(shown, tmp_path):
    """start(jdk, *vm, program="Shown"): the program, when all its threads stand."""
    started = []
    limits = resource.getrlimit(resource.RLIMIT_CORE)

    def begin(jdk, *vm, program="Shown"):
        resource.setrlimit(resource.RLIMIT_CORE, (limits[1], limits[1]))
        java = Java([jdk.tool("java"), "-Xmx64m", "-XX:ErrorFile=/dev/null", *vm, "-cp", str(shown), program], tmp_path / ("run%d" % len(started)))
        resource.setrlimit(resource.RLIMIT_CORE, limits)
        started.append(java)
        java.wait_for_stdout("ready")
        return java
    yield begin
    for java in started:
        if java.process.poll() is None:
            java.process.kill()
            java.process.wait()


@contextlib.contextmanager
def listening(hprof, *args, folder):
    """The port of a command that listens, and the command itself."""
    said = folder / "listening"
    with open(said, "wb") as out:
        process = subprocess.Popen([hprof, "debug", "--listen", "127.0.0.1:0", *map(str, args)], stdout=subprocess.PIPE, stderr=out, text=True)
    try:
        line = process.stdout.readline()
        assert re.fullmatch(r"127\.0\.0\.1:\d+\n", line), said.read_text()
        process.said = said.read_text
        yield int(line.rsplit(":", 1)[1]), process
    finally:
        process.terminate()
        process.wait(TIMEOUT_S)
        process.stdout.close()


class Wire:
    """A debugger by hand."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)
        self.socket.sendall(b"JDWP-Handshake")
        self.greeting = self.socket.recv(14)
        self.number = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def take(self, count):
        taken = b""
        while len(taken) < count:
            piece = self.socket.recv(count - len(taken))
            if not piece:
                raise EOFError
            taken += piece
        return taken

    def ask(self, command, data=b""):
        """The error and the data of the reply."""
        self.number += 1
        self.socket.sendall(struct.pack(">IIBBB", 11 + len(data), self.number, 0, *command) + data)
        length, number, flags, error = struct.unpack(">IIBH", self.take(11))
        assert number == self.number and flags == 0x80
        return error, self.take(length - 11)

    def ask_well(self, command, data=b""):
        error, answer = self.ask(command, data)
        assert error == 0, (command, error)
        return answer

    def threads(self):
        answer = self.ask_well(ALL_THREADS)
        return struct.unpack(">%dQ" % struct.unpack(">I", answer[:4]), answer[4:])


def with_agent(jdk, start, walker, path, *vm):
    """The program under the JDK's own agent, which stays, and what the client sees of it there."""
    java = start(jdk, "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=%s" % ("0" if jdk.number == 8 else "127.0.0.1:0"), *vm)
    port = int(re.search(r"Listening for transport dt_socket at address: (?:\S+:)?(\d+)", java.out.read_text())[1])
    return java, walker(port, path)


def parts(text):
    """The lines of a walk by their part; the types by name."""
    found, types, current = {}, {}, None
    for line in text.splitlines():
        if not line.startswith(" "):
            current = found.setdefault(line.split(" ")[0], [])
        elif line.startswith("  type "):
            current = types.setdefault(line.split()[1], [])
        current.append(line)
    return found, types


def assert_same(ours, theirs):
    """Of the types those are compared that both have: the client's own questions load more."""
    (mine, my_types), (its, its_types) = parts(ours), parts(theirs)
    for part in its:
        assert mine[part] == its[part], part
    both = set(my_types) & set(its_types)
    assert len(both) > 300 and len(both) > 0.95 * len(its_types)
    for name in sorted(both):
        assert my_types[name] == its_types[name], name
    assert {name for name in its_types if name.startswith("LShown")} <= both


def core_of(java):
    """The core of a program that stood; the program ends."""
    pathlib.Path("/proc/%d/coredump_filter" % java.pid).write_text("0x3f")
    core = dump_core(java, java.cwd)
    if core is None:
        pytest.skip("the kernel writes no core into the folder: see /proc/sys/kernel/core_pattern, ulimit -c")
    return core


@old_and_new
@pytest.mark.parametrize("where", ["core", "process"])
def test_a_client_sees_what_it_sees_under_the_agent_of_the_jdk(jdk, hprof, start, walker, tmp_path, where):
    """The same process: first its agent is asked, then its core, or itself when it is held."""
    java, theirs = with_agent(jdk, start, walker, tmp_path / "theirs", "-Xint")
    args = [core_of(java)] if where == "core" else ["--stop", "--max-stop", "none", java.pid]
    with listening(hprof, *args, folder=tmp_path) as (port, command):
        ours = walker(port, tmp_path / "ours")
        if where == "process":
            assert command.wait(TIMEOUT_S) == 0
            assert "will stand still as long as a debugger is connected, without a bound" in command.said() and "stood still for" in command.said()
    assert_same(ours, theirs)


@pytest.mark.everyday(25)
@pytest.mark.parametrize("collector", COLLECTORS)
def test_with_each_collector_it_sees_the_same(jdk, hprof, start, walker, tmp_path, collector):
    options = COLLECTORS[collector]
    if not has_collector(jdk, options):
        pytest.skip("%s has no %s" % (jdk.id, collector))
    java, theirs = with_agent(jdk, start, walker, tmp_path / "theirs", "-Xint", *options)
    if jdk.number < 17 and collector in ("shenandoah", "z"):
        # Their heaps are not read, and the debugger is told that it cannot ask for instances and referrers.
        theirs = re.sub(r"(?m)^    instances \d+\n", "", re.sub(r"(?ms)^referrers\n.*?(?=^end$)", "", theirs))
    with listening(hprof, "--stop", "--max-stop", "none", java.pid, folder=tmp_path) as (port, _):
        assert_same(walker(port, tmp_path / "ours"), theirs)


# The program's own methods alone are compiled, and at once.
COMPILED = ["-Xcomp", "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,Shown.*", "-XX:CompileCommand=compileonly,Shown$*.*",
            "-XX:CompileCommand=dontinline,Shown.outer"]
COMPILERS = {"c1": ["-XX:TieredStopAtLevel=1"], "c2": ["-XX:-TieredCompilation"]}


@pytest.mark.everyday("oldest", 25)
@pytest.mark.parametrize("compiler_of", COMPILERS)
@pytest.mark.parametrize("more", [(), ("-XX:-UseCompressedOops",)], ids=["", "wide"])
def test_variables_of_compiled_frames_are_those_that_the_jdk_sees(jdk, hprof, start, walker, tmp_path, compiler_of, more):
    """Beside the JDK's agent compiled code keeps all its variables."""
    java, theirs = with_agent(jdk, start, walker, tmp_path / "theirs", *COMPILED, *COMPILERS[compiler_of], *more)
    with listening(hprof, "--stop", "--max-stop", "none", java.pid, folder=tmp_path) as (port, _):
        ours = walker(port, tmp_path / "ours")
    assert " = absent" not in theirs
    assert assert_variables(ours, theirs) >= 15


@pytest.mark.everyday("oldest", 25)
@pytest.mark.parametrize("compiler_of", COMPILERS)
def test_variables_of_compiled_frames_that_are_still_needed(jdk, hprof, start, walker, tmp_path, compiler_of):
    """Without an agent compiled code forgets what it does not need any more: the others have the values of an interpreted frame.

    Not so main, which goes back to the interpreter: there a variable that was forgotten is null."""
    _, theirs = with_agent(jdk, start, walker, tmp_path / "theirs", "-Xint")
    java = start(jdk, *COMPILED, *COMPILERS[compiler_of])
    with listening(hprof, "--stop", "--max-stop", "none", java.pid, folder=tmp_path) as (port, _):
        assert assert_variables(walker(port, tmp_path / "ours"), theirs, but="Shown.main") >= 8


def assert_variables(ours, theirs, but="none"):
    """Variables of `ours` that are not absent have the values of `theirs`; how many there are."""
    def variables(text):
        return {(frame, line.split(" = ")[0]): line for frame, body in re.findall(r"(?m)^    at (Shown\S*).*\n((?:      .*\n)*)", text)
                for line in body.splitlines() if " = " in line and not frame.startswith(but)}
    mine, its = variables(ours), variables(theirs)
    known = {key: line for key, line in mine.items() if not line.endswith(" = absent")}
    assert mine.keys() == its.keys() and not {key: (line, its[key]) for key, line in known.items() if line != its[key]}
    return len(known)


def virtual_threads(walk):
    """Their lines in a walk, by name, without the count of frames and the innermost ones, which the JVM TI of JDK 21 shows and later ones hide."""
    return {name: re.sub(r" frames \d+\n|    at jdk\.internal\.vm\.Continuation\.yield.*\n", "", lines)
            for name, lines in re.findall(r"(?m)^  thread (virtual-\d+) (.*\n(?:    .*\n)*)", walk)}


@pytest.mark.jdks(21, 25, "newest")
@pytest.mark.parametrize("where", ["core", "process"])
def test_virtual_threads_that_are_not_mounted(jdk, hprof, start, walker, tmp_path, where):
    """With --virtual their names, groups, frames and lines are those that the JDK's agent shows; without they are not listed."""
    java = start(jdk, "-Xint", "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,includevirtualthreads=y,address=127.0.0.1:0", program="Unmounted")
    theirs = virtual_threads(walker(int(re.search(r"address: (?:\S+:)?(\d+)", java.out.read_text())[1]), tmp_path / "theirs", "threads"))
    assert set(theirs) == {"virtual-%d" % i for i in range(3)}
    args = [core_of(java)] if where == "core" else ["--stop", "--max-stop", "none", java.pid]
    with listening(hprof, "--virtual", *args, folder=tmp_path) as (port, _):
        ours = virtual_threads(walker(port, tmp_path / "ours", "threads"))
    assert "at Unmounted.waits(" in theirs["virtual-1"] and ours == theirs
    with listening(hprof, *args, folder=tmp_path) as (port, _):
        assert not virtual_threads(walker(port, tmp_path / "without", "threads"))


@pytest.mark.jdks(8, 17, 25)
def test_jdb_attaches_to_the_core_of_a_crash(jdk, hprof, start, tmp_path):
    jdb = compiler(17).tool("jdb")
    core = core_of(start(jdk))
    with listening(hprof, core, folder=tmp_path) as (port, _):
        run = subprocess.run([jdb, "-connect", "com.sun.jdi.SocketAttach:hostname=127.0.0.1,port=%d" % port],
                             input="threads\nwhere all\nfields Shown$Derived\nstop at Shown:49\nquit\n",
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S, env=clean_environment(), check=False)
    assert re.search(r"\(java\.lang\.Thread\)\S+ +main ", run.stdout) and re.search(r"Shown\$\d\)\S+ +waiter +cond\. waiting", run.stdout), run.stdout
    assert re.search(r"\[\d+\] Shown\.inner \(Shown\.java:\d+\)\n +\[\d+\] Shown\.outer \(Shown\.java:\d+\)", run.stdout), run.stdout
    assert "java.lang.Object[][] deep" in run.stdout, run.stdout
    assert "Set breakpoint" not in run.stdout, run.stdout


@one_jdk
def test_a_process_goes_on_when_its_time_is_over(jdk, hprof, start, tmp_path):
    java = start(jdk)
    with listening(hprof, "--stop", "--max-stop", "300ms", java.pid, folder=tmp_path) as (port, command):
        with Wire(port) as wire:
            assert len(wire.threads()) > 3
            with pytest.raises((EOFError, OSError)):
                while True:
                    wire.ask(ID_SIZES)
                    time.sleep(0.01)
        assert command.wait(TIMEOUT_S) == 0
        assert "the bound of --max-stop: it goes on" in command.said()
    status = pathlib.Path("/proc/%d/status" % java.pid).read_text()
    assert re.search(r"TracerPid:\t0\n", status) and re.search(r"State:\t[SR]", status)


@one_jdk
def test_a_process_stands_while_a_debugger_looks_and_goes_on_when_the_command_is_ended(jdk, hprof, start, tmp_path):
    java = start(jdk)
    with listening(hprof, "--stop", java.pid, folder=tmp_path) as (port, command):
        status = pathlib.Path("/proc/%d/status" % java.pid)
        assert "TracerPid:\t0\n" in status.read_text()
        with Wire(port) as wire:
            wire.ask_well(VERSION)
            assert "TracerPid:\t%d\n" % command.pid in status.read_text()
            assert "for 60 s at most" in command.said()
            command.terminate()
            assert command.wait(TIMEOUT_S) == 0
        assert "TracerPid:\t0\n" in status.read_text()


@one_jdk
def test_what_would_change_something_is_refused_and_what_detaches_is_not(jdk, hprof, start, tmp_path):
    java = start(jdk)
    with listening(hprof, core_of(java), folder=tmp_path) as (port, command):
        with Wire(port) as wire:
            assert wire.greeting == b"JDWP-Handshake"
            thread = struct.pack(">Q", wire.threads()[0])
            for event in (4, 6, 7, 8, 9, 90, 99):
                wire.ask_well((15, 1), struct.pack(">BBI", event, 0, 0))
            for event in (1, 2, 3, 20, 21, 40, 41, 42, 43):
                assert wire.ask((15, 1), struct.pack(">BBI", event, 0, 0))[0] == NOT_IMPLEMENTED
            for command_of in ((1, 10), (1, 11), (1, 18), (3, 2), (3, 3), (3, 4), (4, 1), (9, 3), (9, 6), (11, 10), (11, 11), (11, 14), (13, 3),
                               (16, 2), (16, 4), (2, 18), (6, 3), (77, 1)):
                assert wire.ask(command_of, thread)[0] == NOT_IMPLEMENTED
            for command_of in (SUSPEND, RESUME, (11, 2), (11, 3), (15, 2), (15, 3), (1, 14), (9, 7)):
                assert wire.ask(command_of, thread) == (0, b"")
            # no object, no class, no frame, and a command that is too short
            assert wire.ask((9, 1), struct.pack(">Q", 4711))[0] == INVALID_OBJECT
            assert wire.ask((9, 1), b"\0")[0] == ILLEGAL_ARGUMENT
            assert wire.ask((2, 1), struct.pack(">Q", 8))[0] == 21
            assert wire.ask((16, 1), thread + struct.pack(">QI", 1 << 40, 0))[0] == 30
            wire.ask_well(DISPOSE)
            assert wire.socket.recv(1) == b""
        with Wire(port) as wire:
            wire.ask_well(VERSION)
        wait_until(lambda: command.said().count("the debugger has gone") == 2, "its end", said=command.said)


@one_jdk
def test_bytes_that_are_no_conversation_end_it(jdk, hprof, start, tmp_path):
    java = start(jdk)
    with listening(hprof, core_of(java), folder=tmp_path) as (port, command):
        for sent in (b"GET / HTTP/1.1\r\n\r\n", b"JDWP-Handshake" + b"\xff" * 11, b"JDWP-Handshake" + struct.pack(">IIBBB", 3, 1, 0, 1, 1)):
            with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as peer:
                peer.sendall(sent)
                while peer.recv(64):
                    pass
        wait_until(lambda: command.said().count("what came there is not JDWP") == 3, "the reasons", said=command.said)
        with Wire(port) as wire:
            wire.ask_well(ID_SIZES)
            with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as second:
                assert second.recv(1) == b""
            wire.ask_well(ID_SIZES)
        assert "a second debugger was refused" in command.said()


@one_jdk
@pytest.mark.skipif(os.getuid() != 0, reason="only root can ask as another user")
def test_another_user_gets_nothing(jdk, hprof, start, tmp_path):
    java = start(jdk)
    with listening(hprof, core_of(java), folder=tmp_path) as (port, command):
        asks = "import os, socket, sys; os.setuid(65534); s = socket.create_connection(('127.0.0.1', %d)); s.sendall(b'JDWP-Handshake'); sys.exit(len(s.recv(14)))"
        assert subprocess.run(["/usr/bin/python3", "-c", asks % port], timeout=TIMEOUT_S, check=False, stderr=subprocess.DEVNULL).returncode in (0, 1)
        wait_until(lambda: "a connection of another user was refused" in command.said(), "the refusal", said=command.said)
        with Wire(port) as wire:
            wire.ask_well(VERSION)


@one_jdk
def test_what_a_core_lacks_is_an_error_and_no_value(jdk, hprof, start, tmp_path):
    """A core that was cut: most of it cannot be read, and nothing of it is made up."""
    java = start(jdk, "-Xint", SERIAL)
    core = core_of(java)
    with listening(hprof, core, folder=tmp_path) as (port, _):
        with Wire(port) as wire:
            names = {wire.ask_well((11, 1), struct.pack(">Q", thread)) for thread in wire.threads()}
    cut = tmp_path / "cut"
    size = core.stat().st_size
    outcomes = []
    for part in (0.3, 0.6, 0.9):
        with open(core, "rb") as whole, open(cut, "wb") as to:
            os.sendfile(to.fileno(), whole.fileno(), 0, int(size * part))
        with subprocess.Popen([hprof, "debug", "--listen", "127.0.0.1:0", str(cut)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as command:
            line = command.stdout.readline()
            if not line:
                outcomes.append("refused")
                continue
            with contextlib.suppress(EOFError, OSError), Wire(int(line.rsplit(":", 1)[1])) as wire:
                for thread in wire.threads():
                    error, name = wire.ask((11, 1), struct.pack(">Q", thread))
                    outcomes.append(error)
                    assert error != 0 or name in names
            command.terminate()
    assert len(outcomes) >= 3


@one_jdk
def test_what_cannot_be_is_said(jdk, hprof, start, tmp_path):
    java = start(jdk)
    pid = str(java.pid)
    assert "--stop permits that" in ask(hprof, "debug", "--listen", "127.0.0.1:0", pid, status=2)[1]
    assert "127.0.0.0/8" in ask(hprof, "debug", "--listen", "0.0.0.0:5005", "--stop", pid, status=2)[1]
    assert "127.0.0.0/8" in ask(hprof, "debug", "--listen", "[::1]:5005", "--stop", pid, status=2)[1]
    assert "as in 127.0.0.1:5005" in ask(hprof, "debug", "--listen", "5005", "--stop", pid, status=2)[1]
    assert "as in 127.0.0.1:5005" in ask(hprof, "debug", "--listen", "unix:x.sock", "--stop", pid, status=2)[1]
    assert "goes with --listen" in ask(hprof, "debug", "--stop", pid, status=2)[1]
    assert "goes with --listen" in ask(hprof, "debug", "/dev/null", status=2)[1]
    assert ask(hprof, "debug", "--listen", "127.0.0.1:0", "/dev/null", status=1)[1]
