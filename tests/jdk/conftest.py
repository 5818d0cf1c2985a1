"""Fixtures of the tests that run real JVMs.

`jdk` runs a test once for each JDK of `tools/test-jdks --all`, with `--everyday` for each of `tools/test-jdks`, which has no other one
to see then; a JDK that is missing shows up as a skipped test and in the header. `@pytest.mark.jdks(8, "newest")` narrows that to some, `jdks(since=21)` to those from 21 on. `agent` is the libhprof.so under test, `classes` the
folder with the compiled test programs, `java` starts a JVM in a folder of its own: see class Java.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import emulated
import left
import pytest

from kept import made_once
from selection import (old_and_new, one_jdk, pytest_addoption, pytest_collection_modifyitems,  # noqa: F401 (marks, hooks)
                       pytest_runtestloop)

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_S = 120 * (emulated.EMULATOR_S if emulated.CPU else 1)
ANSWER_MS = 60000
# The VM reads these by itself; what the caller has set there is no part of a test.
VM_VARIABLES = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_HPROF_OPTIONS", "LD_LIBRARY_PATH")


class Jdk(collections.namedtuple("Jdk", "id home version")):
    """A JDK: its id as tools/test-jdks has it, its JAVA_HOME, its version line."""

    @property
    def number(self):
        """The feature number; several builds may have the same."""
        return feature_number(self.id)

    def tool(self, name):
        return str(pathlib.Path(self.home, "bin", name))

    def short_tool(self, name):
        """The start of a command of the JDK that is no JVM under test: for so short a life the second compiler does not pay."""
        return [self.tool(name)] + ["%s-XX:%s" % ("" if name == "java" else "-J", flag) for flag in ("TieredStopAtLevel=1", "+UseSerialGC")]

    def asking_tool(self, name):
        """The start of a command that asks another JVM; by itself it waits for an answer for 5 or 10 s only."""
        return [*self.short_tool(name), "%s-Dsun.tools.attach.attachTimeout=%d" % ("" if name == "java" else "-J", ANSWER_MS)]

    @property
    def original_agent(self):
        """The agent that JDK 8 ships; None in later JDKs."""
        path = pathlib.Path(self.home, "jre/lib/amd64/libhprof.so")
        return path if path.exists() else None


def feature_number(jdk_id):
    return int(jdk_id.partition("-")[0])


def ask_jdks(*options):
    """The lines of tools/test-jdks, which tests/run has asked for all processes of tests."""
    if emulated.CPU:
        return emulated.ask_jdks(*options)
    asked = json.loads(os.environ.get("HPROF_TEST_JDKS") or "{}")
    if " ".join(options) in asked:
        return asked[" ".join(options)]
    return subprocess.run([str(ROOT / "tools/test-jdks")] + list(options), stdout=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).stdout.splitlines()


# The ids of the JDKs that `make test` runs with, and of all; the builds that are here; by number, the first build of each.
EVERYDAY = ask_jdks("--ids")
WANTED = ask_jdks("--all", "--ids")
BUILDS = {line.split("\t")[0]: Jdk(*line.split("\t")) for line in ask_jdks("--all", "--list")}
JDKS = {jdk.number: jdk for jdk in BUILDS.values() if jdk.id.isdigit()}
NEWEST = {max(map(feature_number, ids)) for ids in (EVERYDAY, WANTED)}


def hide_others_than_everyday():
    """So that what `make test` does is the same wherever it runs, and not a matter of which JDKs lie about."""
    WANTED[:] = EVERYDAY
    for jdk_id in [jdk_id for jdk_id in BUILDS if jdk_id not in EVERYDAY]:
        del BUILDS[jdk_id]
    for number in [number for number, jdk in JDKS.items() if jdk.id not in EVERYDAY]:
        del JDKS[number]
    NEWEST.intersection_update({max(map(feature_number, EVERYDAY))})


def pytest_configure(config):
    config.everyday_jdks = EVERYDAY
    config.left = left.Left()
    if config.option.everyday:
        hide_others_than_everyday()
    config.addinivalue_line("markers", 'jdks(*numbers, since=N): run with these JDKs, and those from N on; "newest" is'
                                       " the newest of the everyday set, and the newest of all")
    config.addinivalue_line("markers", "emulated: also runs with JVMs of another CPU under an emulator; see emulated.py")
    config.addinivalue_line("markers", "not_emulated(why): does not, though its file does")
    config.addinivalue_line("markers", "everyday(*jdks, parameter=values): with --everyday, run with these alone; see selection.py")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    yield
    item.config.left.clear()


def pytest_unconfigure(config):
    config.left.end()


def pytest_report_header():
    missing = [jdk_id for jdk_id in WANTED if jdk_id not in BUILDS]
    lines = ["JDKs: " + ", ".join("%s (%s)" % (jdk.id, jdk.home) for jdk in BUILDS.values())]
    if missing:
        lines.append("JDKs MISSING, their tests are SKIPPED: %s (run tools/test-jdks --all)" % ", ".join(missing))
    return lines


def jdk_is_marked(mark, number):
    """Whether `@pytest.mark.jdks` of a test, None if it has none, lets it run with a JDK of that number."""
    if mark is None:
        return True
    return (number in mark.args or number >= mark.kwargs.get("since", number + 1)
            or ("newest" in mark.args and number in NEWEST))


def pytest_generate_tests(metafunc):
    if "jdk" not in metafunc.fixturenames:
        return
    mark = metafunc.definition.get_closest_marker("jdks")
    params = []
    for jdk_id in WANTED:
        if jdk_is_marked(mark, feature_number(jdk_id)):
            missing = pytest.mark.skip(reason="JDK %s is not here: run tools/test-jdks --all" % jdk_id)
            params.append(pytest.param(BUILDS.get(jdk_id), id="jdk" + jdk_id, marks=[] if jdk_id in BUILDS else [missing]))
    metafunc.parametrize("jdk", params, scope="session")


def built(name):
    """The path of a file of the build under test, HPROF_BUILD or build/; `make` leaves links to the programs on top."""
    build = ROOT / os.environ.get("HPROF_BUILD", "build")
    for path in (build / name, build / pathlib.Path(name).name):
        if path.exists():
            return path.resolve()
    return pytest.fail("no %s in %s: run make, or set HPROF_BUILD" % (name, build))


@pytest.fixture(scope="session")
def agent():
    """The path of the agent under test."""
    return built("src/agent/libhprof.so")


SEAMS = re.compile(r"\b(proc|dumptest|selftest|dumpstuck|noreader|timesboth|timescost|threadlate)=")


def agent_for(options):
    """The path of the agent that knows such options: what lets a test look inside is not in the one that people use."""
    return built("src/agent/libhprof%s.so" % ("-test" if SEAMS.search(options) else ""))


@pytest.fixture(scope="session")
def hprof():
    """The path of the command under test, as text."""
    return str(emulated.program(built("src/cli/hprof")))


def compiler(since=8):
    """The oldest JDK here from `since` on: what it compiles, all the others can load."""
    jdks = {jdk.number: jdk for jdk in (Jdk(*line.split("\t")) for line in emulated.neighbours()) if jdk.id.isdigit()} or JDKS
    numbers = [number for number in jdks if number >= since]
    return jdks[min(numbers)] if numbers else pytest.skip("no JDK from %d on is here: run tools/test-jdks" % since)


def compile_programs(tmp_path_factory, name, since=8):
    """The programs in the folder `name` beside this file, as class files that every JDK here from `since` on can load."""
    oldest = compiler(since)
    folder = tmp_path_factory.mktemp("classes")
    version = [] if oldest.number == 8 else ["--release", str(since)]
    sources = sorted((HERE / name).glob("*.java"))
    return made_once(sources, lambda into: [oldest.tool("javac"), "-nowarn", "-encoding", "UTF-8", "-d", into] + version +
                     [str(source) for source in sources], folder, clean_environment())


def compile_library(tmp_path_factory, name, *flags):
    """native/NAME.c as a shared library: its path."""
    include = subprocess.run([str(ROOT / "tools/find-jdk-include")], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.strip()
    source, library = HERE / "native" / (name + ".c"), "lib%s.so" % name
    return made_once([source, *sorted(source.parent.glob("*.h"))], lambda into: [
        "cc", "-std=gnu11", "-O1", "-shared", "-fPIC", *flags, "-I" + include, "-I" + include + "/linux", "-o",
        os.path.join(into, library), str(source)], tmp_path_factory.mktemp("native")) / library


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """tests/jdk/programs, compiled once."""
    return compile_programs(tmp_path_factory, "programs")


# Under nohup SIGHUP is ignored, behind a shell's & SIGINT, and stays so in what is started: there a JVM with -Xcheck:jni warns of it,
# and none ends by it.
for ignored in (signal.SIGHUP, signal.SIGINT):
    if signal.getsignal(ignored) == signal.SIG_IGN:
        signal.signal(ignored, lambda number, frame: None)
# tests/run has a folder for what the tests make; a JVM has its own way to choose one, which is a part of what is tested.
tempfile.tempdir = os.environ.pop("TMPDIR", None)
# Who ends the tests so must find nothing of theirs: fixtures end the JVMs and remove what lies about.
signal.signal(signal.SIGTERM, signal.default_int_handler)


def clean_environment(extra=()):
    env = {name: value for name, value in os.environ.items() if name not in VM_VARIABLES}
    env.update(extra)
    return env


class Ended(collections.namedtuple("Ended", "rc stdout stderr cwd")):
    """A JVM that has ended. `rc` is what a shell shows: 128 + N after signal N."""

    @property
    def files(self):
        """The names of what it left in its folder."""
        return sorted(os.listdir(self.cwd))

    def read(self, name):
        return (self.cwd / name).read_bytes()

    def text(self, name="java.hprof.txt"):
        # Names are modified UTF-8 as the VM has them: not always something that decodes.
        return self.read(name).decode("utf-8", "surrogateescape")


def wait_until(condition, what, is_over=lambda: False, said=lambda: ""):
    """Polls until condition() holds. Fails the test when that takes too long, or when is_over(): it never will."""
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        if is_over() and not condition():
            pytest.fail("the end came before %s\n%s" % (what, said()))
        if time.monotonic() > deadline:
            pytest.fail("no %s in %d s\n%s" % (what, TIMEOUT_S, said()))
        time.sleep(0.01)


class Java:
    """A JVM that was started. Its output goes to files beside its folder, so a test can look while it runs."""

    def __init__(self, argv, cwd, env=()):
        self.cwd = cwd
        self.cwd.mkdir(parents=True, exist_ok=True)
        self.out = cwd.with_name(cwd.name + ".stdout")
        self.err = cwd.with_name(cwd.name + ".stderr")
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.process = subprocess.Popen(argv, cwd=str(cwd), stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                            env=clean_environment(env))

    @property
    def pid(self):
        return self.process.pid

    def wait_for(self, condition, what):
        wait_until(condition, what, lambda: self.process.poll() is not None, self.said)

    def wait_for_stdout(self, text):
        self.wait_for(lambda: text in self.out.read_text(errors="replace"), "%r on stdout" % text)

    def wait_for_child(self):
        """Until one of its threads has made a process."""
        tasks = pathlib.Path("/proc/%d/task" % self.pid)
        self.wait_for(lambda: any((task / "children").read_text() for task in tasks.iterdir()), "a child")

    def wait_for_stderr(self, text, count=1):
        self.wait_for(lambda: self.err.read_text(errors="replace").count(text) >= count, "%r on stderr" % text)

    def wait_for_cpu(self, seconds):
        """Until it has used so much CPU time more."""
        def used():
            fields = pathlib.Path("/proc/%d/stat" % self.pid).read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        until = used() + seconds
        self.wait_for(lambda: used() >= until, "%.1f s of CPU time" % seconds)

    def said(self):
        return "stdout: %s\nstderr: %s" % (self.out.read_text(errors="replace"), self.err.read_text(errors="replace"))

    def signal(self, number):
        os.kill(self.pid, number)

    def end(self, timeout=TIMEOUT_S):
        """Waits for its end."""
        try:
            rc = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
            self.process.wait()
            pytest.fail("the JVM did not end in %d s\n%s" % (timeout, self.said()))
        return Ended(rc if rc >= 0 else 128 - rc, self.out.read_text(errors="surrogateescape"),
                     self.err.read_text(errors="surrogateescape"), self.cwd)


@pytest.fixture
def start_java(classes, tmp_path):
    """start_java(jdk, options, *args): java with our agent (no agent if options is None); an un-ended Java.

    `vm` are more options of the VM, `library` another agent's path, `cwd` a folder (one of its own by default),
    `env` more environment, `before` the start of the command, of a program that becomes java.
    """
    started = []

    def start(jdk, options, *args, vm=(), library=None, cwd=None, env=(), before=()):
        argv = [*before, jdk.tool("java")] + list(vm)
        if options is not None:
            argv.append("-agentpath:%s=%s" % (library or agent_for(options), options))
        argv += ["-cp", str(classes)] + [str(arg) for arg in args]
        started.append(Java(argv, cwd or tmp_path / ("run%d" % len(started)), env))
        return started[-1]

    yield start
    for java in started:
        if java.process.poll() is None:
            java.signal(signal.SIGKILL)
            java.process.wait()
        left.remove_of(java.pid)


@pytest.fixture
def run_java(start_java):
    """The same as start_java, waited for: an Ended."""
    def run(jdk, options, *args, timeout=TIMEOUT_S, **keywords):
        return start_java(jdk, options, *args, **keywords).end(timeout)
    return run
