"""System calls that are refused, as filters of containers and older kernels do: each has another way, or one line that names it.

A row says which calls are refused, to the command or to the JVM with the agent in it, and what must come of it.
native/refuse.c makes the filters; `docker`, `podman`, `gvisor`, `kernel-4.18` are its sets. SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import signal
import subprocess
import urllib.parse

import pytest

from conftest import HERE, TIMEOUT_S, clean_environment, one_jdk
from kept import made_once
from robust import Profile, crash_files
from test_view import PROFILE, ask as ask_page

ERRORS = ("EPERM", "ENOSYS")
SETS = ("kernel-4.18", "docker", "docker-old", "podman", "gvisor")
# What the command and the agent call, and can do without. The JVM ends by itself if sched_getaffinity has EPERM.
COMMAND = ("process_vm_readv", "openat2", "pidfd_open", "pidfd_send_signal", "renameat2", "memfd_create", "getrandom", "timer_create",
           "perf_event_open", "close_range", "statx", "execveat", "userfaultfd", "copy_file_range", "mincore", "fallocate")
AGENT = ("process_vm_readv", "perf_event_open", "close_range", "pidfd_open", "process_mrelease", "mincore", "membarrier", "getrandom",
         "openat2", "statx", "renameat2", "memfd_create", "seccomp", "userfaultfd", "fallocate")
NO_STOP = r"the process cannot be stopped: ptrace is refused here \(.+\), as a container's seccomp profile does; allow it there, or use --no-stop"
NO_SIGNALFD = r"record: signalfd is refused \(.+\), and nothing could end the recording early; allow it in the container's seccomp profile"
NO_WALL = (r"HPROF ERROR: event=wall: nothing is measured: rt_tgsigqueueinfo, which asks running threads for their stacks, is refused \(.+\); "
           "allow it in the container's seccomp profile")
NO_KERNEL = (r"HPROF: kernel=y: perf_event_open is refused \(.+\), by a container's seccomp rules or a security module: allow it there; "
             "going on without kernel frames")
NO_TIMER = r"HPROF ERROR: no timer works here: there can be no samples\. .*perf_event_open.*timer_create: allow one"


@pytest.fixture(scope="module")
def refuse(tmp_path_factory):
    """refuse(*rules): the start of a command for which these calls are refused; skips where no filter can be set."""
    source = HERE / "native" / "refuse.c"
    program = made_once([source], lambda into: ["cc", "-std=gnu11", "-O1", "-Wall", "-o", into + "/refuse", str(source)],
                        tmp_path_factory.mktemp("refuse")) / "refuse"
    if subprocess.run([str(program), "kernel-4.18", "--", "true"], check=False).returncode != 0:
        pytest.skip("no filter of system calls can be set here")
    return lambda *rules: [str(program), *rules, "--"]


def all_of(names, error):
    return ["%s=%s" % (name, error) for name in names]


def run(argv, cwd, env=()):
    return subprocess.run([str(word) for word in argv], cwd=str(cwd), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", check=False, timeout=TIMEOUT_S, env=clean_environment(env))


# ---- the command: what it has to say of a JVM without a filter

ANSWERS = {
    "ps": (["ps"], r"(?m)^ *PID\b.*\n(?:.*\n)*.*StackDemo"),
    "stack": (["stack", "--max-stop", "30s", "PID"], r"StackDemo\.deep\("),
    "torn": (["stack", "--no-stop", "PID"], r'(?m)^"main" '),
    "record": (["record", "-q", "-e", "cpu,wall", "-d", "300ms", "-o", "new.html", "PID"], r"\A\Z"),
    "jcmd": (["jcmd", "PID", "VM.version"], r"JDK \d+"),
    "stat": (["stat", "PID"], r"\d"),
    "top": (["top", "--batch", "--max-stop", "30s", "-n", "1", "-d", "200ms", "PID"], r"StackDemo"),
    "why": (["why", "PID"], r"\nverdict:  it can be asked\n\Z"),
    "histo": (["histo", "PID"], r"StackDemo"),
    "dump": (["dump-heap", "--fork", "PID", "new.hprof"], r"heap dump of \d+ objects"),
    "flags": (["flags", "--outside", "PID", "MaxHeapSize"], r"134217728|128"),
    "perfmap": (["perfmap", "-o", "new.map", "PID"], r"\A\Z"),
    "report": (["report", "-o", "new.txt", PROFILE], r"\A\Z"),
}
MAKES = {"record": "new.html", "dump": "new.hprof", "perfmap": "new.map", "report": "new.txt"}
# Refused: these commands end with status 1, say so in one line, and leave no file.
REFUSED = {
    "ptrace": ({"stack", "top"}, NO_STOP),
    "signalfd4": ({"record"}, NO_SIGNALFD),
}
REFUSES_PTRACE = ("docker-old", "podman", "gvisor")


def check_answers(hprof, refuse, java, rules, fails, says, names=tuple(ANSWERS)):
    for name in names:
        words, expected = ANSWERS[name]
        made = java.cwd / MAKES.get(name, "none")
        made.unlink(missing_ok=True)
        done = run([*refuse(*rules), hprof, *[java.pid if word == "PID" else word for word in words]], java.cwd)
        said = "%s under %s: %d\n%s%s" % (name, rules, done.returncode, done.stdout, done.stderr)
        if name in fails:
            assert done.returncode == 1 and re.fullmatch(r"hprof: (?:\d+: )?%s\n" % says, done.stderr) and not done.stdout, said
            assert not made.exists(), said
        else:
            assert done.returncode == 0 and re.search(expected, done.stdout), said
            assert name not in MAKES or made.stat().st_size > 100, said
            assert ("stacks may be torn" in done.stderr) == (name == "torn"), said
    assert java.process.poll() is None, java.said()


@pytest.fixture
def working(start_java):
    """working(jdk): StackDemo without the agent; one of its threads runs."""
    def start(jdk):
        java = start_java(jdk, None, "StackDemo", vm=["-Xmx128m"])
        java.wait_for_stdout("ready")
        return java
    return start


@pytest.mark.everyday("one", call=["all"])    # each call alone shows no more
@pytest.mark.jdks(8, 17, 25)
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", ("all", *COMMAND))
def test_commands_do_without_what_has_another_way(hprof, refuse, working, jdk, call, error):
    check_answers(hprof, refuse, working(jdk), all_of(COMMAND if call == "all" else [call], error), set(), None)


@one_jdk
@pytest.mark.jdks(8, 17, 25)
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", REFUSED)
def test_commands_refuse_in_one_line(hprof, refuse, working, jdk, call, error):
    fails, says = REFUSED[call]
    check_answers(hprof, refuse, working(jdk), ["%s=%s" % (call, error)], fails, says, sorted(fails) + ["torn", "why"])


@pytest.mark.everyday(25, name=["docker", "podman"])    # the usual ones
@pytest.mark.jdks(8, 17, 25)
@pytest.mark.parametrize("name", SETS)
def test_commands_under_whole_profiles(hprof, refuse, working, jdk, name):
    fails, says = REFUSED["ptrace"] if name in REFUSES_PTRACE else (set(), None)
    check_answers(hprof, refuse, working(jdk), [name], fails, says)


@one_jdk
@pytest.mark.jdks(17)
def test_why_names_what_is_refused(hprof, refuse, working, start_java, jdk):
    java = working(jdk)
    assert "refused" not in run([hprof, "why", java.pid], java.cwd).stdout
    said = run([*refuse("podman"), hprof, "why", java.pid], java.cwd).stdout
    assert "refused:  ptrace (Operation not permitted), here: 'stack' and 'top' need --no-stop\n" in said, said
    assert "refused:  process_vm_readv (Operation not permitted), here: 'stack' and 'top' read /proc/%d/mem\n" % java.pid in said, said
    assert "filter:" not in said, said


@pytest.mark.parametrize("error", ERRORS)
def test_a_page_is_shown_without_memory_files_and_random_numbers(hprof, refuse, error):
    argv = [*refuse("memfd_create=" + error, "getrandom=" + error), hprof, "view", "--no-open", str(PROFILE)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            address = urllib.parse.urlsplit(child.stdout.readline().strip())
            assert len(address.path) == 34
            status, _, body = ask_page(address)
            assert status == 200 and body.startswith("<!doctype html>") and "test.Work" in body
        finally:
            child.send_signal(signal.SIGKILL)


# ---- the agent

SAMPLES = "cpu=samples,interval=1ms,cutoff=0,file=o.txt"
EVENTS = "event=cpu+wall+alloc+live+lock,interval=5ms,format=jfr,file=o.jfr"


@pytest.fixture
def run_refused(refuse, agent, classes, tmp_path):
    """run_refused(jdk, rules, options): CombiWork with the agent in a JVM to which these calls are refused; how it ended, in a folder."""
    def start(jdk, rules, options, library=agent):
        cwd = tmp_path / ("refused%d" % len(list(tmp_path.glob("refused*"))))
        cwd.mkdir()
        done = run([*refuse(*rules), jdk.tool("java"), "-Xmx128m", "-agentpath:%s=%s" % (library, options), "-cp", classes, "CombiWork", 4], cwd)
        assert not list(cwd.glob("hs_err*")), done.stderr
        return done, cwd
    return start


def check_program(done):
    assert done.returncode == 0 and done.stdout.endswith("done\n"), done.stdout + done.stderr


@pytest.mark.everyday("oldest", "newest", call=["all"])    # each call alone shows no more
@pytest.mark.jdks(8, 17, 25)
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", ("all", *AGENT))
def test_the_agent_does_without_what_has_another_way(run_refused, jdk, call, error):
    rules = all_of(AGENT if call == "all" else [call], error)
    done, cwd = run_refused(jdk, rules, SAMPLES)
    check_program(done)
    profile = Profile((cwd / "o.txt").read_text(errors="replace")).check()
    timer = "ctimer" if call in ("all", "perf_event_open") else "perf"
    assert profile.quality[timer] > 0 and profile.quality["threads_without_timer"] == 0
    assert profile.quality["walked"] > 0 and profile.with_frame("CombiWork.burn") > 0
    assert "cpu=samples by %s" % timer in done.stderr and "HPROF ERROR" not in done.stderr
    done, cwd = run_refused(jdk, rules, EVENTS)
    check_program(done)
    assert "HPROF ERROR" not in done.stderr and (cwd / "o.jfr").stat().st_size > 10000, done.stderr
    done, cwd = run_refused(jdk, rules, "heap=all,format=b,file=o.bin")
    check_program(done)
    assert "HPROF ERROR" not in done.stderr and (cwd / "o.bin").stat().st_size > 300000, done.stderr


@pytest.mark.everyday(25, name=["podman", "gvisor"])    # the others refuse less than all calls at once, above
@pytest.mark.jdks(8, 17, 25)
@pytest.mark.parametrize("name", SETS)
def test_the_agent_under_whole_profiles(run_refused, jdk, name):
    done, cwd = run_refused(jdk, [name], SAMPLES)
    check_program(done)
    quality = Profile((cwd / "o.txt").read_text(errors="replace")).check().quality
    assert (quality.get("perf", 0) > 0) == (name == "kernel-4.18") and quality["threads_without_timer"] == 0
    assert ("cpu=samples by %s" % ("perf" if name == "kernel-4.18" else "ctimer")) in done.stderr
    done, cwd = run_refused(jdk, [name], EVENTS)
    check_program(done)
    assert "HPROF ERROR" not in done.stderr, done.stderr


@one_jdk
@pytest.mark.jdks(8, 17, 25)
@pytest.mark.parametrize("error", ERRORS)
def test_the_flags_of_the_own_vm_are_found(hprof, refuse, jdk, start_java, error):
    """Samples of CPU time need DebugNonSafepoints; where the flag lies is read by process_vm_readv, or through a pipe."""
    java = start_java(jdk, "cpu=samples,file=o.txt", "StackDemo", before=refuse("process_vm_readv=" + error))
    java.wait_for_stdout("ready")
    said = run([hprof, "flags", "--outside", java.pid, "DebugNonSafepoints"], java.cwd)
    assert said.returncode == 0 and re.search(r"\+DebugNonSafepoints|true", said.stdout), said.stdout + said.stderr


# Calls without which something is not measured: options, status of the JVM, what is said.
LESS = {
    "no timer": (["perf_event_open", "timer_create"], SAMPLES, 1, NO_TIMER),
    "kernel frames": (["perf_event_open"], "cpu=samples,kernel=y,file=o.txt", 0, NO_KERNEL),
    "wall": (["rt_tgsigqueueinfo"], "event=wall,format=jfr,file=o.jfr", 0, NO_WALL),
}


@one_jdk
@pytest.mark.jdks(8, 17, 25)
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("row", LESS)
def test_what_cannot_be_measured_is_said_in_one_line(run_refused, jdk, row, error):
    calls, options, status, says = LESS[row]
    done, _ = run_refused(jdk, all_of(calls, error), options)
    assert done.returncode == status and len(re.findall(r"(?m)^%s$" % says, done.stderr)) == 1, done.stderr
    assert done.stderr.count("HPROF ERROR") == says.count("HPROF ERROR"), done.stderr


@one_jdk
@pytest.mark.jdks(8, 17, 25)
@pytest.mark.parametrize("error", ERRORS)
def test_a_running_jvm_with_a_filter(hprof, refuse, jdk, start_java, error, tmp_path):
    """Everything is refused to the JVM, and to the command what has another way."""
    before = refuse(*all_of(AGENT, error), "rt_tgsigqueueinfo=" + error)
    inside = refuse(*all_of(COMMAND, error))
    java = start_java(jdk, None, "CombiWork", 1000000, vm=["-Xmx128m"], before=before)
    java.wait_for_stdout("round")
    assert "filter:   the JVM has a filter of system calls (seccomp)" in run([hprof, "why", java.pid], java.cwd).stdout
    out = tmp_path / "o.txt"
    done = run([*inside, hprof, "record", "-i", "1ms", "-d", "500ms", "-o", out, java.pid], java.cwd)
    assert done.returncode == 0, "%s%s%s" % (done.stderr, java.said(), out.exists() and out.read_text(errors="replace")[-1000:])
    assert Profile(out.read_text(errors="replace")).check().quality["ctimer"] > 0
    done = run([*inside, hprof, "dump-heap", "--fork", java.pid, tmp_path / "o.hprof"], java.cwd)
    assert done.returncode == 0 and (tmp_path / "o.hprof").stat().st_size > 300000, done.stderr
    done = run([*inside, hprof, "record", "-e", "wall", "-d", "300ms", "-o", tmp_path / "wall.jfr", java.pid], java.cwd)
    assert done.returncode == 1 and "rt_tgsigqueueinfo" in done.stderr and not (tmp_path / "wall.jfr").exists(), done.stderr
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and not crash_files(ended), ended.stderr


@one_jdk
@pytest.mark.jdks(17, 25)
@pytest.mark.parametrize("error", ERRORS)
def test_a_dump_without_sites_says_so(run_refused, jdk, agent, error):
    """The sites need a walk in the child, dumptest=4, and a filter of the agent's own ends it."""
    library = pathlib.Path(agent).with_name("libhprof-test.so")
    done, _ = run_refused(jdk, ["seccomp=" + error], "heap=all,format=b,dumptest=4,file=o.bin", library)
    check_program(done)
    assert re.search(r"heap dump: objects have no sites in this dump: they need a walk of the VM in the child, and seccomp, which ends it, "
                     r"is refused \(.+\)\n", done.stderr), done.stderr
    assert "sites by a walk" not in done.stderr
