"""JVMPI's INSTRUCTION_START: each instruction, the ways that it goes, and none of ours (jvmpi/instructions.c).

SPDX-License-Identifier: Apache-2.0
"""
import pathlib

import pytest

from bytecode_model import RETURNS, Walk, read_class
from conftest import JDKS, built
from jvmpi_agents import SOURCES, bridge, build_agent, build_program, path_of
from test_classfile import compile_java, oldest_javac

# Instructions.known(x) for each x of rounds(), worked out by hand from what javap prints:
#    0: iload_0  1: ifne 4 (the next one)  4: iload_0  5: tableswitch 1: 32, 2: 35, 3: 32, default: 38  32: bipush  34: ireturn
#   35: goto 38  38: iload_0  39: lookupswitch -1000: 64, 1000: 67, default: 70  64: bipush  66: ireturn  67: bipush  69: ireturn
#   70: bipush  72: ireturn
# A number is an offset; behind it, is_true of a condition, or the key, low and high, or the pair, how many there are, and is_default.
KNOWN = {
    0: [0, (1, False), 4, (5, 0, 1, 3), 38, (39, 2, 2, True), 70, 72],
    1: [0, (1, True), 4, (5, 1, 1, 3), 32, 34],
    2: [0, (1, True), 4, (5, 2, 1, 3), 35, 38, (39, 2, 2, True), 70, 72],
    3: [0, (1, True), 4, (5, 3, 1, 3), 32, 34],
    -1000: [0, (1, True), 4, (5, -1000, 1, 3), 38, (39, 0, 2, False), 64, 66],
    1000: [0, (1, True), 4, (5, 1000, 1, 3), 38, (39, 1, 2, False), 67, 69],
}
CLASSES = ["Instructions", "Instructions$Base", "Instructions$Derived"]
PLAIN, METHODS = "", ":methods"    # words of the agent


@pytest.fixture(scope="session")
def instructions(tmp_path_factory):
    return build_agent(tmp_path_factory, SOURCES / "instructions.c"), build_program(tmp_path_factory, SOURCES / "Instructions.java")


def run(run_java, jdk, instructions, words, *args, vm=(), classes=tuple(CLASSES), program=None, main="Instructions", before=()):
    """What the agent wrote: (thread, class, method, offset or word, numbers) in order."""
    agent, folder = instructions
    ended = run_java(jdk, None, main, *args, vm=[*before, bridge("instructions:" + ":".join(classes) + words), *vm,
                                                 "-Xbootclasspath/a:%s" % (program or folder)], env=path_of(agent))
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert "instructions: 0 wrong, 0 late, 0 missed, some told\n" in ended.stderr, ended.stderr
    assert "WARNING in native" not in ended.stdout, ended.stdout
    lines = [line.split() for line in (ended.cwd / "instructions").read_text().splitlines()]
    return [(thread, klass, method, where if where in ("entry", "exit") else int(where), tuple(map(int, numbers)))
            for thread, klass, method, where, *numbers in lines]


def steps_of(written):
    return [row[1:] for row in written if isinstance(row[3], int)]


def walk(written, program, is_late=False):
    """Each thread does what the class files say. How many instructions there were."""
    methods = {(klass, key): m for path in pathlib.Path(program).glob("*.class")
               for klass, all_methods in [read_class(path)] for key, m in all_methods.items()}
    threads = {}
    for thread, klass, key, where, numbers in written:
        if isinstance(where, int):
            threads.setdefault(thread, Walk(methods, not is_late)).step((klass, key), where, numbers)
    return sum(t.count for t in threads.values())


def as_worked_out(where, numbers):
    key, low, high, is_true = numbers
    return {1: (1, is_true != 0), 5: (5, key, low, high), 39: (39, key, low, (high & 0xff) != 0)}.get(where, where)


# The interpreter's frames and the VM's events on each JDK.
def test_the_instructions_of_a_known_run(run_java, jdk, instructions):
    written = run(run_java, jdk, instructions, PLAIN, vm=["-Xcheck:jni"])
    found = [as_worked_out(where, numbers) for _, key, where, numbers in steps_of(written) if key == "known(I)I"]
    assert found == [step for x in (0, 1, 2, 3, -1000, 1000) for step in KNOWN[x]]
    assert walk(written, instructions[1]) > 2000


# Subroutines, which javac has made for class files of Java 5 and before.
@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.everyday(17)
@pytest.mark.parametrize("words", [PLAIN, METHODS])
def test_class_files_without_frames_and_with_subroutines(run_java, jdk, instructions, tmp_path_factory, words):
    old = compile_java(oldest_javac("-source", "1.5", "-target", "1.5", "-XDjsrlimit=0"), tmp_path_factory.mktemp("old"),
                       SOURCES / "Subroutines.java")
    if 8 in JDKS:
        assert any(m.returns_to for m in read_class(old / "Subroutines.class")[1].values())
    written = run(run_java, jdk, instructions, words, classes=["Subroutines"], program=old, main="Subroutines")
    assert walk(written, old) > 3000


