#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""overhead.py - what sampling costs: user+system CPU time and wall time of one program, as ratios.

The program runs without an agent, with hprof and with async-profiler, in turn, round after round, so that
a noisy machine is noisy for all of them. Printed are medians over the rounds of each run's ratio to the
bare run of its own round, with the smallest and largest.

With --all each measures CPU, wall-clock time, allocation and locks at once, at the same intervals and into JFR files, and the
JDK's own recorder is there with its profile settings, too.
With --jfr they write JFR files, and the last column is the CPU time that a sample cost: what a run took more than the bare
one, by the samples in its file.

usage: overhead.py [--rounds N] [--jdk HOME]... [--program javac|serve|spin] [--turns N] [--interval TIME]... [--jfr] [--all]
async-profiler comes from Maven Central by name and version (mvn), kept in the cache folder.
"""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

ASYNC_PROFILER = "4.5"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.environ.get("HPROF_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "hprof")


def async_profiler():
    """The path of libasyncProfiler.so, or None with a loud reason."""
    folder = os.path.join(CACHE, "bench", "async-profiler-" + ASYNC_PROFILER)
    library = os.path.join(folder, "libasyncProfiler.so")
    if os.path.exists(library):
        return library
    if not shutil.which("mvn"):
        print("no mvn: async-profiler is left out", file=sys.stderr)
        return None
    os.makedirs(folder, exist_ok=True)
    done = subprocess.run(["mvn", "-q", "dependency:copy",
                           "-Dartifact=tools.profiler:async-profiler:" + ASYNC_PROFILER,
                           "-DoutputDirectory=" + folder], check=False)
    jar = os.path.join(folder, "async-profiler-%s.jar" % ASYNC_PROFILER)
    if done.returncode != 0 or not os.path.exists(jar):
        print("Maven has no async-profiler %s here: left out" % ASYNC_PROFILER, file=sys.stderr)
        return None
    with zipfile.ZipFile(jar) as z, z.open("linux-x64/libasyncProfiler.so") as source:
        with open(library, "wb") as target:
            shutil.copyfileobj(source, target)
    return library


def javac_program(work, jdk, _):
    """javac over the JDK's own XML library: start-up, much code, JIT, GC."""
    archive = next((p for p in (os.path.join(j, "lib", "src.zip") for j in [jdk] + sorted(
        os.path.join("/usr/lib/jvm", d) for d in os.listdir("/usr/lib/jvm"))) if os.path.exists(p)), None)
    if not archive:
        sys.exit("no lib/src.zip in a JDK: install an openjdk-N-source package, or use --program spin")
    source = os.path.join(work, "src")
    if not os.path.isdir(source):
        with zipfile.ZipFile(archive) as z:
            z.extractall(source, [n for n in z.namelist() if n.startswith("java.xml/")])
    out = tempfile.mkdtemp(dir=work)
    tools = os.path.join(jdk, "lib", "tools.jar")
    if os.path.exists(tools):  # JDK 8, which refuses some of them after it has read all
        names = [os.path.join(folder, name) for folder, _, files in os.walk(os.path.join(source, "java.xml")) for name in files
                 if name.endswith(".java") and not name.endswith("-info.java")]
        return ["-cp", tools, "com.sun.tools.javac.Main", "-nowarn", "-Xlint:none", "-Xmaxerrs", "1", "-proc:none", "-d", out] + names
    return ["-m", "jdk.compiler/com.sun.tools.javac.Main", "-nowarn", "-Xlint:none", "-d", out,
            "--module-source-path", source, "-m", "java.xml"]


SPIN = """
import java.util.*;
public class Spin {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    public static void main(String[] a) {
        long sum = 0;
        for (int i = 0; i < Integer.parseInt(a[0]); i++) {
            sum += fib(30);
            List<String> l = new ArrayList<>();
            for (int j = 0; j < 60000; j++) l.add(Integer.toString(j * 31 % 1000));
            Collections.sort(l);
            sum += l.get(17).hashCode();
        }
        System.out.println(sum);
    }
}
"""


def spin_program(work, jdk, turns):
    """One busy thread: recursion, strings, sorting; steady state."""
    folder = os.path.join(work, "spin")
    if not os.path.isdir(folder):
        os.makedirs(folder)
        with open(os.path.join(folder, "Spin.java"), "w", encoding="utf-8") as f:
            f.write(SPIN)
        subprocess.run([os.path.join(jdk, "bin", "javac"), "-d", folder, os.path.join(folder, "Spin.java")], check=True)
    return ["-cp", folder, "Spin", str(turns)]


JARS = ("tomcat-embed-core-9.0.124.jar", "tomcat-annotations-api-9.0.124.jar", "h2-2.1.214.jar")


def serve_program(work, jdk, turns):
    """A web server over a database, with its clients; the jars are those of the tests."""
    folder = os.path.join(work, "serve")
    jars = [os.path.join(CACHE, "readers", jar) for jar in JARS]
    if not os.path.isdir(folder):
        if not all(os.path.exists(jar) for jar in jars):
            sys.exit("no " + ", ".join(jars) + ": the tests bring them")
        os.makedirs(folder)
        subprocess.run([os.path.join(jdk, "bin", "javac"), "-nowarn", "-cp", ":".join(jars), "-d", folder] +
                       [os.path.join(ROOT, "tests/bench/programs/Serve.java")], check=True)
    return ["-Xmx256m", "-cp", ":".join([folder] + jars), "Serve", str(turns * 100)]


