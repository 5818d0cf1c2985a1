#!/usr/bin/env python3
"""sites.py [--rounds N] [--objects N | --javac SOURCES.jar | --own-javac | --start] - what heap=sites and event=alloc cost, beside the agents that do the same.

On JDK 8 the peer is the JDK's own agent; from JDK 11 on it is async-profiler's alloc, for the sampled mode and for event=alloc, both
of which write recordings. Each round runs
the program without an agent, with ours and with the peer, in an order drawn anew; the figures are medians of CPU time
(user and system), which a busy machine disturbs less than the clock, of the whole JVM, start and last table included. With --javac
the program is JDK 8's javac over the sources in a jar (commons-math3's, of Maven Central); with --start it is one that does
nothing: cpu=samples is measured beside heap=sites then, and what each adds to the bare start is printed. With --own-javac it is the
JDK's own javac over java.util of its src.zip, and only samples are taken.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "jdk")]
import conftest  # noqa: E402
import overhead  # noqa: E402
import real  # noqa: E402


def agents(jdk, is_start, is_sampled):
    library = os.environ.get("HPROF_LIBRARY") or str(ROOT / "build/src/agent/libhprof.so")
    ours = "-agentpath:%s=heap=sites,verbose=n" % library
    rows = [("none", None), ("heap=sites", ours), ("heap=sites,sample=512k", ours + ",sample=512k")]
    if jdk.original_agent:
        rows.append(("JDK 8's heap=sites", "-agentpath:%s=heap=sites,verbose=n" % jdk.original_agent))
    if is_start:
        rows += [(name.replace("heap=sites", "cpu=samples"), agent.replace("heap=sites", "cpu=samples"))
                 for name, agent in rows if agent and "sample=" not in agent]
    if is_sampled:
        rows = rows[:1]
    peer = overhead.async_profiler() if jdk.number >= 11 else None
    if jdk.number >= 11:
        rows.append(("event=alloc,file=x.jfr", "-agentpath:%s=event=alloc,depth=64,file=x.jfr,verbose=n" % library))
    if peer:
        rows.append(("async-profiler alloc=512k", "-agentpath:%s=start,event=alloc,alloc=512k,file=peer.jfr" % peer))
    return rows


def own_javac(home, work):
    """What compiles java.util of the JDK with its own compiler."""
    sources = pathlib.Path(work, "sources")
    with zipfile.ZipFile(str(pathlib.Path(home, "lib/src.zip"))) as archive:
        names = [name for name in archive.namelist() if name.startswith("java.base/java/util/") and name.endswith(".java")]
        archive.extractall(str(sources), names)
    pathlib.Path(work, "files").write_text("\n".join(str(sources / name) for name in names))
    return ["-m", "jdk.compiler/com.sun.tools.javac.Main", "-nowarn", "-proc:none", "-d", str(pathlib.Path(work, "out")),
            "--patch-module", "java.base=%s/java.base" % sources, "@%s/files" % work]


def program(asked, work):
    if asked.javac:
        return real.javac(conftest.JDKS[8].home, asked.javac, work)
    if asked.own_javac:
        return own_javac(conftest.JDKS[asked.own_javac].home, work)
    name = "tests/jdk/programs/Hello.java" if asked.start else "tests/bench/programs/AllocHeavy.java"
    subprocess.run([conftest.JDKS[min(conftest.JDKS)].tool("javac"), "-d", work, str(ROOT / name)], check=True)
    return ["-cp", work, "Hello"] if asked.start else ["-cp", work, "AllocHeavy", str(asked.objects)]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--objects", type=int, default=1000000)
    options.add_argument("--javac", metavar="SOURCES.jar")
    options.add_argument("--own-javac", type=int, metavar="JDK")
    options.add_argument("--start", action="store_true")
    options.add_argument("--jdk", action="append", type=int)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as work:
        jdks = [conftest.JDKS[n] for n in asked.jdk or ([8] if asked.javac else [asked.own_javac] if asked.own_javac else sorted(conftest.JDKS))]
        arguments = program(asked, work)
        print("| JDK | agent | CPU s | slowdown |%s\n| --- | --- | --- | --- |%s" %
              ((" added |", " --- |") if asked.start else ("", "")))
        for jdk in jdks:
            rows = agents(jdk, asked.start, asked.own_javac)
            found = {name: [] for name, _ in rows}
            for _ in range(asked.rounds):
                for name, agent in random.sample(rows, len(rows)):
                    argv = [jdk.tool("java")] + ([agent] if agent else []) + arguments
                    found[name].append(real.cpu_seconds(argv, work))
            base = statistics.median(found["none"])
            for name, _ in rows:
                seconds = statistics.median(found[name])
                print("| %d | %s | %.3f | %.2f |%s" % (jdk.number, name, seconds, seconds / base,
                                                       " %.1f ms |" % (1000 * (seconds - base)) if asked.start else ""), flush=True)


if __name__ == "__main__":
    main()
