"""net=host:port: the stream, the commands, and peers that do not behave.

SPDX-License-Identifier: Apache-2.0
"""
import random
import re
import signal
import socket
import struct
import subprocess

from attaching import attach  # noqa: F401
import golden
import hprof_binary
import hprof_text
import net_peer
import pytest
from conftest import TIMEOUT_S, clean_environment, old_and_new, one_jdk, wait_until

SAMPLES = "cpu=samples,interval=1ms,"


@pytest.fixture
def peer():
    """peer(...): a net_peer.Peer, closed at the end of the test."""
    made = []

    def make(*args, **keywords):
        made.append(net_peer.Peer(*args, **keywords))
        return made[-1]

    yield make
    for one in made:
        one.done()


@pytest.fixture
def spin(start_java):
    """spin(jdk, options, program): a program that runs until finish(), and has used some CPU time."""
    def start(jdk, options, *args, program="NetSpin", **keywords):
        java = start_java(jdk, options, program, "stop", *args, **keywords)
        java.wait_for_stdout("spinning")
        java.wait_for_cpu(0.1)
        return java
    return start


def finish(java, rc=0):
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == rc, ended.stderr
    return ended


def parsed(text):
    body, counts = net_peer.without_quality(text)
    return hprof_text.Text(body), counts


# A thread that the VM starts for itself and does not wait for: a program may be over before it has begun.
LATE = "Common-Cleaner"


def threads_of(profile):
    """Those that begin before the program does or that it waits for."""
    return sorted((thread.name, thread.group) for thread in profile.threads.values() if thread.name != LATE)


# ---- the stream

@old_and_new
def test_a_text_stream_holds_what_a_file_holds(jdk, run_java, peer):
    golden.listed("Quality counts in text")
    one = peer()
    ended = run_java(jdk, "cpu=samples,depth=0," + one.option, "Hello")
    file = hprof_text.Text(run_java(jdk, "cpu=samples,depth=0", "Hello").text())
    stream, counts = parsed(one.end().decode())
    assert (ended.rc, ended.stdout, ended.files) == (0, "Hello\n", [])
    assert ended.stderr == golden.DUMPED
    assert stream.shape() == file.shape() == ["Table"]
    assert threads_of(stream) == threads_of(file)
    assert stream.tables[0].total == 0 and counts == [] and stream.quality() == {}


@old_and_new
def test_a_binary_stream_holds_what_a_file_holds(jdk, run_java, peer):
    one = peer()
    ended = run_java(jdk, "cpu=samples,format=b," + one.option, "CpuWork", 500)
    assert (ended.rc, ended.files) == (0, [])
    stream = hprof_binary.Binary(one.end())
    file = hprof_binary.Binary(run_java(jdk, "cpu=samples,format=b", "CpuWork", 500).read("java.hprof"))
    for profile in (stream, file):
        hprof_binary.check(profile)
        counts = profile.by_method()
        assert counts["CpuHot.hot"] + counts["CpuHot.fib"] + counts["CpuHot.warm"] > profile.tables[0][0] / 2
    assert stream.version == file.version
    assert threads_of(stream) == threads_of(file)
    assert {c.name for c in file.classes.values() if c.name.startswith("java.lang.")} == \
        {c.name for c in stream.classes.values() if c.name.startswith("java.lang.")}


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_over_ipv6(jdk, run_java, peer):
    golden.listed("An IPv6 peer")
    try:
        one = peer("::1")
    except OSError:
        pytest.skip("this machine has no IPv6")
    assert run_java(jdk, "cpu=samples," + one.option, "Hello").rc == 0
    assert parsed(one.end().decode())[0].shape()[-1] == "Table"


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_nobody_listens(jdk, run_java):
    golden.listed("A peer that is not there")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))    # and keeps the port, so that nobody else listens there
        port = free.getsockname()[1]
        ended = run_java(jdk, "cpu=samples,net=127.0.0.1:%d" % port, "Hello")
    assert ended.rc == 1 and ended.files == []
    assert "HPROF ERROR: can't connect to 127.0.0.1:%d (Connection refused): start the reader" % port in ended.stderr


