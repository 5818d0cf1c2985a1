"""event=io: calls for files and sockets, against programs with known numbers of bytes, the kernel's counts and the JDK's own events.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import datetime
import json
import re
import shutil
import subprocess

import jfr_file
import pytest
from attaching import attach  # noqa: F401 pylint: disable=unused-import
from conftest import JDKS, ROOT, compile_library, compile_programs, old_and_new, one_jdk
from robust import crash_files
from test_context import compile_with_jar

NEWEST = JDKS[max(JDKS)]
COUNT = 100
BYTES = 10000  # of each call of Io
ALL = COUNT * BYTES
NATIVE = 100 * 1000  # bytes of each function of transfers.c
# What each method of Io reads and writes.
SUMS = {"fileWrite": (0, ALL), "fileRead": (ALL, 0), "randomAccess": (ALL, ALL), "channel": (ALL, ALL), "vectored": (ALL, ALL), "force": (0, 0),
        "socket": (0, ALL), "answer": (ALL, 0), "peerAnswers": (ALL, ALL), "gathered": (0, ALL), "transferred": (0, ALL),
        "peerAccepts": (2 * ALL, 0), "selected": (ALL, ALL), "datagrams": (ALL, ALL)}
TYPES = ["jdk.FileRead", "jdk.FileWrite", "jdk.FileForce", "jdk.SocketRead", "jdk.SocketWrite", "hprof.SocketConnect", "hprof.SocketAccept"]
EVERY = "event=io,io=0,depth=64,mem=256m,file=x.jfr"


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """programs_io, compiled once."""
    return compile_programs(tmp_path_factory, "programs_io")


@pytest.fixture(scope="session")
def transfers(tmp_path_factory):
    """The path of native/transfers.c as a shared library."""
    return compile_library(tmp_path_factory, "transfers", "-pthread", "-fno-optimize-sibling-calls", "-I%s" % (ROOT / "src"))


@pytest.fixture(scope="session")
def writes(tmp_path_factory):
    return compile_library(tmp_path_factory, "writes")


@pytest.fixture(scope="session")
def users(tmp_path_factory):
    return compile_with_jar(tmp_path_factory, "programs_io_users", 8)


@pytest.fixture
def run_io(run_java):
    """run_io(jdk, options, *args): the program's Ended."""
    def run(jdk, options, *args, **keywords):
        ended = run_java(jdk, options, "Io", *args, **keywords)
        assert ended.rc == 0, ended.stdout + ended.stderr
        assert ended.stdout.endswith("done\n"), ended.stdout
        assert not crash_files(ended)
        return ended
    return run


def said(argv):
    return subprocess.run([str(word) for word in argv], stdout=subprocess.PIPE, text=True, check=True).stdout


def quality(hprof, path):
    """Counts that are not 0."""
    text = said([hprof, "jfr", "print", "--events", "hprof.Quality", path])
    return collections.Counter(dict(zip(re.findall(r'name = "(\w+)"', text), map(int, re.findall(r"count = (\d+)", text)))))


def rows(hprof, path, table):
    """{name: (calls, bytes read, bytes written)} of a table of `report -e io`: "by file or peer", "by place"."""
    text = said([hprof, "report", "-e", "io", "-n", "1000", path])
    found = {}
    for line in text.partition("\n%s\n" % table)[2].partition("\n\n")[0].splitlines()[1:]:
        words = line.split(None, 6)
        found[words[6]] = tuple(map(int, words[3:6]))
    return found


def collapsed(hprof, path, series):
    """[(frames from the outermost, value)]"""
    text = said([hprof, "report", "-e", series, "--to", "collapsed", "-o", "-", path])
    return [(line.rpartition(" ")[0].split(";"), int(line.rpartition(" ")[2])) for line in text.splitlines()]


def of(stacks, *names):
    """The sum of the stacks that have a frame with each of these names."""
    return sum(value for frames, value in stacks if all(any(re.search(name, frame) for frame in frames) for name in names))


def began(ended):
    """When the program had loaded all classes and libraries: seconds of the epoch."""
    return int(re.search(r"begun (\d+)\n", ended.stdout).group(1)) / 1000


def events_since(hprof, path, begun):
    """(type, values) of the events that began after a time in seconds of the epoch."""
    printed = said([hprof, "jfr", "print", "--json", "--stack-depth", "64", "--events", ",".join(TYPES), path])
    for event in json.loads(printed)["recording"]["events"]:
        at = re.sub(r"(\.\d{6})\d*", r"\1", event["values"]["startTime"])
        if datetime.datetime.fromisoformat(at).timestamp() >= begun:
            yield event["type"], event["values"]


