"""What a recording tells of its JVM has no secrets in it: passwords and their like in arguments, properties and the environment.

SPDX-License-Identifier: Apache-2.0
"""
import json
import re

import pytest

from asking import ask
from conftest import JDKS, old_and_new
import jfr_file

HIDDEN = "[REDACTED]"
# Each value that must not be told has this word in it.
ENVIRONMENT = {"MY_TOKEN": "CANARY-1", "JAVA_TOOL_OPTIONS": "-Dtool.secret=CANARY-2", "JDK_JAVA_OPTIONS": "-Doptions.credential=CANARY-3"}
PROPERTIES = ["-Dx.password=CANARY-4", "-Djavax.net.ssl.keyStorePassword=CANARY-5", "-Dauthor=CANARY-6", "-Dplain=told"]
ARGUMENTS = ["10", "--db-password", "CANARY-7", "--token=CANARY-8", "--passphrase", "two CANARY-9 words", "told-too"]
# A name that only a pattern of the caller's has.
PIN = "-Dcard.pin=CANARY-10"


def argfile(tmp_path, jdk):
    """Options of the VM by way of a file, which JDK 8 does not know."""
    path = tmp_path / "arguments"
    path.write_text("-Dfile.api.key=CANARY-11\n")
    return ["@%s" % path] if jdk.number >= 9 else ["-Dfile.api.key=CANARY-11"]


def told(hprof, path):
    """(java arguments, jvm arguments, {property: value}), as our own reader has them."""
    said = ask(hprof, "jfr", "print", "--json", "--events", "JVMInformation,InitialSystemProperty", path)[0]
    events = [(event["type"], event["values"]) for event in json.loads(said)["recording"]["events"]]
    vm = next(values for name, values in events if name == "jdk.JVMInformation")
    return vm["javaArguments"], vm["jvmArguments"], {values["key"]: values["value"] for name, values in events if name != "jdk.JVMInformation"}


def test_a_recording_of_the_agent_has_no_secrets(jdk, hprof, run_java, tmp_path):
    options = "cpu=samples,redact-key=+*.PIN,file=x.jfr"
    ended = run_java(jdk, options, "CpuHot", *ARGUMENTS, vm=PROPERTIES + [PIN] + argfile(tmp_path, jdk), env=ENVIRONMENT)
    assert ended.rc == 0, ended.stderr
    recording = ended.read("x.jfr")
    assert b"CANARY" not in recording and b"told" in recording
    arguments, vm, properties = told(hprof, ended.cwd / "x.jfr")
    assert arguments == " ".join(["CpuHot", "10", *[HIDDEN] * 5, "told-too"])
    assert properties["sun.java.command"] == arguments and properties["plain"] == "told"
    assert {properties[name] for name in ("x.password", "author", "tool.secret", "card.pin", "file.api.key")} == {HIDDEN}
    assert "-Dplain=told" in vm.split() and "-Dauthor=" + HIDDEN in vm.split()


# The JDK's own recorder beside the agent is the oracle; it hides by itself from 27 on.
@pytest.mark.jdks(27)
@pytest.mark.everyday(27)
def test_it_hides_what_the_jdk_hides(jdk, hprof, run_java, tmp_path):
    arguments = ["10", "--my-api-key", "a", "--auth", "b", "password", "c", "-xpwd", "client_secret", "--jaas-x-config", "d", "--passwd"]
    named = ["-D%s=x" % name for name in ("auth", "a.b", "x.private.key", "Api.Key", "apikeys", "key", "pass", "JAAS.config", "passphrases")]
    ended = run_java(jdk, "cpu=samples,file=x.jfr", "CpuHot", *arguments, vm=["-XX:StartFlightRecording:filename=jdk.jfr", *named])
    assert ended.rc == 0, ended.stderr
    ours, theirs = told(hprof, ended.cwd / "x.jfr"), told(hprof, ended.cwd / "jdk.jfr")
    assert ours[0] == theirs[0]
    # Ours are the words of the process: the class path and the agent are among them.
    assert [word for word in theirs[1].split() if word not in ours[1].split()] == []
    assert {key: value for key, value in ours[2].items() if value == HIDDEN} == {key: value for key, value in theirs[2].items() if value == HIDDEN}


