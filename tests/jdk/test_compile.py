"""event=compile and event=deopt: methods that the VM compiles, traps of compiled code, and code that is given up.

The oracle is what the JDK's own recording of the same run says, or -XX:+PrintCompilation.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import subprocess

import jfr_file
import pytest
from attaching import attach  # noqa: F401 pylint: disable=unused-import
from conftest import JDKS, old_and_new

NEWEST = JDKS[max(JDKS)]
MINE = "Compiles"
# The VM prints a line of its own for each, even if the program prints at the same time.
PRINTED = re.compile(r"^ *\d+ +(\d+) ([ %])[ s!bn]{4} +(?:(\d) +)?(Compiles\S*)::(\w+) (?:@ \d+ )?\(\d+ bytes\)$", re.M)
PRINT = ["-XX:+PrintCompilation", "-XX:-UsePerfData"]
JFR = "-XX:StartFlightRecording:settings=none,+jdk.Compilation#enabled=true,+jdk.Compilation#threshold=0ns,+jdk.Deoptimization#enabled=true,filename=jdk.jfr"
Code = collections.namedtuple("Code", "id osr level klass method")


def name_of(method):
    return (method["type"]["name"].replace("/", "."), method["name"])


def codes(events):
    return {Code(e["compileId"], e["isOsr"], e["compileLevel"], *name_of(e["method"])) for e in events}


def of_program(events):
    return [e for e in events if name_of(e["method"])[0].startswith(MINE)]


def table(text, word):
    return re.findall(r"^EVENTS %s BEGIN .*?^EVENTS %s END$" % (word, word), text, re.S | re.M)[-1]


def totals(text, word):
    return [int(number) for number in re.findall(r"=(\d+)", table(text, word).partition(") ")[0])]


def test_each_compilation_is_told_as_the_vm_prints_it(jdk, run_java):
    """What was compiled in the last moment may be printed and not told."""
    ended = run_java(jdk, "event=compile,file=x.jfr", "Compiles", vm=PRINT)
    assert ended.rc == 0, ended.stderr
    told = of_program(jfr_file.events(NEWEST, ended.cwd / "x.jfr", "jdk.Compilation", depth=2))
    printed = {Code(int(number), kind == "%", int(level or 4), klass, method)
               for number, kind, level, klass, method in PRINTED.findall(ended.stdout)}
    assert len(told) > 5 and len(codes(told)) == len(told)
    assert codes(told) <= printed, codes(told) - printed
    hot = {code for code in printed if code.method in ("edgesOf", "branch") and not code.osr and code.level == 4}
    assert hot and hot & codes(told), (hot, told)
    assert {e["compiler"] for e in told} <= {"c1", "c2"} and all((e["compiler"] == "c2") == (e["compileLevel"] == 4) for e in told)
    assert all(e["succeded"] and e["codeSize"] > 0 for e in told)


@pytest.mark.jdks(17, 21, 25, 26, 27, 28)
def test_sizes_are_those_of_the_jdk(jdk, run_java):
    ended = run_java(jdk, "event=compile,file=x.jfr", "Compiles", vm=[JFR])
    assert ended.rc == 0, ended.stderr
    told = jfr_file.events(NEWEST, ended.cwd / "x.jfr", "jdk.Compilation", depth=2)
    known = {(e["compileId"], e["isOsr"]): e for e in jfr_file.events(NEWEST, ended.cwd / "jdk.jfr", "jdk.Compilation", depth=2) if e["succeded"]}
    both = [(e, known[e["compileId"], e["isOsr"]]) for e in told if (e["compileId"], e["isOsr"]) in known]
    assert len(both) > 10
    fields = ("compileLevel", "compiler", "codeSize")
    wrong = [(ours, theirs) for ours, theirs in both if name_of(ours["method"]) != name_of(theirs["method"]) or
             any(ours[field] != theirs[field] for field in fields)]
    assert not wrong, (len(wrong), len(both), wrong[0])


@old_and_new
def test_text_and_recording_say_the_same(jdk, hprof, run_java):
    ended = run_java(jdk, "event=compile+deopt,cutoff=0", "Compiles")
    assert ended.rc == 0, ended.stderr
    compiled, code, time = totals(ended.text(), "compile")
    assert compiled > 5 and code > 0 and time == 0
    assert "Compiles.branch" in table(ended.text(), "compile") or re.search(r"Compiles\.branch", ended.text())
    report = subprocess.run([hprof, "report", str(ended.cwd / "java.hprof.txt")], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "methods compiled" in report and "deoptimisations by reason" in report


@old_and_new
def test_a_recording_that_comes_later_has_what_comes_then(jdk, start_java, attach):  # noqa: F811
    java = start_java(jdk, None, "Compiles", "waits")
    java.wait_for_stdout("warm")
    attach(jdk, java, "start,event=compile+deopt,file=%s" % (java.cwd / "x.jfr"))
    (java.cwd / "go").touch()
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    found = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", ["jdk.Compilation", "hprof.CodeGivenUp"], depth=2)
    assert of_program(found["jdk.Compilation"])
    assert {name_of(e["method"])[1] for e in of_program(found["hprof.CodeGivenUp"])} & {"branch", "edgesOf", "loop", "warm"}


@pytest.mark.jdks(17, 21, 25, 26)
def test_traps_are_those_of_the_jdk(jdk, run_java):
    """The history counts no trap that changes nothing. The last second before the end is seen, too."""
    ended = run_java(jdk, "event=deopt,file=x.jfr", "Compiles", vm=[JFR])
    assert ended.rc == 0, ended.stderr
    ours = collections.Counter((name_of(e["method"]), e["reason"]) for e in
                               of_program(jfr_file.events(NEWEST, ended.cwd / "x.jfr", "jdk.Deoptimization", depth=2)))
    theirs = collections.Counter((name_of(e["method"]), e["reason"]) for e in
                                 of_program(jfr_file.events(NEWEST, ended.cwd / "jdk.jfr", "jdk.Deoptimization", depth=2)) if e["action"] != "none")
    assert theirs and ours == theirs, (ours - theirs, theirs - ours)


@pytest.mark.jdks(8, 11)
def test_traps_of_old_vms_have_reasons(jdk, run_java):
    ended = run_java(jdk, "event=deopt,file=x.jfr", "Compiles")
    assert ended.rc == 0, ended.stderr
    traps = of_program(jfr_file.events(NEWEST, ended.cwd / "x.jfr", "jdk.Deoptimization", depth=2))
    assert traps and {e["reason"] for e in traps} & {"class_check", "unstable_if", "unreached", "bimorphic", "unknown"}


@pytest.mark.jdks(27, 28)
def test_a_vm_that_hides_its_traps_tells_of_code_alone(jdk, run_java):
    ended = run_java(jdk, "event=deopt,file=x.jfr", "Compiles")
    assert ended.rc == 0 and "event=deopt: this VM does not tell of traps" in ended.stderr
    found = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", ["jdk.Deoptimization", "hprof.CodeGivenUp"], depth=2)
    assert not found["jdk.Deoptimization"] and of_program(found["hprof.CodeGivenUp"])


def test_code_given_up_is_what_the_vm_prints(jdk, run_java):
    ended = run_java(jdk, "event=deopt,file=x.jfr", "Compiles", vm=PRINT)
    assert ended.rc == 0, ended.stderr
    told = of_program(jfr_file.events(NEWEST, ended.cwd / "x.jfr", "hprof.CodeGivenUp", depth=2))
    gone = {int(number) for number in re.findall(r"^ *\d+ +(\d+) .*made not entrant", ended.stdout, re.M)}
    assert told and {e["compileId"] for e in told} <= gone
    assert all(e["compileLevel"] in (1, 4) for e in told)


@pytest.mark.jdks(17, "newest")
def test_recordings_of_the_jdk_are_read(jdk, hprof, run_java):
    ended = run_java(jdk, None, "Compiles", vm=[JFR, "-Xbatch"])
    assert ended.rc == 0, ended.stderr
    found = jfr_file.events_by_type(NEWEST, ended.cwd / "jdk.jfr", ["jdk.Compilation", "jdk.Deoptimization"], depth=2)
    for word, name in (("compile", "jdk.Compilation"), ("deopt", "jdk.Deoptimization")):
        drawn = subprocess.run([hprof, "report", "-e", word, "--to", "collapsed", str(ended.cwd / "jdk.jfr")], stdout=subprocess.PIPE, text=True,
                               check=True).stdout
        assert sum(int(line.rsplit(" ", 1)[1]) for line in drawn.splitlines()) == len(found[name])
        assert any("Compiles." in line for line in drawn.splitlines())


@pytest.mark.jdks(17)
def test_it_is_not_in_binary_files(jdk, run_java):
    for word in ("compile", "deopt"):
        ended = run_java(jdk, "event=%s,format=b" % word, "Hello")
        assert ended.rc != 0 and "event=%s is not supported with format=b" % word in ended.stderr