@pytest.mark.jdks(8, "newest")
def test_a_vm_that_runs_already(jdk, start_java, peer, attach):  # noqa: F811
    java = start_java(jdk, None, "NetSpin", "stop")
    java.wait_for_stdout("spinning")
    one = peer()
    attach(jdk, java, SAMPLES + "depth=3,thread=y," + one.option)
    one.samples()
    attach(jdk, java, "stop")
    profile, _ = parsed(one.end().decode())
    assert "spun" in finish(java).stdout
    assert len(profile.tables) == 2
    assert {"one", "two"} <= {thread.name for thread in profile.threads.values()}


@pytest.mark.jdks(8, "newest")
def test_the_recorded_run(jdk, spin, peer):
    one = peer()
    java = spin(jdk, "cpu=samples," + one.option, program="Spin")
    java.wait_for_cpu(0.3)
    one.send(net_peer.SAMPLES, struct.pack(">Hf", 0, 0.01))
    one.wait_for_text("CPU SAMPLES END")
    java.wait_for_cpu(0.3)
    ended = finish(java)
    assert (ended.rc, ended.stdout, golden.as_original(ended.stderr)) == (0, "spinning\nspun true\n", golden.DUMPED)
    recorded, stream = hprof_text.Text(golden.recorded_text("net_text")), parsed(one.end().decode())[0]
    for profile in (recorded, stream):
        assert [kind for kind in profile.shape() if kind != "Trace"] == ["Table", "Table"]
        early, last = profile.tables
        assert 0 < early.total < last.total, "the command clears nothing"
        assert all(row.count / early.total >= 0.01 for row in early.rows)


# ---- commands

def rows_of(profile, name, table=-1):
    """The samples of one thread in one table."""
    serials = {t.serial for t in profile.threads.values() if t.name == name}
    return sum(row.count for row in profile.tables[table].rows if profile.traces[row.trace].thread in serials)


def object_of(profile, name):
    thread, = [t for t in profile.threads.values() if t.name == name]
    return struct.pack(">I", int(thread.object, 16))


def wait_for_samples(one, condition):
    """Tables are asked for until one fulfils the condition; the profile up to it."""
    found = []

    def look():
        found[:] = [parsed(one.samples())[0]]
        return condition(found[0])
    one.wait_for(look, "such samples")
    return found[0]


def wait_for_new_samples(one, condition, fits):
    """The same, of samples from now on, which must also fit. Thrown away and asked for again while they do not: a sample
    whose thread lost the CPU in the middle of it comes behind a command that it knows nothing of."""
    found = []

    def look():
        one.control(net_peer.CLEAR_SAMPLES)
        found[:] = [wait_for_samples(one, condition)]
        return fits(found[0])
    one.wait_for(look, "samples that fit")
    return found[0]


@one_jdk
@pytest.mark.jdks(8, 17, "newest")
def test_samples_are_not_cleared_by_the_command(jdk, spin, peer):
    one = peer()
    java = spin(jdk, SAMPLES + one.option)
    first = wait_for_samples(one, lambda p: p.tables[-1].total > 0)
    second, counts = parsed(one.samples())
    assert second.tables[-1].total >= first.tables[-1].total
    assert counts[-1]["samples"] >= counts[0]["samples"] > 0
    half = parsed(one.samples(cutoff=0.9))[0].tables[-1]
    assert all(row.count / half.total >= 0.9 for row in half.rows)
    finish(java)
    last = parsed(one.end().decode())[0].tables[-1]
    assert last.total >= half.total and last.rows


