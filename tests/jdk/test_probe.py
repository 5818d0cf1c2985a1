"""hprof probe: the USDT probes of a JVM's libraries, against readelf, and what the program did.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import fcntl
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess

import pytest

from conftest import JDKS, TIMEOUT_S, compile_programs, one_jdk, wait_until
from kept import locked_memory
from test_refused_calls import refuse  # noqa: F401 (a fixture)

UPROBES = pathlib.Path("/sys/bus/event_source/devices/uprobe/type")
NOTE = """
#define NOTE(name, args) __asm__ volatile("990: nop\\n.pushsection .note.stapsdt,\\"\\",\\"note\\"\\n.balign 4\\n.4byte 992f-991f,994f-993f,3\\n" \\
    "991: .asciz \\"stapsdt\\"\\n992: .balign 4\\n993: .8byte 990b,_.stapsdt.base,0\\n.asciz \\"own\\"\\n.asciz \\"" name "\\"\\n.asciz \\"" args "\\"\\n" \\
    "994: .balign 4\\n.popsection")
__asm__(".pushsection .stapsdt.base,\\"aG\\",\\"progbits\\",.stapsdt.base,comdat\\n.weak _.stapsdt.base\\n.hidden _.stapsdt.base\\n"
        "_.stapsdt.base: .space 1\\n.size _.stapsdt.base,1\\n.popsection");
