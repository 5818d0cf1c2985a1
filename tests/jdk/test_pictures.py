"""What `hprof report` writes for other programs, read by these: no JVM takes part, the profile is one of the golden files.

Go's pprof (of any Go that is here) and npm's pprof-format read profile.proto; the schema in npm's speedscope judges what
speedscope is to read; PyPI's opentelemetry-proto reads OTLP, whose rules readers/otlp_rules.py asks; the Firefox
Profiler's own loader, from npm, loads its files.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import json
import os
import subprocess
import sys
import time

import pytest

import foreign
from conftest import ROOT

DATA = ROOT / "tests/data/hprof-golden"
WORKER = ROOT / "tests/data/jfr/worker.jfr"  # two samples of another JVM
BUILD = ROOT / "tests/data/jfr/build.jfr"  # three samples for alice, one for bob, one for nobody
EVERY_KIND = ROOT / "tests/fuzz/corpus/fuzz_pprof/every-kind"  # of event, and of frame
TIMEOUT_S = 120
PPROF_FORMAT = "2.3.2"
SPEEDSCOPE = "1.25.0"
JSONSCHEMA = "4.23.0"
OPENTELEMETRY_PROTO = "1.45.2"
PROFILER_CLI = "0.10.0"
STACKS = """[worker tid=7];java/lang/Thread.run_[0];app/Server.serve_[j];app/Server.parse_[i];read;vfs_read_[k] 30
[worker tid=7];java/lang/Thread.run_[0];app/Server.serve_[j];app/Server.<init>_[1] 10
[main tid=1];app/Main.main;app/Server.parse_[i];app/Server.serve_[j] 60
"""


def run(*command, env=None):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S,
                          stdin=subprocess.DEVNULL, env=env).stdout


@pytest.fixture
def picture(hprof, tmp_path):
    """Writes a golden file, or the stacks above, as a file of this name."""
    def write(name, source=None, *options):
        if source is None:
            source = tmp_path / "in.collapsed"
            source.write_text(STACKS)
        run(hprof, "report", "-o", tmp_path / name, *options, source)
        return tmp_path / name
    return write


def expected():
    """{stack, outermost first: count} of the stacks, names as people read them."""
    counts = collections.Counter()
    for line in STACKS.splitlines():
        stack, count = line.rsplit(" ", 1)
        frames = [frame if frame.endswith("_[k]") else frame.split("_[")[0] for frame in stack.split(";")[1:]]
        counts[";".join(frame.replace("/", ".") for frame in frames)] += int(count)
    return counts


def test_go_reads_what_was_measured(picture):
    said = run(*foreign.pprof(), "-top", "-nodecount=100", picture("x.pb"))
    rows = {words[5]: (words[0], words[3]) for words in map(str.split, said.splitlines())
            if len(words) > 5 and words[1].endswith("%")}
    assert rows["app.Server.serve"] == ("60", "100") and rows["vfs_read_[k]"] == ("30", "30")
    assert "Showing nodes accounting for 100, 100% of 100 total" in said
    said = run(*foreign.pprof(), "-raw", picture("t.pb", DATA / "times/java.hprof.txt"))
    assert "time/nanoseconds[dflt]" in said and "calls/count" in said and "Times.java" in said


def test_go_parts_samples_by_what_threads_worked_for(picture):
    path = picture("x.pb", BUILD)
    for focus, count in [("user=alice", 3), ("user=bob", 1), ("context.thread=label", 1)]:
        assert "Showing nodes accounting for %d, " % count in run(*foreign.pprof(), "-top", "-tagfocus=%s" % focus, path)
    said = run(*foreign.pprof(), "-tags", path)
    assert "user: Total 4" in said and "bob" in said, said


def test_go_parts_samples_by_process(picture):
    path = picture("x.pb", WORKER, BUILD)
    for focus, count in [("pid=100", 5), ("pid=101", 2), ("process=app.Worker", 2)]:
        assert "Showing nodes accounting for %d, " % count in run(*foreign.pprof(), "-top", "-tagfocus=%s" % focus, path)


JS_PPROF = """
const { Profile } = require(process.argv[1]);
const p = Profile.decode(require('fs').readFileSync(process.argv[2]));
const text = i => p.stringTable.strings[Number(i)];
const functions = new Map(p.function.map(f => [f.id, f])), locations = new Map(p.location.map(l => [l.id, l]));
const rows = p.sample.map(s => [
  s.locationId.flatMap(id => locations.get(id).line.map(l => text(functions.get(l.functionId).name))).reverse().join(';'),
  s.value.map(Number), Object.fromEntries(s.label.map(l => [text(l.key), l.str ? text(l.str) : Number(l.num)]))]);