@one_jdk
def test_sampling_is_switched_for_all_and_for_one(jdk, spin, peer):
    golden.listed("Thread ids in controls")
    golden.listed("Sampling off for all threads (id 0)")
    one = peer()
    java = spin(jdk, SAMPLES + "thread=y," + one.option)
    both = wait_for_samples(one, lambda p: rows_of(p, "one") and rows_of(p, "two"))
    one.control(net_peer.OFF, object_of(both, "two"))
    wait_for_new_samples(one, lambda p: rows_of(p, "one") > 50, lambda p: rows_of(p, "two") == 0)
    one.control(net_peer.OFF, struct.pack(">I", 0))
    one.send(net_peer.GC)
    java.wait_for_stdout("collected")

    def after_work(profile):
        java.wait_for_cpu(0.3)
        return "three" in [thread.name for thread in profile.threads.values()]
    wait_for_new_samples(one, after_work, lambda p: parsed(one.samples())[0].tables[-1].total == 0)
    one.control(net_peer.ON, object_of(both, "two"))
    wait_for_new_samples(one, lambda p: rows_of(p, "two") > 50, lambda p: rows_of(p, "one") == 0)
    one.control(net_peer.ON, struct.pack(">I", 0))
    wait_for_samples(one, lambda p: rows_of(p, "one") and rows_of(p, "two") and rows_of(p, "three"))
    one.control(net_peer.OFF, struct.pack(">I", 0x5FFFFFF0))
    java.wait_for_stderr("there is no thread obj=5ffffff0")
    one.control(net_peer.OFF, struct.pack(">II", 0, *struct.unpack(">I", object_of(both, "two"))))  # an id of 8 bytes
    wait_for_new_samples(one, lambda p: rows_of(p, "one") > 50, lambda p: rows_of(p, "two") == 0)
    one.control(net_peer.OFF, struct.pack(">Q", 0x700000008))
    java.wait_for_stderr("there is no thread obj=700000008")
    finish(java)
    assert parsed(one.end().decode())[0].tables[-1].total > 0


def depths_of(profile):
    return {len(profile.traces[row.trace].frames) for row in profile.tables[-1].rows}


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_the_depth_of_stacks_to_come(jdk, spin, peer):
    one = peer()
    java = spin(jdk, SAMPLES + "depth=4," + one.option)
    golden.listed("Control 6 with an operand")
    for control, depth in ((net_peer.DEPTH, 1), (net_peer.CLEAR_SITES, 12), (net_peer.DEPTH, 300), (net_peer.CLEAR_SITES, 4)):
        one.control(control, struct.pack(">H", depth))
        wanted = min(depth, 23)  # deep(20), one caller and one callee
        wait_for_new_samples(one, lambda p: p.tables[-1].total > 20,
                             lambda p: min(wanted, 20) <= max(depths_of(p)) <= depth)  # pylint: disable=cell-var-from-loop
    one.control(net_peer.DEPTH, struct.pack(">H", 0))
    java.wait_for_stderr("a depth of 0 takes no samples")
    finish(java)
    assert parsed(one.end().decode())[0].tables[-1].total > 0


@pytest.mark.jdks(8, "newest")
def test_traces_and_a_collection(jdk, spin, peer):
    one = peer()
    java = spin(jdk, SAMPLES + one.option)
    wait_for_samples(one, lambda p: p.tables[-1].total > 0)
    assert "collected" not in java.out.read_text()
    one.send(net_peer.TRACES)
    one.wait_for_text("TRACE 300000:\n\t<empty>\n")
    one.send(net_peer.GC)
    java.wait_for_stdout("collected")
    finish(java)
    profile, _ = parsed(one.end().decode())
    assert len(profile.traces) == len(profile.of(hprof_text.Trace)), "a TRACE twice"


@pytest.mark.jdks(8, "newest")
def test_exit_writes_the_tables_with_doe_n_too(jdk, spin, peer):
    check_exit(jdk, spin, peer, "n")


@old_and_new
def test_exit_writes_the_tables_and_runs_the_hooks(jdk, spin, peer):
    golden.listed("`exit`")
    check_exit(jdk, spin, peer, "y")


def check_exit(jdk, spin, peer, doe):
    one = peer()
    java = spin(jdk, SAMPLES + "doe=%s," % doe + one.option)
    wait_for_samples(one, lambda p: p.tables[-1].total > 0)
    one.send(net_peer.EXIT)
    ended = java.end()
    assert ended.rc == 0 and "hook\n" in ended.stdout and "spun" not in ended.stdout
    assert "HPROF: received exit event, exiting ...\n" in ended.stderr
    profile, _ = parsed(one.end().decode())
    assert profile.tables[-1].total > 0 and golden.DUMPED in ended.stderr


