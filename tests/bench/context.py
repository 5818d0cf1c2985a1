#!/usr/bin/env python3
"""context - ns of a scope of hprof.jar, begun and ended, by kind of scope; beside it that without the agent.

made: of a value known beforehand; named: of one of 64 texts that come again; nested: two at a time, for one; fresh: of a text that
was never there; published: with publish=y, for other profilers. Printed is the best of 100 rounds of each of several runs, and the
bytes that a scope allocates.
Usage: context.py [--runs N] [--jdk NUMBER ...]
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

KINDS = ("made", "named", "nested", "fresh")


def run(jdk, classes, options, *args):
    """{kind: (ns, bytes)}"""
    said = subprocess.run([jdk.tool("java"), *options, "-cp", classes, "ContextScopes", *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=True).stdout
    rows = [line.split() for line in said.splitlines()[1:]]
    return {row[0]: (float(row[1]), float(row[3])) for row in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--jdk", type=int, nargs="*", default=[8, 17, 25])
    arguments = parser.parse_args()
    jar = str(conftest.built("src/jar/hprof.jar"))
    with tempfile.TemporaryDirectory() as folder:
        oldest = conftest.JDKS[min(arguments.jdk)]
        subprocess.run([oldest.tool("javac"), "-nowarn", "-cp", jar, "-d", folder, str(HERE / "programs/ContextScopes.java")], check=True)
        classes = "%s:%s" % (folder, jar)
        agent = ["-agentpath:%s=cpu=samples,file=%s/x.jfr" % (conftest.built("src/agent/libhprof.so"), folder)]
        published = [agent[0] + ",publish=y"]
        ways = [("no agent", [], ()), ("agent", agent, ()), ("agent, virtual thread", agent, ("virtual",)),
                ("published", published, ()), ("published, virtual thread", published, ("virtual",))]
        print("| JDK | | %s |" % " | ".join(KINDS))
        print("| --- | --- |%s" % (" --- |" * len(KINDS)))
        for number in arguments.jdk:
            for name, options, args in ways:
                if args and number < 21:
                    continue
                runs = [run(conftest.JDKS[number], classes, options, *args) for _ in range(arguments.runs)]
                best = {kind: min(one[kind] for one in runs) for kind in KINDS}
                print("| %d | %s | %s |" % (number, name, " | ".join("%.1f ns, %.0f bytes" % best[kind] for kind in KINDS)))


if __name__ == "__main__":
    main()