@pytest.mark.jdks(17)
def test_methods_that_options_leave_out(run_java, jdk, instructions):
    agent, program = instructions
    ended = run_java(jdk, None, "Instructions", vm=[bridge("include=Instructions:java.lang.Object,exclude=Instructions.known,agent=instructions:"
                                                           + ":".join(CLASSES)), "-Xbootclasspath/a:%s" % program], env=path_of(agent))
    assert ended.rc == 0, ended.stdout + ended.stderr
    told = {tuple(line.split()[1:3]) for line in ended.text("instructions").splitlines()}
    assert ("Instructions", "fib(I)I") in told and ("Instructions", "known(I)I") not in told
    assert {klass for klass, _ in told} == {"Instructions"}


# What is woven differs with the JDK: objects are told by injected code on JDK 8.
@pytest.mark.everyday(8, 27)
@pytest.mark.parametrize("beside", ["methods", "objects", "hprof before", "hprof behind"])
def test_probes_are_invisible(run_java, jdk, instructions, beside):
    plain = run(run_java, jdk, instructions, PLAIN)
    # Where each change of a class takes JDK 8 long it is made in the program's classes alone: no others are told of.
    some = ",include=Instructions*" if jdk.number == 8 else ""
    hprof = ["-agentpath:%s=cpu=times,monitor=y,file=out.txt%s" % (built("src/agent/libhprof.so"), some)] if "hprof" in beside else []
    written = run(run_java, jdk, instructions, ":methods:objects" if beside == "objects" else METHODS,
                  before=hprof if beside == "hprof before" else [], vm=hprof if beside == "hprof behind" else [])
    assert steps_of(written) == steps_of(plain)
    check_calls([row for row in written if row[0] == written[0][0]], instructions[1])


def check_calls(written, program):
    """A method's entry stands before its first instruction, its exit behind the return, and no probe's event anywhere else."""
    codes = {(klass, key): m.code for path in pathlib.Path(program).glob("*.class")
             for klass, methods in [read_class(path)] for key, m in methods.items()}
    entries = exits = 0
    for (_, klass, key, where, _), (_, next_class, next_key, next_where, _) in zip(written, written[1:]):
        if where == "entry":
            entries += 1
            assert (next_class, next_key, next_where) == (klass, key, 0)
        elif isinstance(where, int) and codes[klass, key][where] in RETURNS:
            exits += 1
            assert (next_class, next_key, next_where) == (klass, key, "exit")
    assert entries > 50 and exits > 50


@pytest.mark.jdks(21, 25, "newest")
@pytest.mark.everyday(27)
def test_virtual_threads_are_told_of_on_their_carriers(run_java, jdk, instructions):
    written = run(run_java, jdk, instructions, METHODS, "virtual")
    assert walk(written, instructions[1]) > 2 * 2000
    main = written[0][0]
    rounds = [row[1:] for row in written if row[0] != main and isinstance(row[3], int)]
    assert rounds and all(row in steps_of(written) for row in rounds)
    known = [as_worked_out(where, numbers) for _, key, where, numbers in rounds if key == "known(I)I"]
    assert known == [step for x in (0, 1, 2, 3, -1000, 1000) for step in KNOWN[x]]


# Collectors that move objects while a thread is in the event's handler, in a pause and beside it.
@pytest.mark.jdks("newest")
@pytest.mark.parametrize("collector", ["Parallel", "Z"])
def test_references_are_compared_while_objects_move(run_java, jdk, instructions, collector):
    written = run(run_java, jdk, instructions, ":java", "moves", vm=["-XX:+Use%sGC" % collector, "-Xmx64m"])
    assert walk(written, instructions[1]) > 2000


@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.everyday(17)
def test_a_late_enable_reaches_what_is_loaded_compiled_and_runs(run_java, jdk, instructions):
    written = run(run_java, jdk, instructions, ":late", "toggled")
    assert walk(written, instructions[1], is_late=True) > 2000
    assert {"fib(I)I", "known(I)I", "spin()V"} <= {key for _, key, _, _ in steps_of(written)}


# Turned on and off a thousand times while two threads run compiled code; METHOD_ENTRY beside weaves their classes anew.
@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.everyday(17)
@pytest.mark.parametrize("words", ["toggle", "toggle:methods"])
def test_a_thousand_times_on_and_off_under_load(run_java, jdk, instructions, words):
    agent, program = instructions
    ended = run_java(jdk, None, "Instructions", "thread", "toggled", vm=[bridge("instructions:" + words), "-Xbootclasspath/a:%s" % program],
                     env=path_of(agent))
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert "instructions: 0 wrong, 0 late, 0 missed, some told\n" in ended.stderr, ended.stderr