@one_jdk
@pytest.mark.jdks(8, 17, "newest")
def test_commands_that_cannot_be_done_are_passed_over(jdk, spin, peer):
    golden.listed("An unknown command")
    golden.listed("A command that the options make impossible")
    golden.listed("Lengths of commands")
    one = peer()
    java = spin(jdk, SAMPLES + one.option)
    for _ in range(3):
        one.send(net_peer.HEAP)
        one.send(net_peer.SITES, struct.pack(">Hf", 0, 0.01))
        one.control(net_peer.ALLOC_ON)
        one.send(0x55, b"a body that is no command: \x05\x05\x05")
        one.control(99)
        one.send(net_peer.SAMPLES, b"\0")
        one.send(net_peer.GC, b"what it does not need" * 100)
    one.samples()
    ended = finish(java)
    said = [line for line in ended.stderr.splitlines() if "passed over" in line]
    assert len(said) == 4, said
    assert sum("tag 85 is not known" in line for line in said) == 1
    assert len(parsed(one.end().decode())[0].tables) == 2


def binary_records(data):
    """(tag, body) of what is there so far; the last record may not be whole yet."""
    at, found = data.find(b"\0") + 13, []
    while at <= len(data) - 9:
        tag, _, length = struct.unpack_from(">BII", data, at)
        if at + 9 + length <= len(data):
            found.append((tag, data[at + 9:at + 9 + length]))
        at += 9 + length
    return found


def tags(one, *wanted):
    return [tag for tag, _ in binary_records(one.data) if tag in wanted]


@pytest.mark.parametrize("options", ["cpu=samples", "heap=dump", "heap=dump,sites=n"], ids=["samples", "dump", "no-sites"])
@pytest.mark.jdks(8, "newest")
def test_a_heap_summary_needs_no_sites(jdk, options, spin, peer):
    one = peer()
    java = spin(jdk, options + ",format=b," + one.option)
    one.send(net_peer.SUMMARY)
    one.wait_for(lambda: tags(one, 7) == [7], "a summary")
    summary, = [body for tag, body in binary_records(one.data) if tag == 7]
    live_bytes, live, made_bytes, made = struct.unpack(">IIQQ", summary)
    assert live > 0 and live_bytes >= 8 * live
    if options == "heap=dump":
        assert made >= live and made_bytes >= live_bytes
    else:
        assert (made, made_bytes) == (0, 0), "nobody counts what is made"
    ended = finish(java)
    assert "passed over" not in ended.stderr
    one.end()


def rows_of_sites(body):
    """{(class, trace): the four counts} of an ALLOC SITES record."""
    count, = struct.unpack_from(">I", body, 30)
    rows = [struct.unpack_from(">BIIIIII", body, 34 + 25 * i) for i in range(count)]
    return {row[1:3]: row[3:] for row in rows}


@one_jdk
@pytest.mark.jdks(8, 17, "newest")
def test_a_table_of_changes_has_no_row_that_a_whole_one_has_just_sent(jdk, spin, peer):
    one = peer()
    java = spin(jdk, "heap=sites,format=b,depth=4," + one.option)
    one.control(net_peer.ALLOC_OFF)
    for flags, cutoff in ((1, 0.0), (0, 0.0), (1, 0.0), (0, 0.5), (1, 0.0)):
        one.send(net_peer.SITES, struct.pack(">Hf", flags, cutoff))
    one.wait_for(lambda: tags(one, 6) == [6] * 5, "the sites")
    first, whole, changed, _, again = [rows_of_sites(body) for tag, body in binary_records(one.data) if tag == 6]
    assert len(first) > 10 and len(whole) >= len(first)
    assert (len(changed), len(again)) == (0, 0), "nothing is counted any more"
    finish(java)
    one.end()


@one_jdk
@pytest.mark.jdks(8, 17, "newest")
def test_what_a_cutoff_left_out_is_in_the_next_table_of_changes(jdk, spin, peer):
    one = peer()
    java = spin(jdk, "heap=sites,format=b,depth=4," + one.option)
    one.control(net_peer.ALLOC_OFF)
    for flags, cutoff in ((0, 0.002), (1, 0.0)):
        one.send(net_peer.SITES, struct.pack(">Hf", flags, cutoff))
    one.wait_for(lambda: tags(one, 6) == [6] * 2, "the sites")
    cut, changed = [rows_of_sites(body) for tag, body in binary_records(one.data) if tag == 6]
    assert cut and changed and not set(cut) & set(changed)
    finish(java)
    one.end()