"""
HITS = NOTE + """
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) void hit(long number, int sign) { NOTE("hit", ARGS); }
int main(void) { puts("up"); fflush(stdout); while (access("go", F_OK) != 0) usleep(1000); for (int i = 0; i < 100; i++) hit(1000 + i % 3, -i); puts("done"); fflush(stdout); for (;;) pause(); }
"""


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs_perf")


@pytest.fixture(params=["links", "events"])
def uprobes(request):
    """The two ways to put probes: links of the kernel, and where it has none or refuses bpf(), an event for each processor and site."""
    if not UPROBES.exists() or os.geteuid() != 0:
        pytest.skip("no uprobes in this kernel, or not root")
    with locked_memory(fcntl.LOCK_SH):
        yield request.param


@pytest.fixture
def hprof(hprof, request, tmp_path):
    """The command; if probes are to be events, one whose calls of bpf() are refused."""
    if "uprobes" not in request.fixturenames or request.getfixturevalue("uprobes") == "links":
        return hprof
    return without_links(hprof, request.getfixturevalue("refuse"), tmp_path)


def without_links(hprof, refuse, tmp_path):  # noqa: F811
    program = tmp_path / "hprof-without-bpf"
    program.write_text("#!/bin/sh\nexec %s %s \"$@\"\n" % (" ".join(map(shlex.quote, refuse("bpf=EPERM"))), shlex.quote(hprof)))
    program.chmod(0o755)
    return str(program)


def probe(hprof, *words):
    return subprocess.run([hprof, "probe", *map(str, words)], capture_output=True, text=True, check=False, timeout=TIMEOUT_S)


def notes(path):
    """{(provider, name): number of sites} as readelf has them."""
    text = subprocess.run(["readelf", "-nW", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return collections.Counter(re.findall(r"Provider: (\S+)\s+Name: (\S+)", text))


def libjvm(java):
    return re.search(r"(/\S+/libjvm\.so)$", pathlib.Path("/proc/%d/maps" % java.pid).read_text(), re.M).group(1)


class Watching:
    """A `probe count` or `probe trace` whose probes are in place."""

    def __init__(self, hprof, pid, tmp_path, *words):
        listed = [json.loads(line) for line in probe(hprof, "--json", pid, "list", *[word for word in words if not word.startswith("-")][1:]).stdout.splitlines()]
        self.err = tmp_path / "probe.stderr"
        self.out = tmp_path / "probe.stdout"
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            options = [word for word in words if word.startswith("-")]
            rest = [word for word in words if not word.startswith("-")]
            self.process = subprocess.Popen([hprof, "probe", *options, str(pid), *rest], stdout=out, stderr=err)
        wait_until(lambda: "watching %d site" % len(listed) in self.err.read_text(), "probes", lambda: self.process.poll() is not None,
                   lambda: self.err.read_text())
        assert listed and all(is_breakpoint(pid, site) for site in listed)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(TIMEOUT_S) == 0, self.err.read_text()
        return self.out.read_text()


def is_breakpoint(pid, site):
    """Whether the code of the process has a breakpoint at the site."""
    for line in pathlib.Path("/proc/%d/maps" % pid).read_text().splitlines():
        words = line.split(maxsplit=5)
        if len(words) < 6 or "x" not in words[1] or os.path.basename(words[5]) != site["library"]:
            continue
        start, end = (int(word, 16) for word in words[0].split("-"))
        offset = int(words[2], 16)
        if offset <= site["offset"] < offset + end - start:
            with open("/proc/%d/mem" % pid, "rb") as memory:
                memory.seek(start + site["offset"] - offset)
                return memory.read(1) == b"\xcc"
    return False


def go(java, rounds=1):
    (java.cwd / "go").touch()
    java.wait_for_stdout("round %d" % rounds)


@pytest.mark.jdks(8, 11, 17, 21, 25, "newest")
def test_list_has_what_readelf_has(jdk, hprof, start_java):
    java = start_java(jdk, None, "ProbeWork", vm=("-XX:+UseSerialGC",))
    java.wait_for_stdout("up")
    library = libjvm(java)
    wanted = notes(library)
    listed = probe(hprof, "--json", java.pid, "list")
    sites = [json.loads(line) for line in listed.stdout.splitlines()]
    ours = collections.Counter((site["provider"], site["name"]) for site in sites if site["library"] == "libjvm.so")
    assert ours == wanted
    table = probe(hprof, java.pid, "list", "hotspot:*")
    if not wanted:
        assert table.returncode == 1 and len(table.stderr.splitlines()) == 1, table.stderr
        return
    assert all(site["usable"] for site in sites if site["library"] == "libjvm.so")
    rows = dict(re.findall(r"^(hotspot:\S+) +(\d+) ", table.stdout, re.M))
    assert {name: int(count) for name, count in rows.items()} == {"%s:%s" % key: count for key, count in wanted.items() if key[0] == "hotspot"}
    assert re.search(r"^hotspot:object__alloc .* thread class bytes  \(needs -XX:\+DTraceAllocProbes\)$", table.stdout, re.M)


@one_jdk
def test_a_process_without_probes_says_so(jdk, hprof):
    sleeper = subprocess.Popen(["sleep", "600"])
    try:
        none = probe(hprof, sleeper.pid, "list", "no_such_probe")
        assert none.returncode == 1 and len(none.stderr.splitlines()) == 1, none.stderr
    finally:
        sleeper.kill()
        sleeper.wait()


@pytest.mark.jdks(11, 17, 25, "newest")
def test_count_is_what_the_program_did(jdk, hprof, start_java, tmp_path, uprobes):
    java = start_java(jdk, None, "ProbeWork", vm=("-XX:+UseSerialGC", "-Xmx32m"))
    java.wait_for_stdout("up")
    watching = Watching(hprof, java.pid, tmp_path, "--json", "count", "hotspot:gc__*", "thread__start")
    go(java)
    counts = {row["probe"]: row["hits"] for row in map(json.loads, watching.end().splitlines())}
    assert counts["hotspot:gc__begin"] == counts["hotspot:gc__end"] == 7, counts
    assert counts["hotspot:thread__start"] >= 1, counts
    # the JVM goes on, and the next one counts anew
    watching = Watching(hprof, java.pid, tmp_path, "--by=pool", "--json", "count", "mem__pool__gc__begin")
    go(java, 2)
    pools = {row["pool"]: row["hits"] for row in map(json.loads, watching.end().splitlines())}
    assert pools["Eden Space"] == pools["Tenured Gen"] == 7, pools
    assert java.process.poll() is None


@pytest.mark.jdks(11, 17, 25, "newest")
def test_trace_has_arguments_and_texts(jdk, hprof, start_java, tmp_path, uprobes):
    java = start_java(jdk, None, "ProbeWork", vm=("-XX:+UseSerialGC", "-Xmx32m"))
    java.wait_for_stdout("up")
    watching = Watching(hprof, java.pid, tmp_path, "--json", "trace", "gc__begin", "class__loaded", "thread__start", "vmops__begin")
    go(java)
    hits = [json.loads(line) for line in watching.end().splitlines()]
    of = collections.defaultdict(list)
    for hit in hits:
        of[hit["probe"]].append(hit)
    assert [hit["time_ns"] for hit in hits] == sorted(hit["time_ns"] for hit in hits)
    assert [hit["full"] for hit in of["hotspot:gc__begin"]] == [1] * 7
    assert "ProbeWork$LoadedByProbeWork" in [hit["class"] for hit in of["hotspot:class__loaded"]]
    tids = {int(task.name) for task in pathlib.Path("/proc/%d/task" % java.pid).iterdir()}
    assert {hit["tid"] for hit in of["hotspot:gc__begin"]} <= tids
    # the name of a thread lies in memory that the VM gives back at once
    started = of["hotspot:thread__start"]
    assert started and all(hit["name"] is None and hit["native_id"] == hit["tid"] for hit in started), started
    assert all(re.fullmatch(r"\w+", hit["operation"]) for hit in of["hotspot:vmops__begin"])


@one_jdk
def test_above_the_rate_hits_are_counted_alone(jdk, hprof, start_java, tmp_path, uprobes):
    if jdk.number < 11:
        pytest.skip("no probes")
    java = start_java(jdk, None, "ProbeWork", vm=("-XX:+UseSerialGC", "-Xmx32m"))
    java.wait_for_stdout("up")
    watching = Watching(hprof, java.pid, tmp_path, "--max-rate=1", "trace", "mem__pool__gc__begin")
    go(java)
    lines = watching.end().splitlines()
    dropped, hits = map(int, re.search(r"probe: (\d+) of (\d+) hits were above --max-rate", watching.err.read_text()).groups())
    assert hits % 7 == 0 and len(lines) == hits - dropped and dropped > 0, (lines, hits, dropped)


def stack_of(hits, name):
    """The hit that loaded the class `name`, and the methods of ProbeStack in its stack with their lines."""
    [hit] = [hit for hit in hits if hit["class"] == name]
    return hit, [(frame["method"], frame["line"]) for frame in hit["stack"] if frame.get("class") == "ProbeStack"]


DOWN = [("load", 16), ("down", 28)] + [("down", 23)] * 5


def trace_stacks(hprof, java, tmp_path, rounds, *options):
    watching = Watching(hprof, java.pid, tmp_path, "--json", "--stack", *options, "trace", "hotspot:class__loaded")
    for round_ in range(rounds):
        go(java, round_ + 1)
    return [json.loads(line) for line in watching.end().splitlines()], watching.err.read_text()


@pytest.mark.parametrize("mode", ["-Xint", "-Xcomp"])
@pytest.mark.jdks(11, 17, 21, 25, "newest")
def test_a_hit_has_the_stack_of_its_moment(jdk, hprof, start_java, tmp_path, uprobes, mode):
    """Interpreted and compiled frames, those of the C code above and below them, and of a thread that ends behind the hit."""
    java = start_java(jdk, None, "ProbeStack", vm=("-XX:+UseSerialGC", mode, "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,ProbeStack::*"))
    java.wait_for_stdout("up")
    hits, err = trace_stacks(hprof, java, tmp_path, 2)
    first, methods = stack_of(hits, "ProbeStack$First")
    assert methods[:7] == DOWN and methods[-1][0] == "main", methods
    assert first["thread_name"] == "main" and first["stack_is_whole"], err
    top = first["stack"][0]
    assert "notify_class_loaded" in top["function"] and top["module"].endswith("libjvm.so"), top
    # below main() stands the C code that called it, up to the thread's first function
    assert any("JavaMain" in (frame.get("function") or "") for frame in first["stack"][-4:]), first["stack"][-4:]
    kinds = {frame["kind"] for frame in first["stack"] if frame.get("method") == "down"}
    assert kinds <= ({"interpreted"} if mode == "-Xint" else {"C1", "C2", "inlined"}), kinds
    second, methods = stack_of(hits, "ProbeStack$Second")
    assert second["tid"] != first["tid"] and second["stack_is_whole"], err
    assert methods[:7] == [("load", 18)] + DOWN[1:], methods


@pytest.mark.jdks(17, 25)
def test_a_stack_larger_than_the_copy_is_cut_and_counted(jdk, hprof, start_java, tmp_path, uprobes):
    java = start_java(jdk, None, "ProbeStack", vm=("-XX:+UseSerialGC",))
    java.wait_for_stdout("up")
    hits, err = trace_stacks(hprof, java, tmp_path, 1, "--stack-bytes=1024")
    hit, methods = stack_of(hits, "ProbeStack$First")
    assert methods == [] and not hit["stack_is_whole"] and "notify_class_loaded" in hit["stack"][0]["function"]
    cut = sum(not hit["stack_is_whole"] for hit in hits)
    walked, cut_said = map(int, re.search(r"of (\d+) stacks? (\d+) (?:is|are) cut", err).groups())
    assert (walked, cut_said) == (len(hits), cut), err


@pytest.mark.jdks(21, 25, "newest")
def test_frames_of_a_virtual_thread_in_the_heap_are_missed_and_said(jdk, hprof, start_java, tmp_path, uprobes):
    """The thread has parked six methods deep. When it goes on, one or two of its frames are on the stack, the others in the heap."""
    java = start_java(jdk, None, "ProbeStack", "virtual", vm=("-XX:+UseSerialGC",))
    java.wait_for_stdout("up")
    hits, err = trace_stacks(hprof, java, tmp_path, 1)
    hit, methods = stack_of(hits, "ProbeStack$First")
    assert methods[:2] == DOWN[:2] and len(methods) < len(DOWN), methods
    assert not hit["stack_is_whole"] and any(frame.get("cut") for frame in hit["stack"]), hit
    assert "frames of a virtual thread that lay in the heap" in err, err


@pytest.mark.jdks(11, 17, 25, "newest")
def test_a_recording_has_typed_events_that_the_jdk_reads(jdk, hprof, start_java, tmp_path, uprobes):
    java = start_java(jdk, None, "ProbeStack", vm=("-XX:+UseSerialGC",))
    java.wait_for_stdout("up")
    file = tmp_path / "hits.jfr"
    watching = Watching(hprof, java.pid, tmp_path, "--output=%s" % file, "--stack", "trace", "class__loaded", "thread__start")
    go(java, 1)
    go(java, 2)
    assert watching.end() == ""
    shown = subprocess.run([jdk.tool("jfr"), "print", "--json", "--stack-depth", "64", str(file)], capture_output=True, text=True, check=True).stdout
    events = [event for event in json.loads(shown)["recording"]["events"] if event["type"].startswith("probe.")]
    of = {event["values"]["class"]: event["values"] for event in events if event["type"] == "probe.hotspot.class__loaded"}
    first, second = of["ProbeStack$First"], of["ProbeStack$Second"]
    assert first["eventThread"]["osThreadId"] != second["eventThread"]["osThreadId"] and first["eventThread"]["javaName"] == "main", (first, second)
    frames = first["stackTrace"]["frames"]
    own = [(frame["method"]["name"], frame["lineNumber"]) for frame in frames if frame["method"]["type"]["name"] == "ProbeStack"]
    assert own[:7] == DOWN and not first["stackTrace"]["truncated"], own
    [started] = [event["values"] for event in events if event["type"] == "probe.hotspot.thread__start" and event["values"]["native_id"] == second["eventThread"]["osThreadId"]]
    assert started["daemon"] == 0 and started["name"] is None, started
    # our own readers
    printed = subprocess.run([hprof, "jfr", "print", "--events", "probe.hotspot.class__loaded", str(file)], capture_output=True, text=True, check=True).stdout
    assert printed.count("probe.hotspot.class__loaded {") == len([event for event in events if event["type"] == "probe.hotspot.class__loaded"])
    report = subprocess.run([hprof, "report", "-v", str(file)], capture_output=True, text=True, check=True)
    loaded = len([event for event in events if event["type"] == "probe.hotspot.class__loaded"])
    assert re.search(r"^ +0\.00%% +0\.000 +%d  probe\.hotspot\.class__loaded$" % loaded, report.stdout, re.M), report.stdout
    assert "%d stacks at hits of probes" % len(events) in report.stdout, report.stdout


@one_jdk
def test_a_recording_has_at_most_64_probes(jdk, hprof, start_java, tmp_path, uprobes):
    if jdk.number < 11:
        pytest.skip("no probes")
    java = start_java(jdk, None, "ProbeStack", vm=("-XX:+UseSerialGC",))
    java.wait_for_stdout("up")
    refused = probe(hprof, "-o", tmp_path / "x.jfr", "-d", "1s", java.pid, "trace", "hotspot_jni:*")
    assert refused.returncode == 1 and "at most 64 probes" in refused.stderr and len(refused.stderr.splitlines()) == 1, refused.stderr
    assert not (tmp_path / "x.jfr").exists()


@pytest.fixture
def own(tmp_path):
    """own(source, *flags): a program in C that has said "up" and waits for the file "go" in tmp_path."""
    started = []

    def start(source, *flags):
        (tmp_path / "own.c").write_text(source)
        subprocess.run(["cc", "-O1", *flags, "-o", str(tmp_path / "own"), str(tmp_path / "own.c")], check=True)
        process = subprocess.Popen([str(tmp_path / "own")], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout.readline() == "up\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def program(own):
    """program(*flags): one with probes of its own."""
    def start(*flags, args="8@%rdi -4@%esi"):
        if os.uname().machine != "x86_64":
            pytest.skip("the descriptors are those of x86-64")
        return own(HITS, "-DARGS=\"%s\"" % args, *flags)
    return start


@one_jdk
def test_arguments_of_any_program(jdk, hprof, program, tmp_path, uprobes):
    """Numbers with and without a sign, and a probe that no table knows."""
    process = program("-Wl,--build-id")
    watching = Watching(hprof, process.pid, tmp_path, "--json", "trace", "own:hit")
    (tmp_path / "go").touch()
    assert process.stdout.readline() == "done\n"
    hits = [json.loads(line) for line in watching.end().splitlines()]
    assert [(hit["arg1"], hit["arg2"]) for hit in hits] == [(1000 + i % 3, -i) for i in range(100)]
    assert all(hit["tid"] == process.pid for hit in hits)


@one_jdk
def test_stacks_of_a_process_without_a_vm(jdk, hprof, program, tmp_path, uprobes):
    process = program("-Wl,--build-id")
    watching = Watching(hprof, process.pid, tmp_path, "--json", "--stack", "trace", "own:hit")
    (tmp_path / "go").touch()
    assert process.stdout.readline() == "done\n"
    hits = [json.loads(line) for line in watching.end().splitlines()]
    assert len(hits) == 100 and all([frame["function"] for frame in hit["stack"][:2]] == ["hit", "main"] for hit in hits), hits[:1]
    assert all(hit["stack_is_whole"] and hit["arg1"] == 1000 + i % 3 for i, hit in enumerate(hits)), hits[:1]


@one_jdk
def test_a_file_that_may_be_another_gets_no_probe(jdk, hprof, program, tmp_path, uprobes):
    process = program("-Wl,--build-id=none")
    assert "(1 cannot be used)" in probe(hprof, process.pid, "list", "own:*").stdout
    refused = probe(hprof, "-d", "1s", process.pid, "count", "own:hit")
    assert refused.returncode == 1 and "no probe may be put" in refused.stderr, refused.stderr
    (tmp_path / "go").touch()
    assert process.stdout.readline() == "done\n"


@one_jdk
def test_without_the_right_list_works_and_count_says_what_is_missing(jdk, hprof, program):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("takes root, and setpriv")
    process = program("-Wl,--build-id")
    drop = ",".join("-cap_%d" % number for number in (21, 38, 40))
    before = ["setpriv", "--bounding-set", drop, "--inh-caps", drop, hprof, "probe"]
    listed = subprocess.run([*before, str(process.pid), "list", "own:*"], capture_output=True, text=True, check=False)
    assert listed.returncode == 0 and "own:hit" in listed.stdout, listed.stderr
    refused = subprocess.run([*before, "-d", "1s", str(process.pid), "count", "own:hit"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and len(refused.stderr.splitlines()) == 1 and "CAP_PERFMON" in refused.stderr, refused.stderr