@pytest.mark.jdks(8, 17, 25, "newest")
def test_all_bytes_are_counted_once(jdk, hprof, run_io):
    """The program does everything with 1 call, to load its classes and libraries, and then with COUNT calls."""
    ended = run_io(jdk, EVERY, "each", COUNT)
    path = ended.cwd / "x.jfr"
    counts = quality(hprof, path)
    assert not any(counts["io_" + name] for name in ("lost", "unhooked", "shorter", "throttled")), counts
    assert rows(hprof, path, "by file or peer")[str(ended.cwd / "made.bin")][1:] == (4 * ALL, 4 * ALL)
    found, kinds = collections.defaultdict(lambda: [0, 0]), collections.Counter()
    for kind, values in events_since(hprof, path, began(ended)):
        frames = [frame["method"]["name"] for frame in (values["stackTrace"] or {"frames": []})["frames"]
                  if frame["method"]["type"]["name"].replace("/", ".") == "Io"]
        about = values.get("path") or values.get("address") or ""
        if not frames:
            continue
        kinds[kind] += 1
        if about == "127.0.0.1" or about.endswith("/made.bin"):
            found[frames[0]][0] += values.get("bytesRead") or 0
            found[frames[0]][1] += values.get("bytesWritten") or 0
    assert {method: tuple(found[method]) for method in SUMS} == SUMS
    assert kinds["jdk.FileForce"] == 2 and kinds["hprof.SocketConnect"] == kinds["hprof.SocketAccept"] == 4, kinds


@pytest.mark.jdks(8, 17, 25, "newest")
def test_native_libraries_threads_signals_forks_and_late_libraries(jdk, hprof, run_io, transfers, writes):
    loads = 20
    ended = run_io(jdk, EVERY, "native", COUNT, writes, loads, vm=["-Dtransfers=%s" % transfers])
    assert "well %d\n" % (1 + loads) in ended.stdout, ended.stdout
    path = ended.cwd / "x.jfr"
    read, written = collapsed(hprof, path, "io-read"), collapsed(hprof, path, "io-written")
    assert not any(quality(hprof, path)["io_" + name] for name in ("lost", "unhooked"))
    # transfers_plain is called by itself, by another thread, by one that blocks all signals; by a child, which does not count
    for name, sums in {"plain": (3 * NATIVE, 3 * NATIVE), "vectors": (NATIVE, NATIVE), "messages": (NATIVE, NATIVE), "moved": (2 * NATIVE, 3 * NATIVE),
                       "refused": (0, 0), "left": (NATIVE, 0), "cancelled": (0, 0), "handler": (0, 2 * NATIVE), "signals": (NATIVE, 2 * NATIVE),
                       "forked": (0, 0)}.items():
        got = (of(read, r"transfers_%s$" % name), of(written, r"transfers_%s$" % name))
        if name in ("handler", "signals"):
            # signals that come while the handler runs are one
            assert got[0] == sums[0] and NATIVE <= got[1] <= sums[1], (name, got)
        else:
            assert got == sums, (name, got)
    assert of(written, r"late_write$") >= NATIVE
    assert of(read, r"Io\.transfers$", r"transfers_plain$") == NATIVE  # with the Java frames; a thread without signals has none
    names = rows(hprof, path, "by file or peer")
    assert names[str(ended.cwd / "other.bin")][2] >= 2 * NATIVE and names["[]"][1:] == (2 * NATIVE, 2 * NATIVE), names


