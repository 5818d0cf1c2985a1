"""The bytecode injector against the VM: every class verifies, and probes stay balanced on every path.

A sample of each JDK's classes is loaded injected, with full verification; HPROF_ALL_CLASSES=1 takes all of them, and
the jars named in HPROF_CLASS_JARS (colons between). An agent of the tests' own injects: classfile/agent_classfile.c.
SPDX-License-Identifier: Apache-2.0
"""
import functools
import os
import pathlib
import re
import struct
import subprocess

import pytest

import conftest
from kept import made_once

SOURCES = pathlib.Path(__file__).resolve().parent / "classfile"
EVERY = "HPROF_ALL_CLASSES" in os.environ
SAMPLE_STEP = 25
EVERY_TIMEOUT_S = 900
VERIFY = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal", "-XX:+BytecodeVerificationRemote"]
PROBES = ["keep=handlers", "keep=all,int,first=40000", "keep=handlers,outer=Outer", "keep=all,first=40000,outer=Outer"]


@pytest.fixture(scope="session")
def injector():
    return conftest.built("tests/jdk/classfile/libclassfile_agent.so")


def oldest_javac(*options):
    """The compiler of JDK 8 makes old class files as well; another one makes those of Java 8."""
    if 8 in conftest.JDKS:
        return [conftest.JDKS[8].tool("javac"), "-nowarn", "-Xlint:-options"] + list(options)
    return [conftest.JDKS[min(conftest.JDKS)].tool("javac"), "--release", "8", "-nowarn"]


def compile_java(command, folder, *sources):
    return made_once(sources, lambda into: command + ["-encoding", "UTF-8", "-d", into] + [str(s) for s in sources], folder,
                     conftest.clean_environment())


@pytest.fixture(scope="session")
def shapes(tmp_path_factory):
    """The programs, as class files with frames."""
    names = ("Probe", "Outer", "Shapes", "Shapes8", "Behave", "Oracle")
    return compile_java(oldest_javac(), tmp_path_factory.mktemp("shapes"), *[SOURCES / (n + ".java") for n in names])


@pytest.fixture(scope="session")
def old_shapes(tmp_path_factory):
    """The same as of Java 5: no frames, and a subroutine (jsr) for each finally."""
    if 8 not in conftest.JDKS:
        pytest.skip("only the compiler of JDK 8 makes class files of version 49: run tools/test-jdks")
    command = oldest_javac("-source", "1.5", "-target", "1.5", "-XDjsrlimit=0")
    return compile_java(command, tmp_path_factory.mktemp("old_shapes"),
                        *[SOURCES / (n + ".java") for n in ("Probe", "Outer", "Shapes", "Behave")])


@pytest.fixture(scope="session")
def tracker(tmp_path_factory):
    """A class file java/lang/HprofProbe whose methods do nothing: no compiler makes one in java.lang on every JDK."""
    pool = []

    def add(entry):
        pool.append(entry)
        return len(pool)

    def utf8(text):
        return add(b"\1" + struct.pack(">H", len(text)) + text.encode())

    def klass(name):
        return add(b"\7" + struct.pack(">H", utf8(name)))

    this, parent, code, methods = klass("java/lang/HprofProbe"), klass("java/lang/Object"), utf8("Code"), b""
    rows = [("enter", "(I)V", b"\xb1"), ("exit", "(I)V", b"\xb1"), ("enterKeep", "(I)J", b"\x09\xad"),
            ("exitKeep", "(J)V", b"\xb1"), ("caught", "(J)V", b"\xb1"), ("enterKeepInt", "(I)I", b"\x03\xac"),
            ("exitKeep", "(I)V", b"\xb1"), ("caught", "(I)V", b"\xb1")]
    rows += [("unwound", "(Ljava/lang/Throwable;J)V", b"\xb1")]
    rows += [(name, "(Ljava/lang/Object;)V", b"\xb1") for name in ("object", "array", "arrays", "maybe", "unlock")]
    for name, desc, instructions in rows:
        body = struct.pack(">HHI", 2, 3, len(instructions)) + instructions + struct.pack(">HH", 0, 0)
        methods += struct.pack(">HHHHHI", 9, utf8(name), utf8(desc), 1, code, len(body)) + body
    path = tmp_path_factory.mktemp("tracker") / "HprofProbe.class"
    path.write_bytes(struct.pack(">IHHH", 0xCAFEBABE, 0, 52, len(pool) + 1) + b"".join(pool)
                     + struct.pack(">HHHHHH", 0x21, this, parent, 0, 0, len(rows)) + methods + b"\0\0")
    return path


def run_oracle(start_java, jdk, injector, tracker, shapes, step, *others, more=""):
    modules = [] if jdk.number == 8 else ["--add-modules", "ALL-SYSTEM"]
    timeout = EVERY_TIMEOUT_S if EVERY else conftest.TIMEOUT_S
    return start_java(jdk, "define=%s%s" % (tracker, more), "Oracle", step, *others, library=injector,
                      vm=VERIFY + modules + ["-Xmx2g", "-cp", str(shapes)], classpath=shapes).end(timeout)


@pytest.fixture
def start_injected(start_java):
    """start_java with a class path of ours: the last -cp counts, so it goes behind the fixture's."""
    def start(jdk, options, main, *args, library, vm, classpath):
        return start_java(jdk, options, "-cp", classpath, main, *args, library=library, vm=vm)
    return start


def number_before(text, what):
    found = re.search(r"(\d+) " + what, text)
    return int(found.group(1)) if found else 0


