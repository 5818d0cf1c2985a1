"""Exact frames under control of the compilers: each method of AsgstJit's chain interpreted, compiled at a level, inlined or
native as its name says. "Mastering the Art of Controlling the JIT": the VM's test interface brings a method into its form,
compiler directives (JDK 8: CompileCommand) keep it there.
SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import re
import subprocess

import pytest

from conftest import JDKS, ROOT, TIMEOUT_S, built, clean_environment
from kept import made_once

SOURCES = pathlib.Path(__file__).resolve().parent / "asgst"
CHECKS = ["asgst.h here", "asgst_classic.h here", "asgst.h in a handler", "asgst_classic.h in a handler"]
# From main inwards; what the names say is checked by jit_test.c.
CHAIN = ["main", "int_first", "c1_1", "in_c1", "c1_2", "c1_3", "c2_4", "in_c2", "in_in_c2", "int_middle", "callBack", "c2_last",
         "check"]


@pytest.fixture(scope="module")
def jit_agent(tmp_path_factory):
    library = tmp_path_factory.mktemp("jit-agent") / "libjit.so"
    asgst = built("src/asgst/libasgst.so.1")
    headers = subprocess.run([str(ROOT / "tools/find-jdk-include")], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    subprocess.run(["cc", "-std=gnu11", "-O1", "-g", "-Wall", "-Werror", "-shared", "-fPIC", "-I", str(ROOT / "include"),
                    "-isystem", headers, "-isystem", headers + "/linux", str(SOURCES / "jit_test.c"),
                    str(SOURCES / "jit_older.c"), "-o", str(library), str(asgst), "-Wl,-rpath," + str(asgst.parent)],
                   check=True, timeout=TIMEOUT_S)
    return library


def compile_once(source, folder):
    jdk = JDKS[min(JDKS)]
    release = [] if jdk.number == 8 else ["--release", "8", "-nowarn"]
    made_once([source], lambda into: [jdk.tool("javac"), *release, "-d", into, str(source)], folder, clean_environment())


@pytest.fixture(scope="module")
def jit_classes(tmp_path_factory):
    """(classes, boot classes): the program, and the VM's test interface under both its names."""
    classes, boot = tmp_path_factory.mktemp("jit-classes"), tmp_path_factory.mktemp("jit-boot")
    text = (SOURCES / "WhiteBox.java.in").read_text()
    for package in ("sun.hotspot", "jdk.test.whitebox"):
        source = boot / package.replace(".", "/") / "WhiteBox.java"
        source.parent.mkdir(parents=True)
        source.write_text(text.replace("PACKAGE", package))
        compile_once(source, boot)
    compile_once(SOURCES / "AsgstJit.java", classes)
    return classes, boot


NATIVES = ("callBack", "check")


def chain_with_lines():
    """["check", "c2_last:67", ...]: the innermost first, each with the line of its call of the next."""
    lines = (SOURCES / "AsgstJit.java").read_text().splitlines()
    number = {name: next(n for n, line in enumerate(lines, 1) if re.search(r"static .*void %s\(" % name, line)) + 1 for name in CHAIN}
    number["main"] = max(n for n, line in enumerate(lines, 1) if "int_first(how);" in line)
    return [name if name in NATIVES else "%s:%d" % (name, number[name]) for name in reversed(CHAIN)]


def frames_of(text):
    """The program's frames of a stack as we print it, in that form."""
    frames = re.findall(r"AsgstJit\.(\w+)\(AsgstJit\.java:([^)]*)\)|AsgstJit\.(\w+)\(", text)
    return ["%s:%s" % (name, line) if line.isdigit() else name or other for name, line, other in frames]


def is_inlined(name):
    return name.startswith("in_")


def compiler_options(jdk, tmp_path):
    """Which compilers may touch a method, and what is inlined."""
    options = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+WhiteBoxAPI"]
    if jdk.number == 8:
        for name in CHAIN:
            if name.startswith("int_"):
                options.append("-XX:CompileCommand=exclude,AsgstJit::" + name)
            options.append("-XX:CompileCommand=%s,AsgstJit::%s" % ("inline" if is_inlined(name) else "dontinline", name))
        return options
    inline = ["+AsgstJit.in_*", "-AsgstJit.*"]
    directives = [
        {"match": "AsgstJit.int_*", "c1": {"Exclude": True}, "c2": {"Exclude": True}},
        {"match": "AsgstJit.c1_*", "inline": inline, "c2": {"Exclude": True}},
        {"match": "AsgstJit.*", "inline": inline},
    ]
    path = tmp_path / "directives.json"
    path.write_text(json.dumps(directives))
    return options + ["-XX:CompilerDirectivesFile=%s" % path]


@pytest.fixture
def jit_command(jdk, jit_agent, jit_classes, tmp_path):
    def make(what, more=()):
        classes, boot = jit_classes
        return ([jdk.tool("java"), "-Xbootclasspath/a:%s" % boot] + compiler_options(jdk, tmp_path) +
                ["-agentpath:%s" % jit_agent] + list(more) + ["-cp", str(classes), "AsgstJit", str(jit_agent), what])
    return make


def run_jit(command, tmp_path):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          cwd=str(tmp_path), env=clean_environment(), timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "forced" in done.stdout.splitlines(), done.stdout + done.stderr
    return done.stdout


def test_every_frame_has_its_type_its_level_and_its_bytecode(jit_command, tmp_path):
    out = run_jit(jit_command("check"), tmp_path)
    said = [line for line in out.splitlines() if line.startswith(("ok ", "not ok "))]
    assert said == ["ok " + name for name in CHECKS], out


def test_the_agent_has_the_same_frames(jdk, jit_command, tmp_path):
    agent = built("src/agent/libhprof.so")
    options = "-agentpath:%s=cpu=samples,interval=5,depth=100,file=out.txt" % agent
    run_jit(jit_command("burn", [options]), tmp_path)
    text = (tmp_path / "out.txt").read_text()
    traces = dict(re.findall(r"^TRACE (\d+):[^\n]*\n((?:\t[^\n]*\n)+)", text, re.M))
    rows = re.findall(r"^ +\d+ +[\d.]+% +[\d.]+% +(\d+) +(\d+) (\S+)$", text, re.M)
    rows = [(int(count), trace) for count, trace, method in rows if method == "AsgstJit.check"]
    assert sum(count for count, _ in rows) > 50, text[-3000:]
    for count, trace in rows:
        assert frames_of(traces[trace]) == chain_with_lines(), traces[trace]


def test_the_stack_command_has_the_same_frames(jdk, jit_command, tmp_path):
    process = subprocess.Popen(jit_command("hold"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, cwd=str(tmp_path), env=clean_environment())
    try:
        line = process.stdout.readline()
        while line and line.strip() not in ("forced", "not forced"):
            line = process.stdout.readline()
        assert line.strip() == "forced"
        frames = []
        for _ in range(600):  # until it has entered the chain
            done = subprocess.run([str(built("src/cli/hprof")), "stack", str(process.pid)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False)
            assert done.returncode == 0, done.stderr
            frames = frames_of(done.stdout)
            if "check" in frames:
                break
        assert frames == chain_with_lines(), done.stdout
    finally:
        process.communicate("go\n", timeout=TIMEOUT_S)
    assert process.returncode == 0
