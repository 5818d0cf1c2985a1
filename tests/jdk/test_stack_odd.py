"""hprof stack: what is no JVM, or not quite one.

SPDX-License-Identifier: Apache-2.0
"""
import gzip
import json
import os
import subprocess

import pytest

from conftest import ROOT, TIMEOUT_S, clean_environment, wait_until
from test_stack import stack


def write(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    return path


def test_a_file_that_is_no_core_is_named_for_what_it_is(hprof, tmp_path):
    elf = b"\x7fELF"
    error_log = b"#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n"
    for target, words in [
            (tmp_path, "a folder"),
            (write(tmp_path, "empty", b""), "an empty file"),
            ("/dev/null", "a device"),
            (write(tmp_path, "text", b"hello"), "not a core file"),
            (write(tmp_path, "short", elf + b"\2\1\1"), "not a core file"),
            (write(tmp_path, "small", elf + b"\2\1\1" + bytes(20)), "ends within the header"),
            (write(tmp_path, "of32", elf + b"\1\1\1" + bytes(57)), "not 64-bit"),
            (hprof, "a program or library"),
            (write(tmp_path, "core.gz", gzip.compress(elf)), "gzip -d"),
            (write(tmp_path, "core.zst", b"\x28\xb5\x2f\xfd more"), "zstd -d"),
            (write(tmp_path, "java.hprof", b"JAVA PROFILE 1.0.2\0"), "heap dump"),
            (write(tmp_path, "hs_err.log", error_log), "error log")]:
        out, said = stack(hprof, target, status=1)
        assert out == "" and said.startswith("hprof: %s: " % target) and words in said, said
        assert said.count("\n") == 1, said


def test_a_pipe_is_not_waited_for(hprof, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    _, said = stack(hprof, tmp_path / "pipe", status=1)
    assert "pipe" in said


def test_a_number_that_no_process_can_have(hprof):
    for number in (str(2 ** 32 + os.getpid()), "9" * 30):
        _, said = stack(hprof, number, status=1)
        assert said == "hprof: %s: no such process; list the JVMs with 'hprof ps'\n" % number
    _, said = stack(hprof, "0", status=1)
    assert said == "hprof: stack: one JVM at a time, not '0'\n", "where several are meant, 0 is all of them"


def test_a_zombie_has_ended(hprof, tmp_path):
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    out = str(tmp_path / "out")
    for words in (["stack"], ["threads"], ["doctor"], ["stat"], ["memory"], ["bundle", "-o", out + ".tar"], ["metrics"], ["top"], ["histo"], ["info"],
                  ["record", "-d", "1s", "-o", out + ".jfr"], ["heap"], ["perfmap"], ["probe", "list"], ["start"]):
        words = [words[0], str(child.pid), *words[1:]] if words[0] == "probe" else [*words, str(child.pid)]
        ended = subprocess.run([hprof, *words], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        assert ended.returncode == 1 and "has ended; only its exit status is left (a zombie)" in ended.stderr, (words, ended)
    child.wait()


def test_a_jvm_that_is_just_starting(hprof, jdk, start_java, tmp_path):
    pause = tmp_path / "pause"
    java = start_java(jdk, None, "Hello", vm=("-XX:+UnlockDiagnosticVMOptions", "-XX:+PauseAtStartup",
                                              "-XX:PauseAtStartupFile=%s" % pause))
    java.wait_for(pause.exists, "the file of the pause")
    _, said = stack(hprof, java.pid, status=1)
    assert "just starting" in said and "not known" not in said, said
    pause.unlink()
    java.process.wait(TIMEOUT_S)


LAUNCHER = r"""
#include <dlfcn.h>
#include <jni.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static char **words; /* libjvm.so, the option with the class path, the class */
static void *run(void *unused)
{
    JavaVM *vm;
    JNIEnv *env;
    void *library = dlopen(words[1], RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        puts(dlerror());
        exit(5);
    }
    jint (*create)(JavaVM **, void **, void *) =
        (jint(*)(JavaVM **, void **, void *))dlsym(library, "JNI_CreateJavaVM");
    JavaVMOption options[] = {{.optionString = words[2]}, {.optionString = "-Xmx64m"}};
    JavaVMInitArgs args = {.version = JNI_VERSION_1_8, .nOptions = 2, .options = options};
    if (create(&vm, (void **)&env, &args) != 0)
        exit(3);
    jclass main_class = (*env)->FindClass(env, words[3]);
    jmethodID main_method = (*env)->GetStaticMethodID(env, main_class, "main", "([Ljava/lang/String;)V");
    jobjectArray none = (*env)->NewObjectArray(env, 0, (*env)->FindClass(env, "java/lang/String"), NULL);
    (*env)->CallStaticVoidMethod(env, main_class, main_method, none);
    exit(4);
    return unused;
}
int main(int count, char **all)
{
    pthread_t thread;
    words = all;
    pthread_create(&thread, NULL, run, NULL);
    pthread_exit(NULL);
    return count;
}
"""


@pytest.mark.jdks(17, 25)
def test_a_jvm_whose_first_thread_has_ended(hprof, jdk, classes, tmp_path):
    """A program that made the JVM in a second thread: the system shows it as a zombie with threads."""
    source, program = tmp_path / "launcher.c", tmp_path / "launcher"
    source.write_text(LAUNCHER)
    include = subprocess.run([str(ROOT / "tools/find-jdk-include")], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.strip()
    subprocess.run(["cc", "-o", str(program), str(source), "-I" + include, "-I" + include + "/linux", "-ldl",
                    "-pthread"], check=True, timeout=TIMEOUT_S)
    out = tmp_path / "out"
    with open(out, "wb") as stdout:
        process = subprocess.Popen([str(program), jdk.home + "/lib/server/libjvm.so",
                                    "-Djava.class.path=%s" % classes, "StackDemo"], stdout=stdout,
                                   stdin=subprocess.DEVNULL, env=clean_environment())
    try:
        wait_until(lambda: b"ready" in out.read_bytes() or process.poll() is not None, "ready, or the end")
        if b"GLIBC_" in out.read_bytes():
            pytest.skip("LAUNCHER NOT TESTED: JDK %s wants a newer C library than that of this machine" % jdk.id)
        assert process.poll() is None, out.read_text()
        text, said = stack(hprof, process.pid)
        assert "stopped for" in said
        assert '"sleeper" #' in text and text.count("StackDemo.deep(StackDemo.java:18)") >= 50
        text, _ = stack(hprof, "--java", "--no-stop", process.pid)
        assert text.count("StackDemo.deep(StackDemo.java:18)") >= 50
    finally:
        process.kill()
        process.wait()


COLLECTORS = {"serial": "-XX:+UseSerialGC", "parallel": "-XX:+UseParallelGC", "g1": "-XX:+UseG1GC"}


@pytest.mark.parametrize("collector", COLLECTORS)
def test_stacks_are_whole_while_the_heap_is_collected(hprof, jdk, start_java, collector):
    """Most of these stacks are taken within a full collection: there JDK 8 keeps other words in interpreted frames."""
    java = start_java(jdk, None, "GcStack", vm=("-Xmx128m", "-Xint", COLLECTORS[collector]))
    java.wait_for_stdout("ready")
    for _ in range(15):
        data, _ = stack(hprof, "--java", "--json", java.pid)
        waiters = [thread for thread in json.loads(data)["threads"]
                   if any(frame["method"] == "deep" for frame in thread["frames"]) or thread["name"] == "waiter"]
        assert len(waiters) == 1
        assert "no_stack" not in waiters[0], waiters[0]
        lines = [frame["line"] for frame in waiters[0]["frames"] if frame["method"] == "deep"]
        assert lines == [8] + [11] * 19, lines


MOVERS = {"z": (17, ["-XX:+UseZGC"]),
          "z-generational": (21, ["-XX:+UseZGC", "-XX:+ZGenerational", "-XX:+IgnoreUnrecognizedVMOptions"]),
          "shenandoah": (17, ["-XX:+UseShenandoahGC"])}


@pytest.mark.parametrize("mover", MOVERS)
def test_names_are_found_while_they_are_moved(hprof, jdk, start_java, mover):
    """The collectors that move objects beside the program: a reference to the old place is followed."""
    since, options = MOVERS[mover]
    if jdk.number < since:
        pytest.skip("JDK %d does not have it" % jdk.number)
    java = start_java(jdk, None, "GcMoves", vm=["-Xmx256m"] + options)
    java.wait_for_stdout("ready")
    for _ in range(20):
        data, _ = stack(hprof, "--java", "--json", java.pid)
        names = [thread["name"] for thread in json.loads(data)["threads"]]
        assert sum((name or "").startswith("moves-") for name in names) == 40, names
