"""hprof why hs_err_pidN.log: JVMs that die in each known way, and what their logs are found to say.

SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import re
import resource
import signal

import pytest

from asking import ask
from conftest import compile_library, compile_programs

SECRET = "geheimes-wort"


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs_crashed")


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """The path of native/crash.c as a shared library."""
    return compile_library(tmp_path_factory, "crash")


@pytest.fixture
def died(run_java, jdk, tmp_path):
    """died(way, *options): a JVM that has died so; the path of its log."""
    def run(way, *vm, args=(), log=True, before=(), env=()):
        ended = run_java(jdk, None, "Crash", way, *args, vm=("-Xmx64m", "-Dpassword=" + SECRET, *vm), before=before,
                         env={"TOKEN": SECRET, **dict(env)})
        if not log:
            return ended
        logs = list(ended.cwd.glob("hs_err_pid*.log"))
        assert len(logs) == 1, ended.stdout + ended.stderr
        return logs[0]
    return run


def explained(hprof, path, *core):
    """What the command says of a log as JSON; the text says the same; neither has a secret."""
    said = json.loads(ask(hprof, "why", "--json", path, *core)[0])
    text = ask(hprof, "why", path, *core)[0]
    assert said["title"] in re.sub(r"\s+", " ", text)
    for sentence in said["sentences"]:
        assert sentence in re.sub(r"\s+", " ", text), text
    assert SECRET not in text and SECRET not in json.dumps(said)
    lines = pathlib.Path(path).read_text(errors="replace").splitlines()
    for row in said["evidence"]:
        assert row["text"] in lines[row["line"] - 1], row
    assert said["evidence"] and said["advice"]
    return said


def test_native_library(hprof, died, library, jdk):
    said = explained(hprof, died("write", args=(library, SECRET)))
    assert (said["cause"], said["complete"], said["kind"]) == ("native-library", True, "signal")
    assert said["signal"]["name"] == "SIGSEGV" and said["signal"]["address"] == "0x0"
    assert said["frame"]["module"] == "libcrash.so" and "crash_write" in said["frame"]["name"]
    assert said["thread"]["name"] == "main" and said["main"] == "Crash"
    assert said["memory"]["heap_size"] > 0 and said["memory"]["physical"] > 0
    assert "called by Crash.write" in said["sentences"][1]


@pytest.mark.jdks(8, 17, 25, 27)
def test_c_library_on_behalf_of_ours(hprof, died, library, jdk):
    said = explained(hprof, died("copy", args=(library,)))
    assert said["cause"] == "native-library" and "called by Crash.copy" in said["sentences"][1], said


def test_unsafe(hprof, died, jdk):
    said = explained(hprof, died("unsafe"))
    assert said["cause"] == "unsafe-access", said
    assert any("Unsafe" in row["text"] for row in said["evidence"])


@pytest.mark.jdks(8, 17, 25, 27)
def test_native_stack_overflow(hprof, died, library, jdk):
    assert explained(hprof, died("deep", "-Xss512k", args=(library,)))["cause"] == "native-stack-overflow"


@pytest.mark.jdks(8, 17, 25, 27)
def test_cut_file(hprof, died, library, jdk, tmp_path):
    said = explained(hprof, died("cut", args=(library, tmp_path / "cut")))
    assert said["cause"] == "bus-error-file" and said["signal"]["name"] == "SIGBUS"


@pytest.mark.jdks(8, 17, 25, 27)
def test_signal_of_somebody(hprof, died, library, jdk):
    assert explained(hprof, died("kill", args=(library,)))["cause"] == "signal-sent"


@pytest.mark.jdks(8, 17, 25, 27)
def test_agent(hprof, died, library, jdk):
    said = explained(hprof, died("sleep", "-agentpath:%s=now,%s" % (library, SECRET)))
    assert said["cause"] == "agent", said


@pytest.mark.jdks(8, 17, 25, 27)
def test_heap(hprof, died, jdk):
    said = explained(hprof, died("fill", "-XX:+CrashOnOutOfMemoryError"))
    assert (said["cause"], said["kind"]) == ("java-heap", "internal")
    ended = died("fill", "-XX:+ExitOnOutOfMemoryError", log=False)
    out = ended.cwd.with_name(ended.cwd.name + ".stdout")
    assert ended.rc == 3 and explained(hprof, out)["cause"] == "java-heap"


@pytest.mark.jdks(8, 17, 25, 27)
def test_address_space(hprof, died, library, jdk):
    """A limit that is enough to begin with, and that native code then uses up."""
    said = explained(hprof, died("eat", "-XX:+UseSerialGC", args=(library,), before=("prlimit", "--as=%d" % (6 << 30))))
    assert said["cause"] == "address-space" and said["memory"]["address_space_limit"] == 6 << 30, said
    assert said["kind"] == "memory" and said["memory"]["wanted"] > 0


@pytest.mark.jdks(17, 25, 27)
def test_log_in_the_output(hprof, died, library, jdk):
    ended = died("write", "-XX:+ErrorFileToStderr", args=(library,), log=False)
    said = explained(hprof, ended.cwd.with_name(ended.cwd.name + ".stderr"))
    assert said["cause"] == "native-library" and said["complete"]


@pytest.mark.jdks(8, 17, 25, 27)
def test_each_beginning_of_a_log(hprof, died, library, jdk, tmp_path):
    """A log that was cut anywhere is read as far as it goes."""
    whole = died("write", args=(library,)).read_bytes()
    cut = tmp_path / "cut.log"
    for part in range(1, 20):
        cut.write_bytes(whole[:len(whole) * part // 20])
        said = explained(hprof, cut)
        assert not said["complete"] and said["signal"]["name"] == "SIGSEGV"


@pytest.mark.jdks(17, 25)
def test_core_beside_it(hprof, died, library, jdk):
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    if pattern[:1] in "|/" or resource.getrlimit(resource.RLIMIT_CORE)[1] != resource.RLIM_INFINITY:
        pytest.skip("no core comes into the folder")
    path = died("write", args=(library,), before=("prlimit", "--core=unlimited"))
    core = next(path.parent.glob("core*"))
    said = explained(hprof, path, core)
    assert said["core"]["same_process"] and said["core"]["signal"] == signal.SIGABRT
    assert said["core"]["tid"] == said["thread"]["tid"] and int(said["core"]["sp"], 16) > 0
    core.unlink()
