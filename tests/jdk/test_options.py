"""Option strings as a JVM meets them: the recorded errors, and what is new. Each text of the parser is in
tests/unit/options_options.c.

What is refused must be refused with the recorded words up to the bracket, the recorded status, and no file left.
SPDX-License-Identifier: Apache-2.0
"""
import re

import golden
import hprof_text
import pytest

ROW = re.compile(r"\[(\w+)\] '(.*)' rc=(\d+) OUT: *(.*?) ERR: (.*)\| FILES: (.*)")
BRACKET = re.compile(r" \[hprof[^\]\n]*\]")

# Option strings that ours refuses with other words: those words, and the row of docs/hprof-compat.md.
DIFFERENCES = {
    "net=localhost:0": ("hprof option error: net option port must be from 1 to 65535", "A port that is none"),
    "net=localhost:99999": ("hprof option error: net option port must be from 1 to 65535", "A port that is none"),
    "net=nosuchhost.invalid:5": ("can't connect to nosuchhost.invalid:5 (", "A peer that is not there"),
    "file=/nonexistent/x.txt": ("can't create profile file: /nonexistent/x.txt (", "A file that cannot be made"),
    "depth=99999999999": ("hprof option error: depth option value must be 8192 at most", "`depth=` above 8192"),
}


def recorded_rows():
    """{option string: (status, stderr with '|' for newlines)}"""
    rows = {}
    for line in (golden.DATA / "golden-corpus/option_errors.txt").read_text(encoding="utf-8").splitlines():
        found = ROW.fullmatch(line)
        assert found, line
        rows[found.group(2)] = (int(found.group(3)), found.group(5))
    return rows


ROWS = recorded_rows()
HANDFUL = ["bogus", "cpu=", "depth=-1", "lineno=x", "errorexit=y,format=q"]


def without_bracket(stderr):
    return BRACKET.sub("", stderr)


def check_error(jdk, run_java, options):
    rc, said = ROWS[options]
    ended = run_java(jdk, options, "Hello")
    assert without_bracket(ended.stderr.replace("\n", "|")).rstrip("|") == without_bracket(said).rstrip("|")
    assert (ended.rc, golden.VM_ENDS.sub("", ended.stdout), ended.files) == (rc, "", [])


def check_refused(jdk, run_java, options, words, vm=()):
    ended = run_java(jdk, options, "Hello", vm=vm)
    first, = [line for line in ended.stderr.splitlines() if line.startswith("HPROF")]
    assert first.startswith("HPROF ERROR: ") and words in first
    assert (ended.rc, golden.VM_ENDS.sub("", ended.stdout), ended.files) == (1, "", [])
    return first


@pytest.mark.parametrize("options", HANDFUL)
def test_the_errors_are_the_same_on_every_jdk(jdk, run_java, options):
    check_error(jdk, run_java, options)


@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("options", sorted(DIFFERENCES))
def test_a_listed_difference(jdk, run_java, options):
    words, row = DIFFERENCES[options]
    golden.listed(row)
    check_refused(jdk, run_java, options, words)


@pytest.mark.jdks("newest")
@pytest.mark.parametrize("options", ["", "logflags=zz,pause=n,gc_okay=y", "primfields=n,heap=dump"])
def test_what_leaves_a_heap_dump_in_the_file(jdk, run_java, options):
    ended = run_java(jdk, options, "Hello")
    name, = ended.files
    assert ended.rc == 0
    assert "HEAP DUMP END\n" in ended.text(name)
    assert "Dumping Java heap ..." in ended.stderr


@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("options", ["cpu=samples,", "cpu=samples,logflags=zz,X=0x10,debugflags=1,coredump=n,msa=y",
                                     "cpu=samples,depth=+3,interval= +5,cutoff=nan,primarrays=n,primfields=y"])
def test_accepted_as_in_the_original(jdk, run_java, options):
    ended = run_java(jdk, options, "Hello")
    assert (ended.rc, ended.stdout, ended.files) == (0, "Hello\n", ["java.hprof.txt"]), ended.stderr
    assert golden.as_original(ended.stderr) == golden.DUMPED


@pytest.mark.jdks("newest")
def test_interval_takes_a_unit(jdk, run_java):
    ended = run_java(jdk, "cpu=samples,interval=500us", "Hello")
    assert (ended.rc, ended.stdout) == (0, "Hello\n")
    assert hprof_text.Text(ended.text()).quality()["interval_ns"] == 500000


