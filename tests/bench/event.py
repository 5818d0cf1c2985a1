#!/usr/bin/env python3
"""event - ns of an event of hprof.jar, begun, given two values and committed, by kind of event.

short: of a type whose threshold it does not reach; numbers: of a type without a stack; text: the same with a text of 23 characters;
stack: with a stack of 32 frames. Without the agent, with one whose recording is no JFR file, with one
whose is; and the JDK's own recorder with the same events. Printed is the
median of 100 rounds, the best of several runs, and the bytes that an event allocates.
Usage: event.py [--runs N] [--jdk NUMBER ...]
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/jdk"))
import conftest  # noqa: E402 pylint: disable=wrong-import-position

KINDS = ("short", "numbers", "text", "stack")


def sources(name):
    return [str(HERE / "programs" / (one + ".java")) for one in (name, "EventRounds")]


def run(jdk, classes, options, program):
    """{kind: (ns, bytes)}"""
    said = subprocess.run([jdk.tool("java"), *options, "-cp", classes, program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=True).stdout
    rows = [line.split() for line in said.splitlines() if line.split()[0] in KINDS]
    return {row[0]: (float(row[1]), float(row[3])) for row in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--jdk", type=int, nargs="*", default=[8, 17, 25])
    arguments = parser.parse_args()
    jar = str(conftest.built("src/jar/hprof.jar"))
    with tempfile.TemporaryDirectory() as folder:
        oldest = conftest.JDKS[min(arguments.jdk)]
        subprocess.run([oldest.tool("javac"), "-nowarn", "-cp", jar, "-d", folder, *sources("CommittedEvents")], check=True)
        classes = "%s:%s" % (folder, jar)
        agent = "-agentpath:%s=" % conftest.built("src/agent/libhprof.so")
        ways = [("no agent", [], "CommittedEvents"), ("no JFR file", ["%scpu=samples,file=%s/x.txt,force=y" % (agent, folder)], "CommittedEvents"),
                ("recorded", ["%sevent=custom,file=%s/x.jfr,force=y" % (agent, folder)], "CommittedEvents"),
                ("JDK's recorder", ["-XX:StartFlightRecording=filename=%s/jdk.jfr" % folder], "RecorderEvents")]
        print("| JDK | | %s |" % " | ".join(KINDS))
        print("| --- | --- |%s" % (" --- |" * len(KINDS)))
        for number in arguments.jdk:
            for name, options, program in ways:
                if program == "RecorderEvents":
                    if number < 11:
                        continue
                    newer = conftest.JDKS[number]
                    subprocess.run([newer.tool("javac"), "-nowarn", "-d", folder, *sources("RecorderEvents")], check=True)
                runs = [run(conftest.JDKS[number], classes, options, program) for _ in range(arguments.runs)]
                best = {kind: min(one[kind] for one in runs) for kind in KINDS}
                print("| %d | %s | %s |" % (number, name, " | ".join("%.1f ns, %.0f bytes" % best[kind] for kind in KINDS)), flush=True)


if __name__ == "__main__":
    main()