@old_and_new
@pytest.mark.jdks(8, 17, "newest")
def test_sites_and_the_heap_summary(jdk, spin, peer):
    one = peer()
    java = spin(jdk, "heap=sites,format=b,depth=2," + one.option)
    one.send(net_peer.SUMMARY)
    one.send(net_peer.SITES, struct.pack(">Hf", 6, 0.0))
    one.wait_for(lambda: tags(one, 6, 7) == [7, 6], "a summary and the sites")
    sites, = [body for tag, body in binary_records(one.data) if tag == 6]
    assert struct.unpack_from(">H", sites) == (6,)
    finish(java)
    one.end()


@pytest.mark.jdks(8, "newest")
def test_a_heap_dump_is_streamed_when_the_peer_likes(jdk, spin, peer):
    one = peer(reads=False, window=4096)
    java = spin(jdk, "heap=dump,format=b,mem=1m," + one.option, vm=["-Xmx200m"])
    one.send(net_peer.HEAP)
    java.wait_for_stderr("HPROF: heap dump: pause")
    one.read()
    one.wait_for(lambda: tags(one, 0x0C) == [0x0C], "a heap dump")
    finish(java)
    one.end()
    dumps = [body for tag, body in binary_records(one.data) if tag == 0x0C]
    assert len(dumps) == 2 and min(map(len, dumps)) > 1 << 16, "larger than the buffer"
    assert hprof_binary.records_of(one.data)[3][-1].tag in (0x0A, 0x0B, 0x0C)


# ---- peers that do not behave