@old_and_new
def test_redaction_can_be_turned_off(jdk, hprof, run_java):
    ended = run_java(jdk, "cpu=samples,redact-key=none,redact-argument=none,file=x.jfr", "CpuHot", *ARGUMENTS, vm=PROPERTIES)
    assert ended.rc == 0, ended.stderr
    arguments, vm, properties = told(hprof, ended.cwd / "x.jfr")
    assert arguments == " ".join(["CpuHot", *ARGUMENTS]) == properties["sun.java.command"]
    assert "-Dauthor=CANARY-6" in vm.split() and properties["x.password"] == "CANARY-4"


def test_the_jvms_own_recording_beside_the_agents_has_none_either(jdk, hprof, start_java, tmp_path):
    """JDKs before 27 write all of it as it is, and the processes of the machine on each."""
    vm = [*PROPERTIES, *argfile(tmp_path, jdk), "-XX:OnError=echo --password CANARY-12"]
    # The JVM's recorder does not quote arguments, so where one with blanks ends nobody knows.
    whole = [argument for argument in ARGUMENTS if " " not in argument]
    java = start_java(jdk, None, "Spin", tmp_path / "stop", *whole, vm=vm, env={**ENVIRONMENT, "SOME_OPTS": "-Xmx1g -Dpasswd=CANARY-13"})
    java.wait_for_stdout("spinning")
    ask(hprof, "record", "--jfr", "-e", "cpu", "-d", "300ms", "-o", tmp_path / "x.jfr", java.pid)
    found = jfr_file.counts(JDKS[max(JDKS)], tmp_path / "x.jfr")
    assert found["jdk.InitialEnvironmentVariable"] > 0 and found["jdk.ActiveSetting"] > 0
    recording = (tmp_path / "x.jfr").read_bytes()
    at = recording.find(b"CANARY")
    assert at < 0, recording[at - 200:at + 100]
    ask(hprof, "record", "--jfr", "-e", "cpu", "-O", "redact-key=none", "-O", "redact-argument=none", "-d", "300ms", "-o", tmp_path / "y.jfr", java.pid)
    assert b"CANARY" in (tmp_path / "y.jfr").read_bytes()


def values_of(text):
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


@pytest.fixture
def secretive(jdk, start_java, tmp_path):
    """A JVM whose command line is full of secrets."""
    # The VM does not quote its arguments: of a value with blanks only the first word is known to be secret.
    words = [word.replace(" ", "-") for word in ARGUMENTS[1:]]
    java = start_java(jdk, None, "Spin", tmp_path / "stop", *words, vm=PROPERTIES + [PIN], env=ENVIRONMENT)
    java.wait_for_stdout("spinning")
    return java


def test_looking_at_a_jvm_tells_no_secrets(hprof, secretive):
    """ps, info and props hide what a recording hides, say how much that was, and show it when they are asked to."""
    pid = str(secretive.pid)
    more = ["--redact-key", "+*.PIN"]
    outputs = {"ps": ["-v", "-m"], "info": [pid, "command"], "props": [pid]}
    for command, words in outputs.items():
        out, err = ask(hprof, command, *words, *more)
        mine = out if command != "ps" else "\n".join(line for line in out.splitlines() if line.split()[:1] == [pid])
        assert "CANARY" not in mine and HIDDEN in mine and "told" in mine, command
        assert re.search(r"hprof: .*: \d+ values were redacted; '--redact none' shows them", err), command
        out, err = ask(hprof, command, *words, "--redact", "none")
        assert out.count("CANARY") >= 4 and "redacted" not in err, command
    (row,) = [jvm for jvm in json.loads(ask(hprof, "ps", "--json", *more)[0])["jvms"] if jvm["pid"] == secretive.pid]
    assert "CANARY" not in json.dumps(row) and row["arguments"].split()[1:] == [*[HIDDEN] * 5, "told-too"]
    values = values_of(ask(hprof, "props", pid, *more)[0])
    assert {values[name] for name in ("x.password", "author", "card.pin", "tool.secret")} == {HIDDEN} and values["plain"] == "told"
    assert values["sun.java.command"].split()[2:] == [*[HIDDEN] * 5, "told-too"]
    assert ask(hprof, "props", pid, "x.password")[0] == HIDDEN + "\n"
    assert ask(hprof, "props", pid, "x.password", "--redact", "none")[0] == "CANARY-4\n"
    assert "CANARY-10" in ask(hprof, "props", pid)[0], "the built-in patterns do not have it"


def test_jcmd_prints_what_the_jvm_says(hprof, secretive):
    assert ask(hprof, "jcmd", secretive.pid, "VM.command_line")[0].count("CANARY") >= 4