@pytest.mark.parametrize("probes", ["", ",every", ",unwound"], ids=["one", "every", "unwound"])
def test_classes_of_the_jdk_verify_injected(start_injected, jdk, injector, tracker, shapes, probes):
    """With one probe; with those of all engines at once, which are what one after the other would be; with a handler around each."""
    jars = [jar for jar in os.environ.get("HPROF_CLASS_JARS", "").split(":") if jar] if EVERY else []
    ended = run_oracle(start_injected, jdk, injector, tracker, shapes, 1 if EVERY else SAMPLE_STEP, *jars, more=probes)
    print(ended.stdout + ended.stderr)
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert "rejected: 0" in ended.stdout
    assert " 0 errors" in ended.stderr
    linked = number_before(ended.stdout, "linked")
    assert linked > (20000 if EVERY else 800)
    assert number_before(ended.stderr, "changed") > linked / 2
    assert number_before(ended.stderr, "methods injected") > linked * 5
    assert number_before(ended.stderr, "early classes retransformed") > 200
    # Nothing of a JDK is out of reach today; whoever finds the first exception decides whether it may stay.
    assert "left alone" not in ended.stderr
    assert "differs" not in ended.stderr
    if probes == ",every":
        assert number_before(ended.stderr, "methods compared") > linked * 50


@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("name", ["java/util/zip/CheckedInputStream", "java/io/File"], ids=["loaded", "early"])
def test_a_damaged_class_of_the_jdk_is_rejected(start_injected, jdk, injector, tracker, shapes, name):
    """So that the test above can fail: for a class that is linked, and for one that was there before the agent."""
    ended = run_oracle(start_injected, jdk, injector, tracker, shapes, 100000, name.replace("/", "."),
                       more=",spoil=" + name)
    assert ended.rc == 1, ended.stdout + ended.stderr
    assert "rejected: 1\n" in ended.stdout


def behave(start_injected, jdk, injector, classpath, probes, *shapes):
    ended = start_injected(jdk, "tracker=Probe,prefix=%s,%s" % (shapes[0].rstrip("0123456789").split("$")[0], probes),
                           "Behave", *shapes, library=injector, vm=VERIFY, classpath=classpath).end()
    said = ended.stdout + ended.stderr
    assert ended.rc == 0, said
    assert "balanced: " in ended.stdout, said
    assert "left alone" not in ended.stderr, said
    return ended


@pytest.mark.parametrize("probes", PROBES)
def test_probes_are_balanced_on_every_path(start_injected, jdk, injector, shapes, probes):
    ended = behave(start_injected, jdk, injector, shapes, probes, "Shapes$All", "Shapes8$All")
    assert int(re.search(r"balanced: (\d+) checks", ended.stdout).group(1)) > 1000


@pytest.mark.parametrize("probes", PROBES)
def test_probes_are_balanced_in_old_class_files(start_injected, jdk, injector, old_shapes, probes):
    ended = behave(start_injected, jdk, injector, old_shapes, probes, "Shapes$All")
    assert int(re.search(r"balanced: (\d+) checks", ended.stdout).group(1)) > 1000


def big_source():
    """Loops whose jumps just reach before the injection: over 3400 returns, forward and backward, and a switch."""
    ifs = "\n".join("            if (s == %d) return s;" % -(i % 100 + 1) for i in range(3400))
    return """
public class Big {
    static int forward(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s += i;
%(ifs)s
            if (i == 1000) Probe.check();
        }
        Probe.check();
        return s;
    }
    static int backward(int n) {
        int s = 0;
        do {
            s += n;
            if (s == 7) { try { fall(n); } catch (IllegalStateException e) { Probe.check(); s++; } }
%(ifs)s
        } while (--n > 0 || n == -5 || (n & 1) == 7);
        Probe.check();
        return s;
    }
    static void fall(int n) { Probe.check(); throw new IllegalStateException(); }
    public static class All implements Runnable {
        public void run() {
            if (forward(5) != 10) Probe.fail("forward");
            if (backward(4) != 11) Probe.fail("backward");
            Probe.check();
        }
    }
}
""" % {"ifs": ifs}


@pytest.fixture(scope="session")
def make_big(shapes, tmp_path_factory):
    """make_big(version): the class path of Big, whose loops only just do without wide jumps: what javac gave them is looked at."""
    @functools.lru_cache(maxsize=None)
    def make(version):
        folder = tmp_path_factory.mktemp("big")
        (folder / "Big.java").write_text(big_source())
        options = ["-source", "1.5", "-target", "1.5"] if version == "5" else []
        subprocess.run(oldest_javac(*options) + ["-cp", str(shapes), "-d", str(folder), str(folder / "Big.java")], check=True,
                       env=conftest.clean_environment(), timeout=conftest.TIMEOUT_S, stdin=subprocess.DEVNULL)
        code = subprocess.run([conftest.JDKS[min(conftest.JDKS)].tool("javap"), "-c", "-cp", str(folder), "Big"],
                              env=conftest.clean_environment(), stdout=subprocess.PIPE, text=True, check=True).stdout
        assert "goto_w" not in code
        assert 27000 < max(int(pc) for pc in re.findall(r"^ *(\d+): ", code, re.M)) < 32000
        return "%s:%s" % (folder, shapes)
    return make


@pytest.fixture(params=["8", "5"])
def big(request, make_big):
    if request.param == "5" and 8 not in conftest.JDKS:
        pytest.skip("only the compiler of JDK 8 makes class files of version 49: run tools/test-jdks")
    return make_big(request.param)


@pytest.mark.parametrize("probes", ["keep=handlers", "keep=all,first=40000", "keep=handlers,outer=Outer"])
def test_jumps_over_32_kilobytes_are_made_wide(start_injected, jdk, injector, big, probes):
    ended = behave(start_injected, jdk, injector, big, probes, "Big$All")
    assert re.search(r"balanced: [1-9]\d* checks", ended.stdout)