console.log(JSON.stringify({ types: p.sampleType.map(t => [text(t.type), text(t.unit)]), rows }));
"""


def test_pprof_format_decodes_every_stack_and_label(picture):
    package = foreign.npm("pprof-format", PPROF_FORMAT)
    read = json.loads(run(foreign.node(), "-e", JS_PPROF, package, picture("x.pb")))
    assert read["types"] == [["samples", "count"]]
    assert {stack: values[0] for stack, values, _ in read["rows"]} == expected()
    assert {(labels["thread"], labels["thread_id"]) for _, _, labels in read["rows"]} == {("worker", 7), ("main", 1)}


def check_speedscope(read):
    """Every number is of a frame, and the weights are what the profile says; {profile: {stack: weight}}."""
    frames, found = read["shared"]["frames"], {}
    for profile in read["profiles"]:
        assert len(profile["samples"]) == len(profile["weights"])
        assert sum(profile["weights"]) == profile["endValue"]
        counts = found[profile["name"]] = collections.Counter()
        for stack, weight in zip(profile["samples"], profile["weights"]):
            assert all(0 <= frame < len(frames) for frame in stack)
            counts[";".join(frames[frame]["name"] for frame in stack)] += weight
    assert 0 <= read["activeProfileIndex"] < len(read["profiles"])
    return found


@pytest.mark.parametrize("source", [None, "times/java.hprof.txt", "sites_depth0/java.hprof.txt", EVERY_KIND])
def test_speedscope_files_are_of_its_schema(picture, source):
    path = picture("x.speedscope.json", source and DATA / source)
    found = check_speedscope(json.loads(path.read_text()))
    if source is None:
        assert sum(found.values(), collections.Counter()) == expected()
    schema = foreign.npm("speedscope", SPEEDSCOPE) / "dist/release/file-format-schema.json"
    run(foreign.pypi("jsonschema", JSONSCHEMA), "-c", "import json, jsonschema, sys; jsonschema.validate(*[json.load(open(f)) for f in sys.argv[1:]])",
        path, schema)


@pytest.mark.parametrize("source", [None, "times/java.hprof.txt", "sites_depth0/java.hprof.txt", EVERY_KIND])
def test_otlp_keeps_the_rules(picture, source):
    python = foreign.pypi("opentelemetry-proto", OPENTELEMETRY_PROTO)
    said = json.loads(run(python, ROOT / "tests/jdk/readers/otlp_rules.py", picture("x.otlp", source and DATA / source)))
    if source is None:
        threads = collections.Counter()
        for stack, value in said["samples/count"].items():
            assert " thread.id=" in stack and " thread.name=" in stack
            threads[stack.split(" ")[0]] += value
        assert said.keys() == {"samples/count"} and threads == expected()
    elif source == "sites_depth0/java.hprof.txt":
        assert sum(said["alloc_space/bytes"].values()) == 395760 and all(" hprof.class=" in stack for stack in said["inuse_objects/count"])


def test_otlp_has_a_resource_for_each_process_and_contexts(picture):
    python = foreign.pypi("opentelemetry-proto", OPENTELEMETRY_PROTO)
    said = json.loads(run(python, ROOT / "tests/jdk/readers/otlp_rules.py", picture("x.otlp", WORKER, BUILD)))
    assert {name: sum(stacks.values()) for name, stacks in said.items() if "samples" in name} == {"100 samples/count": 5, "101 samples/count": 2}
    assert sum(value for stack, value in said["100 samples/count"].items() if " user=alice" in stack) == 3


def check_firefox(read):
    """Columns are of one length and every number is of a row; {thread: {stack: weight}}."""
    shared, found = read["shared"], {}
    tables = {"stackTable": {"frame": "frameTable"}, "frameTable": {"func": "funcTable"}, "funcTable": {"name": "stringArray", "source": "sources"},
              "sources": {"filename": "stringArray"}, "resourceTable": {}, "nativeSymbols": {}, "sourceLocationTable": {}}
    rows = {name: len(table) if isinstance(table, list) else table["length"] for name, table in shared.items()}
    for name, refers in tables.items():
        for column, values in shared[name].items():
            assert column == "length" or len(values) == rows[name], (name, column)
            if column in refers:
                assert all(value is None or 0 <= value < rows[refers[column]] for value in values), (name, column)
    assert all(0 <= category < len(read["meta"]["categories"]) for category in shared["frameTable"]["category"])
    assert all(0 <= offset <= i for i, offset in enumerate(shared["stackTable"]["prefixOffset"]))
    schemas = {schema["name"]: {field["key"] for field in schema["fields"]} for schema in read["meta"]["markerSchema"]}

    def stack_of(number):
        frame = shared["stackTable"]["frame"][number]
        name = shared["stringArray"][shared["funcTable"]["name"][shared["frameTable"]["func"][frame]]]
        offset = shared["stackTable"]["prefixOffset"][number]
        return (stack_of(number - offset) + ";" if offset else "") + name

    for thread in read["threads"]:
        samples, markers = thread["samples"], thread["markers"]
        assert {len(samples[column]) for column in ("stack", "time", "weight")} == {samples["length"]}
        assert {len(values) for column, values in markers.items() if column != "length"} == {markers["length"]}
        assert samples["time"] == sorted(samples["time"])
        counts = found[thread["name"]] = collections.Counter()
        for stack, weight in zip(samples["stack"], samples["weight"]):
            counts[stack_of(stack)] += weight
        for data, name in zip(markers["data"], markers["name"]):
            assert data["type"] in schemas and shared["stringArray"][name] == data["type"]
            assert data.keys() - {"type", "cause"} <= schemas[data["type"]]
            assert all(0 <= category < len(read["meta"]["categories"]) for category in markers["category"])
            assert 0 <= data.get("cause", {"stack": 0})["stack"] < rows["stackTable"]
            assert 0 <= read["meta"]["profilingStartTime"] < read["meta"]["profilingEndTime"]
    assert all(0 <= thread < len(read["threads"]) for thread in read["meta"]["initialVisibleThreads"])
    return found


def check_firefox_types(path):
    """By a schema made from the profiler's types."""
    schema = path.with_suffix(".schema")
    schema.write_text(run(sys.executable, ROOT / "tests/jdk/readers/firefox_schema.py"))
    run(foreign.pypi("jsonschema", JSONSCHEMA), "-c", "import json, jsonschema, sys; jsonschema.validate(*[json.load(open(f)) for f in sys.argv[1:]])",
        path, schema)


