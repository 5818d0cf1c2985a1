"""Triggers: a recording begins, ends or is written when something happens; stacks are printed, a program is started.

Each trigger is made to fire, and seen not to fire for what it does not wait for. SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

import hprof_text
from asking import ask
from attaching import command  # noqa: F401
from conftest import old_and_new
from robust import Profile

MINE = "Fires$Mine"
CPU = "cpu=samples,interval=1ms,depth=32,cutoff=0,verbose=n,"
DUMPED = "CPU SAMPLES BEGIN"


def fired(ended, trigger):
    """What each firing said: its line, and the lines of the stack."""
    found = []
    for line in ended.stderr.splitlines():
        if line.startswith("HPROF: %s: " % trigger):
            found.append([line])
        elif line.startswith("\tat ") and found and found[-1] is not None:
            found[-1].append(line)
    return found


def go(java, number, then):
    (java.cwd / ("go%d" % number)).touch()
    java.wait_for_stderr(then)


@old_and_new
def test_a_recording_begins_when_an_exception_is_thrown(jdk, run_java):
    """Another class before does not begin it; nothing is written of the time before."""
    ended = run_java(jdk, CPU + "file=x.txt,onthrow=%s" % MINE, "Fires", "yours", "slow:300", "throw:3", "work:1500")
    assert ended.rc == 0 and "ERROR" not in ended.stderr, ended.stderr
    (said, *stack), = fired(ended, "onthrow")
    assert "Fires$Mine: the message, in the thread \"main\": start" in said
    assert [re.search(r"at ([\w.]+)\(", line)[1] for line in stack] == ["Fires.deep"] * 4 + ["Fires.run", "Fires.main"]
    profile = Profile(ended.text("x.txt")).check()
    assert profile.with_frame("Fires.work") > 0 and profile.with_frame("Fires.slow") == 0


@old_and_new
def test_subclasses_and_counts(jdk, run_java):
    """The class is written as class files have it; the third firing is one too many."""
    ended = run_java(jdk, CPU + "file=x.txt,onthrow=java/lang/RuntimeException+:dump:count=2", "Fires", "yours", "work:100", "throw", "throw")
    assert ended.rc == 0 and len(fired(ended, "onthrow")) == 2, ended.stderr
    assert ended.text("x.txt").count(DUMPED) == 3, "two dumps, and the end"


@old_and_new
def test_what_kills_a_thread_a_slow_call_and_the_end(jdk, start_java):
    """Three triggers in one line, without anything that is measured."""
    java = start_java(jdk, "onuncaught=y:threads,onmethod=Fires::slow:>50ms:launch=/bin/echo started,onexit=y:threads", "Fires",
                      "slow:1", "throw", "slow:200", "dies:1")
    ended = java.end()
    assert ended.rc == 0 and "ERROR" not in ended.stderr, ended.stderr
    (said, *stack), = fired(ended, "onmethod")
    assert re.search(r"Fires::slow took (?:[2-9]\d\d|\d{4,})\.\d{3} ms, in the thread \"main\": launch, recording 1, /bin/echo started$", said), said
    assert "Fires.slow(" in stack[0]
    assert re.search(r"started %d\n" % java.pid, ended.stdout)
    (said, *stack), = fired(ended, "onuncaught")
    assert "Fires$Mine: the message, in the thread \"victim\"" in said and "Fires.deep(" in stack[0]
    assert "the JVM ends: threads" in fired(ended, "onexit")[0][0]
    assert len(re.findall(r"HPROF: \d+ threads:$", ended.stderr, re.M)) == 2
    assert re.search(r'"Finalizer" daemon prio=8 waiting\n\tat java.lang.Object.wait', ended.stderr)
    assert not list(ended.cwd.glob("java.hprof*")), "nothing was measured"


@old_and_new
@pytest.mark.parametrize("collector", ["Serial", "G1"])
def test_memory_that_is_out_is_written_as_a_heap(jdk, run_java, collector):
    """The pauses of two collectors; the heap as it was then: the list that filled it dies where the error is caught."""
    ended = run_java(jdk, "onoom=y:heap,ongc=>1us:threads,ongc=>1h:threads", "Fires", "gc", "oom", "work:300",
                     vm=["-Xmx24m", "-XX:+Use%sGC" % collector])
    assert ended.rc == 0 and "caught java.lang.OutOfMemoryError" in ended.stdout, ended.stderr
    assert "the VM has run out: Java heap space, in the thread \"main\": heap" in fired(ended, "onoom")[0][0]
    assert "Fires.exhaust(" in "".join(fired(ended, "onoom")[0])
    (said, *_), = fired(ended, "ongc")
    assert re.search(r"a collection paused the program for \d+\.\d{3} ms: threads", said)
    dump, = ended.cwd.glob("hprof-heap-*.hprof")
    assert "ERROR" not in ended.stderr, ended.stderr
    assert dump.read_bytes()[:12] == b"JAVA PROFILE" and dump.stat().st_size > 8 << 20, ended.stderr


@old_and_new
def test_the_heap_has_what_the_firing_thread_held(jdk, run_java):
    """Full to the last object, of which the dump needs none itself; where memory for direct buffers is out; and where an exception is made."""
    kept = run_java(jdk, "onthrow=%s:heap" % MINE, "Fires", "keeps:8", "keeps:4")
    full = run_java(jdk, "onoom=y:heap:count=2", "Fires", "fill", "direct", vm=["-Xmx24m", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=4m"])
    for ended, least in ((kept, 8 << 20), (full, 12 << 20)):
        assert ended.rc == 0 and "ERROR" not in ended.stderr and "was held" not in ended.stderr, ended.stderr
        first, *_ = sorted(ended.cwd.glob("hprof-heap-*.hprof"), key=lambda path: len(path.name))
        assert first.stat().st_size > least, ended.stderr
    assert "caught java.lang.OutOfMemoryError: Java heap space" in full.stdout
    assert len(list(full.cwd.glob("hprof-heap-*.hprof"))) == 2, full.stderr


@old_and_new
def test_threads_that_fire_together_are_all_obeyed(jdk, run_java, start_java, command):    # noqa: F811
    """The last firing waits in its handler while the first is carried out, and the trigger must not end between them."""
    ended = run_java(jdk, "onthrow=%s:heap:count=3" % MINE, "Fires", "together:3", "together:3")
    assert ended.rc == 0 and "ERROR" not in ended.stderr and "was held" not in ended.stderr, ended.stderr
    assert len(list(ended.cwd.glob("hprof-heap-*.hprof"))) == 3, ended.stderr
    # what is asked for first ends the last recording, while two threads are held: they are let go, and another recording can begin
    java = start_java(jdk, None, "Fires", "wait:1", "together:3", "wait:2", "together:1", "wait:3")
    java.wait_for_stdout("does wait:1")
    assert command(jdk, java, "start,event=cpu,onthrow=%s:stop,onthrow=%s:heap:count=2,file=%s" % (MINE, MINE, java.cwd / "a.jfr")) == [0]
    go(java, 1, "")
    java.wait_for_stdout("does wait:2")
    assert command(jdk, java, "start,onthrow=%s:threads" % MINE) == [0], java.said()
    go(java, 2, "")
    java.wait_for_stdout("does wait:3")
    go(java, 3, "")
    ended = java.end()
    assert ended.rc == 0 and "ERROR" not in ended.stderr and "was held" not in ended.stderr, ended.stderr
    assert "HPROF: onthrow: " in ended.stderr


@pytest.mark.jdks(8, 17, "newest")
def test_memory_for_direct_buffers_is_out(jdk, start_java, command):    # noqa: F811
    """Java code finds that out, and makes the error by a constructor. Also where the heap is, that fires once for each."""
    java = start_java(jdk, None, "Fires", "wait:1", "direct", "oom", "direct", "wait:2", "direct", vm=["-Xmx24m", "-XX:MaxDirectMemorySize=4m"])
    java.wait_for_stdout("does wait:1")
    assert command(jdk, java, "start,onoom=y:threads:count=9") == [0]
    go(java, 1, "")
    java.wait_for_stdout("does wait:2")
    java.wait_for_stderr("HPROF: onoom: ", 3)    # a stop forgets what has not been obeyed yet
    assert command(jdk, java, "stop") == [0]
    go(java, 2, "")
    ended = java.end()
    assert ended.rc == 0 and ended.stdout.count("caught java.lang.OutOfMemoryError") == 4, ended.stderr
    said = fired(ended, "onoom")
    assert len(said) == 3 and "Java heap space" in said[1][0], said
    for first, *stack in (said[0], said[2]):
        assert "java.lang.OutOfMemoryError: " in first and "in the thread \"main\": threads" in first
        assert "reserveMemory" in stack[0] and "Fires.run(" in "".join(stack)


@pytest.mark.jdks(8, "newest")
def test_what_the_vm_throws_itself(jdk, run_java):
    """No constructor runs: the event of the VM is heard, and only of a VM that starts."""
    ended = run_java(jdk, "onthrow=java.lang.OutOfMemoryError:threads", "Fires", "throw", "oom", vm=["-Xmx24m"])
    assert "java.lang.OutOfMemoryError: Java heap space" in fired(ended, "onthrow")[0][0], ended.stderr


@pytest.mark.jdks(17)
def test_the_command_records_nothing_for_triggers_that_only_tell(hprof, start_java, jdk, tmp_path):
    """Three of them at once, with no name of a file between them; each line of status is a recording, and stops by its name."""
    java = start_java(jdk, None, "Fires", "wait:1", "dies:1", "slow:100", "wait:2", "wait:3")
    java.wait_for_stdout("does wait:1")
    for name, trigger in (("dead", "uncaught:threads"), ("late", "method=Fires::slow:>50ms:launch=/bin/echo started"), ("full", "oom:heap")):
        said = ask(hprof, "start", "--name", name, "--on", trigger, java.pid)[0]
        assert "engines=trigger" in said and "cpu" not in said
    ask(hprof, "start", "--name", "later", "-o", tmp_path / "later.jfr", "--on", "throw=java.io.IOException", java.pid)
    first, *lines = ask(hprof, "status", java.pid)[0].splitlines()
    assert first == "status version=0.1.0 state=running" and len(lines) == 4
    assert [re.search(r" name=(\S+) ", line)[1] for line in lines] == ["dead", "late", "full", "later"]
    assert "event=cpu" in lines[3] and all(line.startswith("  ") for line in lines)
    go(java, 1, "Fires::slow took")
    java.wait_for_stdout("started %d" % java.pid)
    assert "name=full" in ask(hprof, "stop", "--name", "full", java.pid)[0] and "name=later" in ask(hprof, "stop", java.pid, "later")[0]
    assert "state=idle" in ask(hprof, "status", java.pid)[0]
    go(java, 2, "")
    go(java, 3, "")
    ended = java.end()
    assert "threads, recording dead" in fired(ended, "onuncaught")[0][0] and "ERROR" not in ended.stderr
    assert not list(ended.cwd.glob("hprof-*"))


@pytest.mark.jdks(17)
def test_a_class_is_shown_as_programs_write_it(jdk, run_java):
    ended = run_java(jdk, "onmethod=java/util/UUID::fromString:threads,onmethod=a.b/C::d:threads", "Fires", "slow:1")
    assert "onmethod=a.b.C::d: no such class is loaded so far" in ended.stderr


@old_and_new
def test_after_an_attach_and_again(jdk, start_java, command):    # noqa: F811
    """One waits while another records; what is asked for later comes; all is given back."""
    java = start_java(jdk, None, "Fires", "wait:1", "throw", "work:200", "wait:2", "throw", "slow:100", "wait:3", "work:50", "wait:4")
    java.wait_for_stdout("does wait:1")
    assert command(jdk, java, "start,%sfile=x.txt,name=one,onthrow=%s" % (CPU, MINE), "start,%sfile=two.txt,name=two" % CPU,
                   "status,answer=status") == [0] * 3
    waits = (java.cwd / "status").read_text()
    assert " name=one " in waits and "waits_for=cpu=samples" in waits and "triggers=1" in waits
    go(java, 1, "recording one\n")
    java.wait_for_stdout("does wait:2")
    assert command(jdk, java, "stop,two", "status,answer=status", "start,onmethod=Fires::slow:>10ms:threads",
                   "start,onthrow=%s:threads:count=9,name=more" % MINE) == [0] * 4
    status = (java.cwd / "status").read_text()
    assert " name=one " in status and "waits_for" not in status and "samples=" in status
    go(java, 2, "Fires::slow took")
    java.wait_for_stdout("does wait:3")
    assert command(jdk, java, "stop,one", "stop,more") == [0, 0]
    java.wait_for_stderr("threads:", 2)
    assert command(jdk, java, "start,%sfile=last.txt,onthrow=%s:stop,onuncaught=y:stop" % (CPU, MINE)) == [0]
    (java.cwd / "go3").touch()
    java.wait_for_stdout("does wait:4")
    assert command(jdk, java, "status,answer=status", "stop") == [0, 0]
    assert "triggers=2" in (java.cwd / "status").read_text()
    (java.cwd / "go4").touch()
    ended = java.end()
    assert ended.rc == 0 and "ERROR" not in ended.stderr, ended.stderr
    assert Profile(ended.text("x.txt")).check().with_frame("Fires.work") > 0
    for name in "two.txt", "last.txt":
        assert hprof_text.Text(ended.text(name))


@pytest.mark.jdks(17)
def test_what_cannot_be_is_refused(jdk, start_java, command):    # noqa: F811
    java = start_java(jdk, None, "Fires", "wait:1")
    java.wait_for_stdout("does wait:1")
    for line, why in (("onthrow=java.lang.StackOverflowError:threads", "only where the agent was there when it started"),
                      ("onthrow=X:dumb", "what a trigger does is start, stop, dump, threads, heap, histo or launch=PROGRAM"),
                      ("onthrow=a..b", "onthrow option value must be a class"),
                      ("onmethod=Fires", "onmethod option value must be CLASS::METHOD"),
                      ("ongc=200", "ongc option value must be > and a time"),
                      ("oncgroup=100%:heap", "oncgroup option value must be a share of the memory cgroup's limit, 1% to 99%"),
                      ("oncgroup=75", "oncgroup=75%:heap"),
                      ("onexit=y:start", "at the end of the JVM nothing begins"),
                      ("onthrow=X:count=0", "count= of a trigger is a number"),
                      ("onthrow=X,timer=nosuch", "nosuch")):
        assert command(jdk, java, "start,%s,answer=why" % line) != [0], line
        assert why in (java.cwd / "why").read_text(), line
    assert command(jdk, java, "status,answer=why") == [0] and "state=idle" in (java.cwd / "why").read_text()
    (java.cwd / "go1").touch()
    assert java.end().rc == 0