@pytest.mark.jdks(8, 17, 25, "newest")
def test_waits_are_as_long_as_the_jdk_says(jdk, hprof, run_io):
    """Reads that wait for a late peer, with and without a limit; the rest is shorter than the threshold, and counted."""
    vm = [] if jdk.number == 8 else ["-XX:StartFlightRecording:filename=y.jfr,settings=profile"]
    ended = run_io(jdk, "event=io,depth=64,file=x.jfr", "slow", 3, vm=vm)
    assert "timed out\n" in ended.stdout
    path = ended.cwd / "x.jfr"
    events = [event for event in jfr_file.events(NEWEST, path, "jdk.SocketRead", depth=64)
              if any(frame["method"]["name"] in ("answer", "timedOut") for frame in event["stackTrace"]["frames"])]
    late = [event for event in events if event["bytesRead"] > 0]
    limits = collections.Counter(event["timeout"] for event in late)
    assert sorted(limits) == ["PT0S", "PT5S"] and all(limits[limit] >= 3 for limit in limits), limits
    assert sum(event["bytesRead"] for event in late) <= 7 * BYTES  # one is of the first round, if the machine was slow
    out = [event for event in events if event["timeout"] == "PT0.05S"]
    assert len(out) == 1 and out[0]["bytesRead"] == 0 and not out[0]["endOfStream"], out
    accepts = [event for event in jfr_file.events(NEWEST, path, "hprof.SocketAccept", depth=64)
               if any(frame["method"]["name"] == "acceptsLate" for frame in event["stackTrace"]["frames"])]
    assert len(accepts) == 2 and all(event["address"] in ("127.0.0.1", None) for event in accepts), accepts
    assert all(event["host"] == event["address"] == "127.0.0.1" and event["port"] > 0 for event in events)
    counts = quality(hprof, path)
    # The first method writes 3 times; the peers read what the program writes.
    assert counts["io_shorter"] > 20 and counts["io_shorter_written"] >= 9 * BYTES and counts["io_shorter_read"] >= 6 * BYTES, counts
    if jdk.number != 8:
        own = [event for event in jfr_file.events(NEWEST, ended.cwd / "y.jfr", "jdk.SocketRead", depth=64)
               if any(frame["method"]["name"] == "answer" for frame in event["stackTrace"]["frames"]) and event["bytesRead"] > 0]
        by_port = collections.Counter((event["port"], event["timeout"], event["bytesRead"]) for event in own)
        for event in late:
            assert by_port[event["port"], event["timeout"], event["bytesRead"]] > 0, (event, by_port)
        # The report reads the JDK's own events in the same way.
        assert sum(row[1] for row in rows(hprof, ended.cwd / "y.jfr", "by file or peer").values()) >= sum(event["bytesRead"] for event in own) > 0


@one_jdk
@pytest.mark.jdks(17)
def test_strace_counts_the_same(jdk, hprof, start_java):
    strace = shutil.which("strace") or pytest.skip("no strace: install its package")
    calls = "read,readv,pread64,recvfrom,recvmsg,write,writev,pwrite64,sendto,sendmsg,sendfile"
    java = start_java(jdk, EVERY, "Io", "each", 10, before=[strace, "-f", "-qq", "-yy", "-ttt", "-e", "trace=" + calls, "-e", "signal=none", "-o", "calls.txt"])
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    begun = began(ended)  # the first calls may come before their library has hooks
    sums = collections.Counter()
    unfinished = {}
    for line in (ended.cwd / "calls.txt").read_text(errors="replace").splitlines():
        pid, at, rest = line.split(None, 2)
        if float(at) < begun:
            continue
        if rest.endswith("<unfinished ...>"):
            unfinished[pid] = rest
            continue
        rest = unfinished.pop(pid, "") + rest if rest.startswith("<... ") else rest
        found = re.match(r"(\w+)\(\d+<([^>]*)", rest)
        result = re.search(r"= (\d+)$", rest)
        if not found or not result:
            continue
        to = "made.bin" if found.group(2).endswith("/made.bin") else "socket" if re.match(r"TCP|UDP", found.group(2)) else None
        sums[to, "written" if re.match("write|pwrite|send", found.group(1)) else "read"] += int(result.group(1))
    path = ended.cwd / "x.jfr"
    made = rows(hprof, path, "by file or peer")[str(ended.cwd / "made.bin")]
    assert sums["made.bin", "read"] == made[1] > 0 and sums["made.bin", "written"] == made[2] > 0, (sums, made)
    ours = collections.Counter()
    for _, values in events_since(hprof, path, begun):
        if values.get("address") == "127.0.0.1":
            ours["read"] += values.get("bytesRead") or 0
            ours["written"] += values.get("bytesWritten") or 0
    assert sums["socket", "read"] == ours["read"] > 0 and sums["socket", "written"] == ours["written"] > 0, (sums, ours)