PROGRAMS = {"javac": javac_program, "serve": serve_program, "spin": spin_program}


def agents_of_all(work):
    """As agents(), of all that each can measure at once."""
    hprof, file = os.path.join(ROOT, "build", "libhprof.so"), os.path.join(work, "%s.jfr")
    peer = async_profiler()
    rows = [("no agent", None, None),
            ("hprof", "-agentpath:%s=event=cpu+alloc+lock+wall,interval=10ms,alloc=512k,lock=10ms,wall=50ms,depth=512,verbose=n,file=%s" %
             (hprof, file % "hprof"), file % "hprof")]
    if peer:
        rows.append(("async-profiler", "-agentpath:%s=start,event=cpu,interval=10ms,alloc=512k,lock=10ms,wall=50ms,jstackdepth=512,jfr,file=%s" %
                     (peer, file % "peer"), file % "peer"))
    rows.append(("JFR, profile", "-XX:StartFlightRecording=settings=profile,filename=%s" % (file % "jdk"), file % "jdk"))
    return rows


def agents(work, intervals, jfr):
    """Rows of a name, the agent's option of the command line, and the file that it writes."""
    hprof = os.path.join(ROOT, "build", "libhprof.so")
    if not os.path.exists(hprof):
        sys.exit("build/libhprof.so is missing: run make first")
    rows = [("no agent", None, None)]
    peer = async_profiler()
    ending, output = ("jfr", "jfr") if jfr else ("txt", "collapsed")
    for interval in intervals:
        for name, library, options in (
                ("hprof cpu=samples ", hprof, "cpu=samples,depth=64,verbose=n,force=y,interval=%s,file=%s"),
                ("async-profiler cpu ", peer, "start,event=cpu,jstackdepth=64,interval=%%s,file=%%s,%s" % output)):
            if library:
                file = os.path.join(work, "%s.%s" % (os.path.basename(library), ending))
                rows.append((name + interval, "-agentpath:%s=%s" % (library, options % (interval, file)), file))
    return rows


def samples_of(file):
    """The samples in a JFR file."""
    summary = subprocess.run([os.path.join(ROOT, "build", "hprof"), "jfr", "summary", file], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    return int(next(line.split()[1] for line in summary.splitlines() if line.split()[:1] == ["jdk.ExecutionSample"]))


def measure(java, agent, program):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run([java] + ([agent] if agent else []) + program, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1 if "com.sun.tools.javac.Main" in program else 0):
        sys.exit("the program failed under: %s" % agent)
    cpu = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    return cpu, wall


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--jdk", action="append")
    options.add_argument("--program", choices=sorted(PROGRAMS), default="spin")
    options.add_argument("--interval", action="append")
    options.add_argument("--turns", type=int, default=60, help="of spin, some 10 ms each")
    options.add_argument("--jfr", action="store_true")
    options.add_argument("--all", action="store_true")
    o = options.parse_args()
    jdks = o.jdk or [os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("java"))))]
    with tempfile.TemporaryDirectory(prefix="hprof-bench") as work:
        rows = agents_of_all(work) if o.all else agents(work, o.interval or ["10ms", "1ms"], o.jfr)
        for jdk in jdks:
            java = os.path.join(jdk, "bin", "java")
            version = subprocess.run([java, "-version"], stderr=subprocess.PIPE, text=True, check=True).stderr
            times, samples = {row[0]: [] for row in rows}, {row[0]: [] for row in rows}
            for _ in range(o.rounds):
                for name, agent, file in rows:
                    times[name].append(measure(java, agent, PROGRAMS[o.program](work, jdk, o.turns)))
                    if o.jfr and file:
                        samples[name].append(samples_of(file))
            print("\n%s, %d rounds, %s" % (o.program, o.rounds, version.splitlines()[0]))
            print("| | CPU s | CPU ratio | min .. max | wall ratio | min .. max |" + (" samples | us each |" if o.jfr else ""))
            print("| --- | --- | --- | --- | --- | --- |" + (" --- | --- |" if o.jfr else ""))
            for name, _, _ in rows:
                cells = ["%.2f" % statistics.median(t[0] for t in times[name])]
                for k in (0, 1):
                    ratios = [t[k] / b[k] for t, b in zip(times[name], times["no agent"])]
                    cells += ["%.3f" % statistics.median(ratios), "%.3f .. %.3f" % (min(ratios), max(ratios))]
                if samples[name]:
                    more = [(t[0] - b[0]) / n * 1e6 for t, b, n in zip(times[name], times["no agent"], samples[name])]
                    cells += ["%.0f" % statistics.median(samples[name]), "%.1f" % statistics.median(more)]
                print("| %s | %s |" % (name, " | ".join(cells)))


if __name__ == "__main__":
    main()