@pytest.mark.parametrize("source", [None, "times/java.hprof.txt", "samples_thread/java.hprof.txt", EVERY_KIND, BUILD])
def test_firefox_files_are_whole(picture, source):
    path = picture("x.firefox.json", source and DATA / source)
    check_firefox_types(path)
    read = json.loads(path.read_text())
    found = check_firefox(read)
    if source == EVERY_KIND:
        (schema,) = [schema for schema in read["meta"]["markerSchema"] if schema["name"] == "sites"]
        assert [field["label"] for field in schema["fields"]] == ["bytes", "objects", "live bytes", "live objects"]
        assert len(read["meta"]["markerSchema"]) == 11 and {thread["markers"]["length"] for thread in read["threads"]} == {22}
    if source is None:
        assert sum(found.values(), collections.Counter()) == expected()


def test_processes_have_threads_of_their_own(picture):
    read = json.loads(picture("x.firefox.json", WORKER, BUILD).read_text())
    check_firefox(read)
    main = [(thread["processName"], thread["pid"], thread["samples"]["length"]) for thread in read["threads"] if thread["isMainThread"]]
    assert main == [("app.Build", "100", 4), ("app.Worker", "101", 2)]
    assert [thread["pid"] for thread in read["threads"]] == ["100"] * 3 + ["101"] * 3


def load(program, path, env):
    """Its daemon has half a second to come up, and is waited for where a busy machine gives it less."""
    def asked(*words):
        return subprocess.run([*map(str, program), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S,
                              stdin=subprocess.DEVNULL, env=env, check=False)
    ran = asked("load", str(path))
    if "did not become ready" in ran.stderr:
        for _ in range(100):
            ran = asked("profile", "info")
            if ran.returncode == 0:
                break
            time.sleep(0.2)
    assert ran.returncode == 0, ran.stderr


def test_the_firefox_profiler_loads_its_file(picture, tmp_path):
    """Its own loader wants a newer node than most have: npm has one."""
    package = foreign.npm("@firefox-devtools/profiler-cli", PROFILER_CLI)
    program = [foreign.node(), package / "dist/profiler-cli.js"]
    env = dict(os.environ, PROFILER_CLI_SESSION_DIR=str(tmp_path / "session"))
    (tmp_path / "session").mkdir()
    try:
        load(program, picture("x.firefox.json.gz"), env)
        run(*program, "thread", "select", "t-0", env=env)
        said = json.loads(run(*program, "thread", "samples-top-down", "--json", env=env))
        assert said["friendlyThreadName"] == "main" and said["regularCallTree"]["totalSamples"] == 60
        node, names = said["regularCallTree"], []
        while node.get("children"):
            (node,) = node["children"]
            names.append(node["name"])
        assert names == ["app.Main.main", "app.Server.parse", "app.Server.serve"] and node["selfSamples"] == 60
        run(*program, "stop", "--all", env=env)
        load(program, picture("contexts.firefox.json", WORKER, BUILD), env)
        said = run(*program, "profile", "info", env=env)
        assert "6 threads across 2 processes" in said and "app.Build" in said and "app.Worker" in said, said
        run(*program, "thread", "select", "t-0", env=env)
        said = run(*program, "thread", "markers", env=env)
        assert "context" in said, said
    finally:
        run(*program, "stop", "--all", env=env)