@one_jdk
@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("garbage", [b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n", random.Random(1).randbytes(1 << 16), b"\x07\0\0"],
                         ids=["http", "random", "cut"])
def test_garbage_ends_the_listening_at_most(jdk, spin, peer, garbage):
    one = peer()
    java = spin(jdk, SAMPLES + one.option)
    one.raw(b"\x55\0\0\0\1\xff\xff\xff\xff" + garbage)
    java.wait_for_stderr("what the peer sends are no commands")
    ended = finish(java)
    assert parsed(one.end().decode())[0].tables[-1].total > 0
    assert ended.stderr.count("no commands") == 1


@pytest.mark.jdks("newest")
def test_behind_the_end_command_nothing_is_obeyed(jdk, spin, peer):
    one = peer()
    java = spin(jdk, SAMPLES + one.option)
    one.raw(b"\xff")
    one.send(net_peer.EXIT)
    assert "spun" in finish(java).stdout
    assert len(parsed(one.end().decode())[0].tables) == 1


@pytest.mark.jdks("newest")
def test_a_peer_that_only_stops_sending_gets_all(jdk, spin, peer):
    one = peer()
    java = spin(jdk, SAMPLES + one.option)
    one.send_no_more()
    finish(java)
    assert parsed(one.end().decode())[0].tables[-1].total > 0


@one_jdk
@pytest.mark.jdks(8, 17, "newest")
def test_a_peer_that_closes_costs_a_message(jdk, spin, peer):
    golden.listed("The peer closes")
    one = peer()
    java = spin(jdk, SAMPLES + one.option)
    one.close()
    # The kernel refuses what is sent after the peer's own refusal has come; a busy machine sends several tables at once.
    for count in range(1, 40):
        if count > 3 and "what follows is lost" in java.err.read_text():
            break
        java.signal(signal.SIGQUIT)
        java.wait_for_stderr("HPROF: cpu=samples by", count)
    ended = finish(java)
    assert "spun" in ended.stdout
    assert len(re.findall(r"cannot write 127.0.0.1:\d+ \(.*\): what follows is lost", ended.stderr)) == 1


CHURN = ("mem=8m,", 1000)


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_a_peer_that_never_reads_holds_nobody_up(jdk, spin, peer):
    golden.listed("A slow peer")
    one = peer(reads=False, window=4096)
    options, threads = CHURN
    java = spin(jdk, SAMPLES + options + one.option, threads, program="NetChurn")
    ended = finish(java)
    assert "churned" in ended.stdout and "spun" in ended.stdout
    lost, = re.findall(r"read too slowly: (\d+) records? \((\d+) bytes\) (?:was|were) left out", ended.stderr)
    assert int(lost[0]) > 0 and int(lost[1]) > 4096
    assert len(re.findall(r"cannot write 127.0.0.1:\d+", ended.stderr)) == 1


@pytest.mark.jdks("newest")
def test_a_peer_that_reads_late_gets_whole_records(jdk, spin, peer):
    one = peer(reads=False, window=4096)
    options, threads = CHURN
    java = spin(jdk, SAMPLES + options + one.option, threads, program="NetChurn")
    one.read()
    one.wait_for(lambda: b"THREAD END" in one.data, "the beginning")
    early, counts = parsed(wait_until_dropped_is_told(one))
    started = [t for t in early.of(hprof_text.ThreadStart) if t.name.startswith("nnn")]
    ended = [t for t in early.of(hprof_text.ThreadEnd)]
    assert 0 < len(started) < threads
    assert counts[-1]["net_dropped"] >= threads - len(started)
    assert len(ended) + len(started) + counts[-1]["net_dropped"] >= 2 * threads
    assert "reads too slowly: records are left out" in finish(java).stderr
    profile, _ = parsed(one.end().decode())
    mains = [t for t in profile.of(hprof_text.ThreadStart) if t.name == "main"]
    assert len(mains) == 2 and mains[0] == mains[1], "what is still alive is told of once more"
    assert all(row.trace in profile.traces for table in profile.tables for row in table.rows)


def wait_until_dropped_is_told(one):
    """The stream up to the end of a block of counts that has net_dropped. Some of the tables that are asked for may be left
    out too."""
    told = []

    def look():
        one.send(net_peer.SAMPLES, struct.pack(">Hf", 0, 0.0))
        told[:] = re.findall(r"(?s)\A.*\n  net_dropped = \d+\n(?:  \S[^\n]*\n)*(?!  )(?=.)", one.text)
        return told
    one.wait_for(look, "net_dropped")
    return told[0]


# ---- hprof listen

class Listen:
    """`hprof listen` at a port of its own choice."""

    def __init__(self, agent, cwd, *args, stdin=subprocess.DEVNULL):
        self.cwd = cwd
        cwd.mkdir()
        command = agent.parent.parent / "cli/hprof"
        self.err = cwd.with_name(cwd.name + ".stderr")
        self.process = subprocess.Popen([str(command), "listen", "--wait", "60s"] + list(args) + ["0"], cwd=str(cwd),
                                        stdin=stdin, stdout=subprocess.PIPE, stderr=open(self.err, "wb"),
                                        env=clean_environment(), text=True)
        self.wait_for("waiting for agents at 127")
        self.option = "net=127.0.0.1:" + re.search(r"at 127.0.0.1:(\d+)", self.said).group(1)

    @property
    def said(self):
        return self.err.read_text()

    def wait_for(self, text, count=1):
        wait_until(lambda: self.said.count(text) >= count, repr(text), lambda: self.process.poll() is not None,
                   lambda: self.said)

    def end(self, stdin=None):
        out, _ = self.process.communicate(stdin, timeout=TIMEOUT_S)
        return self.process.returncode, out


@pytest.fixture
def listen(agent, tmp_path):
    made = []

    def start(*args, **keywords):
        made.append(Listen(agent, tmp_path / ("listen%d" % len(made)), *args, **keywords))
        return made[-1]

    yield start
    for one in made:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


@one_jdk
def test_listen_writes_a_file_that_report_reads(jdk, run_java, listen, agent):
    one = listen("-o", "out.txt")
    ended = run_java(jdk, "cpu=samples," + one.option, "CpuWork", 500)
    status, out = one.end()
    assert (ended.rc, status) == (0, 0), one.said
    profile, _ = parsed((one.cwd / "out.txt").read_text())
    assert profile.tables[-1].total > 0
    assert "CPU SAMPLES BEGIN (total = %d)" % profile.tables[-1].total in out and "TRACE" not in out
    report = subprocess.run([str(agent.parent.parent / "cli/hprof"), "report", "out.txt"], cwd=str(one.cwd), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True).stdout
    assert "%d samples" % profile.tables[-1].total in report or "samples of 10 ms" in report
    assert "CpuHot.hot" in report


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_listen_sends_a_script(jdk, start_java, listen, attach):  # noqa: F811
    one = listen("-s", "all", "-c", "wait 1s,samples,depth:2,clear,off,wait:100ms,samples 0.5,exit")
    java = start_java(jdk, None, "NetSpin", "stop")
    java.wait_for_stdout("spinning")    # or the second might be over before it does
    one.process.send_signal(signal.SIGSTOP)    # the second begins when there are samples
    attach(jdk, java, SAMPLES + one.option)
    java.wait_for_cpu(0.3)
    one.process.send_signal(signal.SIGCONT)
    ended = java.end()
    status, out = one.end()
    assert (ended.rc, status) == (0, 0), one.said + ended.stderr
    file, = one.cwd.glob("hprof-127.0.0.1-*.txt")
    profile, _ = parsed(file.read_text())
    assert len(profile.tables) == 3 and profile.tables[0].total > 0
    assert file.read_text() == out[:len(file.read_text())]


@pytest.mark.jdks("newest")
def test_listen_takes_commands_from_its_input(jdk, start_java, listen):
    one = listen(stdin=subprocess.PIPE)
    java = start_java(jdk, SAMPLES + "format=b," + one.option, "NetSpin", "stop")
    java.wait_for_stdout("spinning")
    status, out = one.end("bogus\nwait 500ms, samples\n\nwait 500ms\nexit")
    assert (java.end().rc, status) == (0, 0)
    assert "unknown command 'bogus'" in one.said
    assert out.count("CPU SAMPLES: ") == 2 and "2 tables of CPU samples" in out
    file, = one.cwd.glob("hprof-127.0.0.1-*.hprof")
    assert len(hprof_binary.Binary(file.read_bytes()).tables) == 2


@pytest.mark.jdks("newest")
def test_listen_quits_and_the_program_goes_on(jdk, spin, listen):
    one = listen("-c", "wait 1s,quit")
    java = spin(jdk, SAMPLES + one.option)
    assert one.end()[0] == 0
    assert "spun" in finish(java).stdout


@pytest.mark.jdks("newest")
def test_listen_keeps_several(jdk, spin, listen):
    one = listen("--keep", "-o", "x.txt", "-c", "samples", stdin=subprocess.PIPE)
    first, second = spin(jdk, SAMPLES + one.option), spin(jdk, SAMPLES + one.option)
    third = spin(jdk, SAMPLES + one.option)
    names = ("x.txt", "x-2.txt", "x-3.txt")
    for java, name in zip((first, second, third), names):
        file = one.cwd / name
        java.wait_for(lambda file=file: file.exists() and "CPU SAMPLES END" in file.read_text(), "a table in " + name)
        finish(java)
    one.wait_for(" goes to ", 3)
    one.process.stdin.write("quit\n")
    fourth = spin(jdk, SAMPLES + one.option)
    status, out = one.end()
    finish(fourth)
    assert status == 0 and out.count("tables of CPU samples") >= 3
    for name in names:
        assert len(parsed((one.cwd / name).read_text())[0].tables) == 2


@pytest.mark.parametrize("sent, words", [
    (b"JAVA PROFILE 1.0.1\0\0\0\0\4\0\0\0\0\0\0\0\0\x0b\0\0\0\0\0\0\0\4\0\1", "ended within a record"),
    (b"JAVA PROFILE 1.0.1, created today\n\nwords\n--------\n\nCPU SAMPLES BEGIN (", "ended within a record"),
    (b"", "closed without a byte")])
def test_listen_tells_of_a_stream_that_was_cut(listen, sent, words):
    one = listen("-o", "x")
    with socket.create_connection(("127.0.0.1", int(one.option.rpartition(":")[2]))) as connection:
        connection.sendall(sent)
    assert one.end()[0] == 1
    assert words in one.said and (not sent or (one.cwd / "x").read_bytes() == sent)


@pytest.mark.jdks("newest")
def test_listen_keeps_an_old_file(jdk, run_java, listen):
    one = listen("-o", "x.txt")
    (one.cwd / "x.txt").write_text("old")
    run_java(jdk, "cpu=samples," + one.option, "Hello")
    assert one.end()[0] == 0
    assert (one.cwd / "x.txt.old").read_text() == "old"
    assert "'x.txt' was there already and is now 'x.txt.old'" in one.said
