"""Where the VM's own structures cannot be read, each engine measures by the VM's interfaces, or says in a line what is not measured.

The option noreader= of the agent of the tests takes the reader away: 1 that of stacks, 3 that of objects and monitors, too. A VM
whose structures are new to us is so. SPDX-License-Identifier: Apache-2.0
"""
import pytest
from attaching import finish, load, running
from conftest import agent_for
from robust import classes, crash_files  # noqa: F401

WHY = "(a fact that a test has taken away)"
NOT_WALL = "HPROF ERROR: event=wall: nothing is measured: the stacks of this VM cannot be read from outside " + WHY
AT_START = {
    "table": "noreader=1,event=cpu+alloc+live+lock+exception+gc+load+classload+compile+wall,alloc=16k,file=x.txt",
    "tables": "noreader=3,event=cpu+alloc+live+lock+exception+gc+load+classload+compile+wall,alloc=16k,file=x.txt",
    "records": "noreader=3,event=cpu,heap=all,format=b,file=x.hprof",
    "jfr": "noreader=3,event=cpu+alloc+live+lock+exception+gc+load+classload+compile+wall,alloc=16k,file=x.jfr",
    "wall": "noreader=1,event=wall,file=x.txt",
    "times": "noreader=3,cpu=times,heap=sites,file=x.txt",
    "verify": "noreader=1,verify=v.txt,file=x.txt",
}
ENGINES = ("cpu", "alloc", "live", "wall", "lock", "exception", "gc", "load")
OUTLETS = ("txt", "jfr", "collapsed", "html")
NOT_DRAWN = {"collapsed": ("gc", "load"), "html": ("gc", "load")}


@pytest.mark.parametrize("what", sorted(AT_START))
def test_a_vm_that_starts_goes_on_and_all_but_wall_is_measured(run_java, jdk, what):
    ended = run_java(jdk, AT_START[what], "Robust", "work", 300)
    assert ended.rc == 0 and "work " in ended.stdout and not crash_files(ended), ended.stderr
    assert (NOT_WALL in ended.stderr) == ("wall" in AT_START[what]), ended.stderr
    if what == "verify":
        assert "HPROF ERROR: there is nothing to verify: this VM cannot be read " + WHY in ended.stderr
    else:
        assert ended.stderr.count("HPROF ERROR") == ended.stderr.count("event=wall"), ended.stderr
    if what.startswith("table"):
        text = ended.text("x.txt")
        assert "event=alloc costs more here: stacks have to be asked of the VM " + WHY in ended.stderr
        assert "EVENTS wall BEGIN" not in text and "CPU SAMPLES BEGIN" in text
        assert "Robust.round" in text.partition("SITES BEGIN")[0] and "SITES END" in text


def test_a_running_vm_goes_on_whatever_is_started_and_ended(start_java, jdk, request):
    """Each engine alone, by each outlet; then all at once, of which wall is refused, and all but wall."""
    java, agent = running(start_java, jdk), agent_for("noreader=1")
    # JDK 8 takes a second for each start of alloc and live, which change all classes, and an outlet knows no JDK.
    only = ("jfr",) if request.config.option.everyday and jdk.number == 8 else OUTLETS

    def start_and_end(events, name):
        code = load(java, agent, "start,noreader=1,event=%s,alloc=16k,verbose=n,file=%s" % (events, name))
        said = java.said()
        if "wall" in events.split("+"):
            assert code != 0 and NOT_WALL in said, said
        else:
            assert code == 0, (events, name, said)
            assert load(java, agent, "dump") == 0 and load(java, agent, "stop") == 0, (events, name, java.said())
            assert (java.cwd / name).exists()

    for outlet in only:
        for engine in ENGINES:
            if engine not in NOT_DRAWN.get(outlet, ()):
                start_and_end(engine, "%s.%s" % (engine, outlet))
    for outlet in [outlet for outlet in ("txt", "jfr") if outlet in only]:
        start_and_end("+".join(ENGINES), "all." + outlet)
        start_and_end("+".join(one for one in ENGINES if one != "wall"), "most." + outlet)
    finish(java)


def test_what_was_refused_at_the_start_can_be_asked_for_again(start_java, jdk):
    """An engine that has not started is released before it is tried again, also beside one that runs."""
    java, agent = start_java(jdk, "noreader=1,event=wall+cpu,file=x.txt", "Robust", "wait"), agent_for("noreader=1")
    java.wait_for_stdout("running")
    assert load(java, agent, "start,noreader=1,event=wall,file=y.txt") != 0
    assert load(java, agent, "status,answer=status") == 0 and "wall" not in (java.cwd / "status").read_text()
    assert load(java, agent, "start,noreader=0,event=wall,file=z.txt,name=z") == 0, java.said()
    java.wait_for_cpu(1)
    assert load(java, agent, "stop,z") == 0
    assert "EVENTS wall BEGIN" in (java.cwd / "z.txt").read_text()
    finish(java)