@pytest.mark.jdks("newest")
@pytest.mark.parametrize("options, words", [("interval=1us", "interval option value must be 10us at least"),
                                            ("mem=1k", "mem option value must be a size from 1m to 64g")])
def test_a_new_option_that_is_wrong_is_refused(jdk, run_java, options, words):
    check_refused(jdk, run_java, "cpu=samples," + options, words)


@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("options, words", [
    ("timer=prof", "no timer prof: use perf, ctimer or monotonic"),
    ("walker=fast", "no walker fast: use vm, agct or jvmti"), ("clock=utc", "no clock utc: use tsc, nano, tick, cpu or none")])
def test_a_name_that_nobody_knows_is_refused_also_where_it_has_no_effect(jdk, run_java, options, words):
    check_refused(jdk, run_java, "heap=sites," + options, words)


@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("options, titles", [
    ("event=cpu", ["CPU SAMPLES"]), ("event=times", ["CPU TIME"]), ("event=alloc+lock", ["SITES", "MONITOR TIME"]),
    ("event=cpu,alloc,engine=ctimer", ["CPU SAMPLES", "SITES"])])
def test_an_event_is_what_is_measured(jdk, run_java, options, titles):
    ended = run_java(jdk, options, "Hello")
    assert (ended.rc, ended.stdout, ended.files) == (0, "Hello\n", ["java.hprof.txt"]), ended.stderr
    text = ended.text()
    for title in ("CPU SAMPLES BEGIN", "CPU TIME (ms) BEGIN", "SITES BEGIN", "MONITOR TIME BEGIN", "HEAP DUMP BEGIN"):
        assert (title in text) == any(title.startswith(word) for word in titles), title


@pytest.mark.jdks("newest")
def test_an_event_that_nobody_knows_is_refused_with_the_list(jdk, run_java):
    # The whole list stands in the unit test of the options: no VM has a part in it.
    line = check_refused(jdk, run_java, "event=tims", "hprof option error: no event tims: use monitor, ")
    assert "; did you mean times? (event=tims)" in line


@pytest.mark.jdks("newest")
@pytest.mark.parametrize("options, words", [
    ("cpu=old,native=y,fork=n", ["native= has no effect without cpu=samples", "fork= has no effect without heap=histo or heap=dump"]),
    ("cpu=samples,raw=n,live=y,cutoff=0.1", [])])
def test_a_new_option_without_effect_says_so(jdk, run_java, options, words):
    ended = run_java(jdk, options, "Hello")
    assert (ended.rc, ended.stdout) == (0, "Hello\n")
    assert [line for line in ended.stderr.splitlines() if "has no effect" in line] == ["HPROF: " + word for word in words]


@pytest.mark.jdks("newest")
def test_expand_y_puts_the_pid_into_the_name(jdk, start_java):
    java = start_java(jdk, "cpu=samples,file=%p-%%.txt,expand=y", "Hello")
    assert java.end().files == ["%d-%%.txt" % java.pid]


@pytest.mark.jdks("newest")
def test_without_expand_a_percent_sign_is_one(jdk, run_java):
    assert run_java(jdk, "cpu=samples,file=%p.txt", "Hello").files == ["%p.txt"]


@pytest.mark.jdks("newest")
def test_a_file_that_cannot_be_made_is_named(jdk, run_java):
    golden.listed("A file that cannot be made")
    check_refused(jdk, run_java, "cpu=samples,file=no/such/folder.txt",
                  "can't create profile file: no/such/folder.txt (No such file or directory)")


@pytest.mark.jdks("newest")
def test_the_manifest_gets_a_line_with_the_file(jdk, start_java, tmp_path):
    manifest = tmp_path / "list"
    manifest.write_text("1\t/a/file\n")
    java = start_java(jdk, "cpu=samples,manifest=../list", "Hello")
    ended = java.end()
    assert manifest.read_text() == "1\t/a/file\n%d\t+%s\n%d\t%s\n" % (2 * (java.pid, (ended.cwd / "java.hprof.txt").resolve()))


@pytest.mark.jdks("newest")
def test_what_only_the_agent_of_the_tests_knows(jdk, run_java, agent):
    ended = run_java(jdk, "heap=dump,dumptest=1", "Hello", library=agent)
    assert ended.rc == 1 and "Unknown option: dumptest " in ended.stderr, ended.stderr
    assert ended.files == []
