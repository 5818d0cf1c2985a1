"""hprof metrics: what it reads from outside is what the JVM's own management beans, jstat and /proc say.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest

import foreign
from asking import ask, open_command  # noqa: F401
from conftest import TIMEOUT_S, clean_environment, compile_programs, one_jdk, wait_until

PROMETHEUS_CLIENT = "0.26.0"
COLLECTORS = {"Serial": 8, "Parallel": 8, "G1": 8, "Shenandoah": 17, "Z": 17}
READ_TEXT = """
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
print(json.dumps([[f.name, f.type, f.unit, [[s.name, s.labels, s.value] for s in f.samples]] for f in text_string_to_metric_families(sys.stdin.read())]))
"""


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs_metrics")


def has(jdk, collector):
    if jdk.number < COLLECTORS[collector]:
        pytest.skip("JDK %d does not have it" % jdk.number)


@pytest.fixture
def beans(start_java):
    """beans(jdk, *options): a JVM that does nothing any more, and what its beans said of it: {kind: {name: fields}}."""
    def start(jdk, *vm, megabytes=64):
        java = start_java(jdk, None, "Beans", megabytes, vm=("-Xmx96m",) + vm)
        java.wait_for_stdout("running")
        said = collections.defaultdict(dict)
        for line in java.out.read_text().partition("told\n")[2].splitlines():
            kind, *fields = line.split("|")
            if kind in ("pool", "gc", "buffer"):
                said[kind][fields[0]] = fields[1:]
            elif kind == "state":
                said[kind][(fields[0], fields[1])] = int(fields[2])
            elif fields:
                said[kind] = [int(field) for field in fields]
        return java, said
    return start


class Reading:
    """What `hprof metrics --json` says of one JVM."""

    def __init__(self, text, pid):
        self.all = json.loads(text)
        self.jvm = next(jvm for jvm in self.all["jvms"] if jvm["pid"] == pid)

    def points(self, name):
        return self.jvm["metrics"].get(name, {"points": []})["points"]

    def value(self, name, **labels):
        """The value of the point with these attributes, whose dots are underscores here; None if there is none."""
        found = [p for p in self.points(name) if all(p.get("attributes", {}).get(k.replace("_", ".")) == v for k, v in labels.items())]
        assert len(found) <= 1, found
        return found[0].get("value", found[0]) if found else None

    def by(self, name, label):
        return {p["attributes"][label]: p for p in self.points(name)}


def read(hprof, pid):
    return Reading(ask(hprof, "metrics", "--json", pid)[0], pid)


def near(a, b, share=0.02, least=1 << 17):
    return abs(a - b) <= max(least, share * max(abs(a), abs(b)))


@pytest.mark.parametrize("collector", COLLECTORS)
@pytest.mark.everyday(8, 17, 25, 27)
def test_values_are_those_of_the_beans(hprof, beans, jdk, collector):
    """After a full collection nothing moves any more: pools, collections, threads, buffers, classes."""
    has(jdk, collector)
    java, said = beans(jdk, "-XX:+Use%sGC" % collector)
    got = read(hprof, java.pid)
    used, committed = got.by("jvm.memory.used", "jvm.memory.pool.name"), got.by("jvm.memory.committed", "jvm.memory.pool.name")
    heap_pools = {name for name, pool in said["pool"].items() if pool[0] == "HEAP"}
    ours = {name for name, p in used.items() if p["attributes"]["jvm.memory.type"] == "heap"}
    if collector != "Shenandoah" or "Shenandoah" in heap_pools:
        assert ours == heap_pools
    whole = sum(p["value"] for p in used.values() if p["attributes"]["jvm.memory.type"] == "heap")
    assert near(whole, said["heap"][0], least=8 << 20 if collector == "Z" else 3 << 20), (whole, said["heap"])
    for name in sorted(ours & heap_pools):
        # ZGC writes its counters while it collects, not at the end.
        least = 8 << 20 if used[name]["attributes"].get("hprof.as_of") and collector == "Z" else 3 << 20
        assert near(used[name]["value"], int(said["pool"][name][1]), least=least), (name, used[name], said["pool"][name])
        if "Survivor" not in name:
            assert near(committed[name]["value"], int(said["pool"][name][2]), least=least), (name, committed[name], said["pool"][name])
    live = got.value("hprof.heap.used")
    assert near(live, said["heap"][0], least=16 << 20 if collector == "Z" else 4 << 20), (live, said["heap"])
    meta = used["Metaspace"]
    assert near(meta["value"], int(said["pool"]["Metaspace"][1]), share=0.05), (meta, said["pool"]["Metaspace"])
    collections_of = got.by("jvm.gc.duration", "jvm.gc.name")
    for name, (count, ms) in said["gc"].items():
        if name in collections_of and not name.startswith(("Shenandoah", "ZGC")):
            assert collections_of[name]["count"] == int(count), (name, collections_of)
            assert abs(collections_of[name]["sum"] * 1000 - int(ms)) <= 2 + int(count), (name, ms, collections_of)
    if collector in ("Serial", "Parallel", "G1"):
        assert set(said["gc"]) <= set(collections_of)
    states = {(p["attributes"]["jvm.thread.daemon"], p["attributes"]["jvm.thread.state"]): int(p["value"]) for p in got.points("jvm.thread.count")}
    assert {key: n for key, n in states.items() if n} == said["state"]
    live_threads, daemons, peak, started = said["threads"]
    assert (sum(states.values()), sum(n for (daemon, _), n in states.items() if daemon == "true")) == (live_threads, daemons)
    assert (got.value("hprof.thread.peak"), got.value("hprof.thread.started")) == (peak, started)
    for name in ("direct", "mapped"):
        count, memory, capacity = (int(field) for field in said["buffer"][name])
        assert (got.value("jvm.buffer.count", jvm_buffer_pool_name=name), got.value("jvm.buffer.memory.used", jvm_buffer_pool_name=name),
                got.value("jvm.buffer.memory.limit", jvm_buffer_pool_name=name)) == (count, memory, capacity), name
    loaded, unloaded = said["class"]
    assert abs(got.value("jvm.class.loaded") - loaded) <= 3 and got.value("jvm.class.unloaded") >= unloaded
    assert got.value("jvm.class.count") == got.value("jvm.class.loaded") - got.value("jvm.class.unloaded")
    assert got.value("jvm.cpu.count") == said["cpus"][0]
    assert abs(got.value("jvm.file_descriptor.count") - said["files"][0]) <= 3 and got.value("jvm.file_descriptor.limit") == said["files"][1]
    # The thread that has ended allocated 32 MB; the bean of a live thread does not count them.
    allocated, ended = said["allocated"][0], 32 << 20 if jdk.number >= 11 else 0
    assert near(got.value("hprof.memory.allocated"), allocated + ended, least=8 << 20), (got.value("hprof.memory.allocated"), allocated)


@pytest.mark.jdks(8, 17, 25, 27)
def test_counts_are_those_of_jstat(hprof, beans, jdk):
    java, _ = beans(jdk, "-XX:+UseSerialGC")
    counters = {row["name"]: row["value"] for row in json.loads(ask(hprof, "counters", "--json", java.pid)[0])}
    got, hz = read(hprof, java.pid), counters["sun.os.hrt.frequency"]
    assert got.value("hprof.compilation.count", hprof_compilation_kind="standard") >= counters["sun.ci.standardCompiles"] > 0
    assert got.value("hprof.compilation.time") * hz >= counters["java.ci.totalTime"] > 0
    assert got.value("hprof.safepoint.count") >= counters["sun.rt.safepoints"] > 0
    assert got.value("hprof.safepoint.time", hprof_safepoint_phase="sync") * hz >= counters["sun.rt.safepointSyncTime"] > 0
    assert got.value("hprof.safepoint.time", hprof_safepoint_phase="stopped") > 0
    assert got.value("hprof.safepoint.current") == 0
    assert got.value("jvm.memory.limit", jvm_memory_pool_name="Tenured Gen") == counters["sun.gc.generation.1.space.0.maxCapacity"]


@pytest.mark.jdks(17)
def test_process_is_that_of_proc(hprof, beans, jdk):
    java, _ = beans(jdk)
    stat = pathlib.Path("/proc/%d/stat" % java.pid)
    faults = int(stat.read_text().rpartition(")")[2].split()[7])
    got = read(hprof, java.pid)
    status = dict(line.split(":", 1) for line in pathlib.Path("/proc/%d/status" % java.pid).read_text().splitlines())
    assert near(got.value("process.memory.usage"), int(status["VmRSS"].split()[0]) << 10, least=4 << 20)
    assert near(got.value("process.memory.virtual"), int(status["VmSize"].split()[0]) << 10, least=4 << 20)
    assert got.value("process.thread.count") == int(status["Threads"])
    fields = stat.read_text().rpartition(")")[2].split()
    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    assert abs(got.value("jvm.cpu.time") - seconds) < 0.5 and got.value("process.uptime") > 0
    assert faults <= got.value("process.paging.faults", system_paging_fault_type="minor") <= int(fields[7]), "of all threads"
    two = read(hprof, java.pid)
    for name in ("jvm.cpu.time", "hprof.memory.allocated", "hprof.safepoint.count", "process.uptime"):
        assert two.value(name) >= got.value(name), name


@pytest.mark.parametrize("collector", ["Serial", "Parallel", "G1", "Z", "Shenandoah"])
@pytest.mark.jdks(25, 27)
def test_heap_is_of_this_moment(hprof, start_java, jdk, collector):
    """The counters of these JDKs move only when the VM collects; what is read here moves with the program."""
    java = start_java(jdk, None, "Beans", "4", vm=("-Xmx96m", "-Xmn64m", "-XX:+Use%sGC" % collector) if collector in ("Serial", "Parallel")
                      else ("-Xmx256m", "-XX:+Use%sGC" % collector))
    java.wait_for_stdout("running")
    got = read(hprof, java.pid)
    live = got.value("hprof.heap.used")
    assert live > 0
    eden = [p for p in got.points("jvm.memory.used") if "Eden" in p["attributes"]["jvm.memory.pool.name"]]
    assert all("hprof.as_of" not in p["attributes"] for p in eden)
    if collector in ("Serial", "Parallel"):
        assert got.points("jvm.memory.used_after_last_gc")
        heap_info = ask(hprof, "jcmd", java.pid, "GC.heap_info")[0]
        young = int(re.search(r"(?:DefNew|def new generation|PSYoungGen)\s.*used (\d+)K", heap_info)[1]) << 10
        now = read(hprof, java.pid)
        ours = sum(p["value"] for p in now.points("jvm.memory.used") if re.search("Eden|Survivor", p["attributes"]["jvm.memory.pool.name"]))
        assert near(ours, young, least=1 << 20), (ours, heap_info)
    if collector == "Z":
        assert {p["attributes"].get("hprof.as_of") for p in got.points("jvm.memory.used") if p["attributes"]["jvm.memory.type"] == "heap"} == {"last_gc"}


@pytest.mark.parametrize("collector", COLLECTORS)
@pytest.mark.everyday(8, 17, 25, 27)
def test_text_is_openmetrics(hprof, beans, jdk, collector):
    """As the reference parser of Prometheus takes it; names and values are those of the JSON."""
    has(jdk, collector)
    python = foreign.pypi("prometheus_client", PROMETHEUS_CLIENT)
    java, _ = beans(jdk, "-XX:+Use%sGC" % collector, "-Dpassword=geheim")
    text = ask(hprof, "metrics", java.pid)[0]
    assert "geheim" not in text and text.endswith("# EOF\n")
    done = subprocess.run([python, "-c", READ_TEXT], input=text, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    families = {family[0]: family for family in json.loads(done.stdout)}
    assert families["jvm_memory_used_bytes"][1:3] == ["gauge", "bytes"] and families["jvm_gc_duration_seconds"][1] == "histogram"
    assert families["jvm_cpu_time_seconds"][1] == "counter" and families["hprof_jvm"][1] == "info"
    for name, _, _, samples in families.values():
        for sample, labels, value in samples:
            if not name.startswith(("hprof_jvms", "hprof_scrape")):
                assert labels["process_pid"] == str(java.pid) and labels["jvm_main_class"] == "Beans", sample
            assert value >= 0, sample
    assert {family[0] for family in families.values()} == {family_name(n, m) for n, m in all_metrics(read(hprof, java.pid)).items()}


def all_metrics(reading):
    return {**reading.jvm["metrics"], **reading.all["metrics"]}


def family_name(name, metric):
    return name.replace(".", "_") + {"By": "_bytes", "s": "_seconds", "1": ""}[metric["unit"]]


class Server:
    """hprof metrics --serve: its process, and where it is."""

    def __init__(self, hprof, *args):
        self.process = subprocess.Popen([hprof, "metrics", *[str(arg) for arg in args]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=clean_environment())
        self.place = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/metrics", self.place)
        self.port = int(match[1]) if match else None

    def get(self, path="/metrics", method="GET", host=None, connection=None):
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        connection.putrequest(method, path, skip_host=True)
        if host is None:
            host = "127.0.0.1:%s" % self.port
        if host:
            connection.putheader("Host", host)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer, body

    def raw(self, data):
        with socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_S) as peer:
            peer.sendall(data)
            said = b""
            while True:
                try:
                    piece = peer.recv(1 << 16)
                except ConnectionResetError:
                    return said
                if not piece:
                    return said
                said += piece

    def numbers(self):
        """Resident kilobytes, threads and descriptors of the server, once its last connection is closed."""
        status = pathlib.Path("/proc/%d/status" % self.process.pid).read_text()
        counts = []
        for _ in range(50):
            counts.append(len(os.listdir("/proc/%d/fd" % self.process.pid)))
            time.sleep(0.01)
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]), int(re.search(r"Threads:\s+(\d+)", status)[1]), min(counts)

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        said = self.process.communicate(timeout=TIMEOUT_S)
        return self.process.returncode, said[1]


@pytest.fixture
def serve(hprof):
    servers = []

    def start(*args):
        servers.append(Server(hprof, *args))
        return servers[-1]
    yield start
    for server in servers:
        server.end(signal.SIGKILL)


@one_jdk
def test_server_answers_one_question(serve, beans, jdk):
    java, _ = beans(jdk, "-Dpassword=geheim")
    server = serve("--serve", "127.0.0.1:0", java.pid)
    answer, body = server.get()
    assert answer.status == 200 and body.endswith("# EOF\n") and "geheim" not in body
    assert answer.getheader("Content-Type") == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert 'jvm_main_class="Beans"' in body
    assert server.get(host="localhost:%d" % server.port)[0].status == 200
    assert server.get("/metrics?x=y")[0].status == 200
    assert [server.get(path)[0].status for path in ("/", "/metrics/", "/metric", "/../metrics")] == [404] * 4
    for method in ("HEAD", "OPTIONS"):
        answer = server.get(method=method)[0]
        assert (answer.status, answer.getheader("Allow")) == (405, "GET")
    assert [server.get(method=method)[0].status for method in ("POST", "PUT", "DELETE")] == [405] * 3
    assert [server.get(host=host)[0].status for host in ("evil.example", "evil.example:%d" % server.port, "127.0.0.1", "")] == [403] * 4
    assert b" 431 " in server.raw(b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 9000)
    assert b" 400 " in server.raw(b"GET metrics HTTP/1.1\r\n\r\n")
    two_hosts = b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nHost: x\r\n\r\n" % server.port
    assert b" 403 " in server.raw(two_hosts)
    java.signal(signal.SIGKILL)
    java.process.wait()
    assert server.get()[0].status == 500
    rc, said = server.end()
    assert rc == 1 and said == "hprof: metrics: %d: the JVM has ended\n" % java.pid


@one_jdk
def test_server_of_a_socket(hprof, serve, beans, jdk, tmp_path):
    java, _ = beans(jdk)
    path = tmp_path / "s"
    server = serve("--serve", "unix:%s" % path, java.pid)
    assert server.place == "unix:%s" % path and path.stat().st_mode & 0o7777 == 0o600
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(path))
        peer.sendall(b"GET /metrics HTTP/1.1\r\nHost: anything\r\n\r\n")
        said = b""
        while piece := peer.recv(1 << 16):
            said += piece
    assert b" 200 OK" in said and said.endswith(b"# EOF\n")
    assert "another program listens there" in ask(hprof, "metrics", "--serve", "unix:%s" % path, java.pid, status=1)[1]
    assert server.end() == (0, "") and not path.exists()
    path.write_text("mine")
    assert "not a socket" in ask(hprof, "metrics", "--serve", "unix:%s" % path, java.pid, status=1)[1]
    assert path.read_text() == "mine"


@one_jdk
def test_jvms_come_and_go(serve, beans, jdk):
    first, _ = beans(jdk)
    server = serve("--serve", "127.0.0.1:0", "all")

    def pids():
        return set(re.findall(r'hprof_jvm_info\{process_pid="(\d+)"', server.get()[1]))
    assert str(first.pid) in pids()
    second, _ = beans(jdk)
    wait_until(lambda: str(second.pid) in pids(), "the new JVM")
    first.signal(signal.SIGKILL)
    first.process.wait()
    assert str(first.pid) not in pids()
    assert server.end(signal.SIGINT) == (0, "")


@one_jdk
def test_slow_peers_do_not_hold_the_server(serve, beans, jdk):
    java, _ = beans(jdk)
    server = serve("--serve", "127.0.0.1:0", java.pid)
    idle = [socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT_S) for _ in range(64)]
    for peer in idle[::2]:
        peer.sendall(b"GET /met")
    assert server.get()[0].status == 200
    assert len(os.listdir("/proc/%d/fd" % server.process.pid)) < 64
    for peer in idle:
        peer.close()


@pytest.mark.jdks(8, 25)
def test_ten_thousand_scrapes_leave_nothing(serve, beans, jdk, request):
    """Memory, threads and descriptors of the server after the last scrape are those after the first hundred."""
    java, _ = beans(jdk)
    server = serve("--serve", "127.0.0.1:0", java.pid)
    for _ in range(100):
        assert server.get()[0].status == 200
    before = server.numbers()
    for _ in range(10000 if not request.config.option.everyday else 1000):
        assert server.get()[0].status == 200
    after = server.numbers()
    assert after[1:] == before[1:] == (1, before[2]) and after[0] - before[0] < 1024, (before, after)


@pytest.mark.jdks(17, 25)
def test_a_scrape_stops_nothing(hprof, serve, beans, jdk):
    """Neither a safepoint nor a tracer comes with it; the JVM opens no socket for questions."""
    java, _ = beans(jdk)
    server = serve("--serve", "127.0.0.1:0", java.pid)
    server.get()
    before = read(hprof, java.pid).value("hprof.safepoint.count")
    states = set()
    for _ in range(200):
        assert server.get()[0].status == 200
        status = pathlib.Path("/proc/%d/status" % java.pid).read_text()
        states.add((re.search(r"State:\s+(\w)", status)[1], re.search(r"TracerPid:\s+(\d+)", status)[1]))
    assert {state for state, _ in states} <= {"S", "R", "D"} and {tracer for _, tracer in states} == {"0"}
    # The VM may stop its threads by itself once a second.
    assert read(hprof, java.pid).value("hprof.safepoint.count") - before < 50
    assert not pathlib.Path("/proc/%d/root/tmp/.java_pid%d" % (java.pid, java.pid)).exists()


@pytest.mark.jdks(8, 17, 25)
def test_without_counters_memory_remains(hprof, beans, jdk):
    java, said = beans(jdk, "-XX:-UsePerfData", "-XX:+UseSerialGC")
    got = read(hprof, java.pid)
    assert near(got.value("jvm.memory.used", jvm_memory_pool_name="Tenured Gen"), int(said["pool"]["Tenured Gen"][1]))
    assert sum(p["value"] for p in got.points("jvm.thread.count")) == said["threads"][0]
    assert got.points("jvm.gc.duration") == [] and got.value("jvm.cpu.time") > 0
    shared, _ = beans(jdk, "-XX:+PerfDisableSharedMem")
    assert read(hprof, shared.pid).value("jvm.class.loaded") > 0


@one_jdk
def test_other_users_are_counted(open_command, beans, jdk):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("takes root, and setpriv")
    java, _ = beans(jdk)
    before = ("setpriv", "--reuid=65533", "--regid=65533", "--clear-groups")
    text, said = ask(open_command, "metrics", "--json", "all", before=before)
    reading = json.loads(text)
    assert java.pid not in [jvm["pid"] for jvm in reading["jvms"]]
    hidden = [p["value"] for p in reading["metrics"]["hprof.jvms"]["points"] if p["attributes"]["hprof.jvms.state"] == "hidden"]
    assert hidden[0] >= 1 and "of other users cannot be looked at" in said


@one_jdk
def test_allocation_of_ended_threads_is_kept(serve, start_java, jdk):
    """A counter never falls, though threads come and go."""
    java = start_java(jdk, None, "Beans", "512")
    java.wait_for_stdout("running")
    server = serve("--serve", "127.0.0.1:0", java.pid)
    values = [float(re.search(r"hprof_memory_allocated_bytes_total\{[^}]*\} (\S+)", server.get()[1])[1]) for _ in range(20)]
    assert values == sorted(values) and values[0] >= 512 << 20