@old_and_new
def test_imports_are_restored_each_time(jdk, hprof, start_java, attach, transfers):  # noqa: F811
    java = start_java(jdk, None, "Io", "rounds", COUNT, vm=["-Dtransfers=%s" % transfers])
    java.wait_for_stdout("begun 0\n")

    def count(text):
        return java.out.read_text().count(text)

    def hooked():
        before = count("hooked ")
        (java.cwd / "look").touch()
        java.wait_for(lambda: count("hooked ") > before and java.out.read_text().endswith("\n"), "a look")
        return int(re.findall(r"hooked (\d+)\n", java.out.read_text())[-1])

    for i in range(5):
        path = java.cwd / ("x%d.jfr" % i)
        attach(jdk, java, "start,event=io,io=0,depth=64,mem=256m,file=%s" % path)
        assert hooked() > 20
        (java.cwd / "each").touch()
        java.wait_for(lambda i=i: count("made\n") == i + 1, "the calls")
        attach(jdk, java, "stop")
        assert hooked() == 0
        files = rows(hprof, path, "by file or peer")
        assert files[str(java.cwd / "made.bin")][1:] == (4 * ALL, 4 * ALL) and files["127.0.0.1"][1:] == (6 * ALL, 6 * ALL), files
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and not crash_files(ended), ended.stderr


@old_and_new
def test_a_rate_and_settings_choose_and_the_rest_is_counted(jdk, hprof, run_io):
    ended = run_io(jdk, "event=io,io=0,iorate=20/s,depth=64,file=x.jfr", "each", COUNT)
    counts = quality(hprof, ended.cwd / "x.jfr")
    assert 0 < counts["io_events"] < 1000 < counts["io_throttled"], counts
    total = rows(hprof, ended.cwd / "x.jfr", "by file or peer")
    shown = [sum(row[i] for row in total.values()) for i in (1, 2)]
    assert shown[0] + counts["io_throttled_read"] >= 10 * ALL and shown[1] + counts["io_throttled_written"] >= 10 * ALL
    ended = run_io(jdk, "io=0,jdk.FileRead#enabled=false,jdk.SocketRead#threshold=1h,depth=64,mem=256m,file=x.jfr", "each", COUNT)
    kinds = jfr_file.counts(NEWEST, ended.cwd / "x.jfr")
    assert not kinds.get("jdk.FileRead") and not kinds.get("jdk.SocketRead") and kinds["jdk.FileWrite"] > COUNT and kinds["jdk.SocketWrite"] > COUNT, kinds
    assert quality(hprof, ended.cwd / "x.jfr")["io_shorter_read"] >= 6 * ALL


@pytest.mark.jdks(17)
def test_it_is_in_text_and_pictures_and_beside_other_events(jdk, hprof, run_io):
    ended = run_io(jdk, "event=io,io=0,depth=64,cutoff=0,file=x.txt", "each", COUNT)
    text = ended.text("x.txt")
    assert re.search(r"^EVENTS io BEGIN \(time_ns=\d+ calls=\d+ bytes_read=\d+ bytes_written=\d+\)", text, re.M), text[-2000:]
    files = rows(hprof, ended.cwd / "x.txt", "by file or peer")
    assert files[str(ended.cwd / "made.bin")][1:] == (4 * ALL, 4 * ALL), files
    ended = run_io(jdk, "event=io,io=0,depth=64,file=x.collapsed", "each", COUNT)
    assert re.search(r"Io\.fileRead;", ended.text("x.collapsed"))
    ended = run_io(jdk, "event=cpu+alloc+lock+nativemem+io+wall,nativemem=4k,io=0,depth=64,mem=256m,file=x.jfr", "each", COUNT)
    assert rows(hprof, ended.cwd / "x.jfr", "by file or peer")[str(ended.cwd / "made.bin")][1:] == (4 * ALL, 4 * ALL)
    counts = jfr_file.counts(NEWEST, ended.cwd / "x.jfr")
    assert counts["jdk.FileRead"] > 0 and counts["profiler.Malloc"] > 0


@pytest.mark.jdks(8, 25)
def test_bytes_read_by_each_user(jdk, hprof, run_java, users):
    ended = run_java(jdk, "event=io,io=0,depth=64,file=x.jfr", "-cp", users, "Users")
    assert ended.rc == 0 and ended.stdout == "done\n", ended.stderr
    text = said([hprof, "report", "-e", "io-read", "--by", "user", ended.cwd / "x.jfr"])
    found = {row[2]: int(row[1]) for row in (line.split() for line in text.splitlines()) if len(row) == 3 and row[0].endswith("%")}
    # The first use of a user may load classes.
    assert found["user2"] == 2 * BYTES and found["user3"] == 3 * BYTES and found["user1"] >= BYTES, text
