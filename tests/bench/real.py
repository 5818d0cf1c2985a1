"""real.py - real programs to measure with, and the CPU time of a run. Used by the other scripts here.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import resource
import subprocess
import zipfile


def cpu_seconds(argv, cwd, timeout=600):
    """The CPU time of a run, user and system; a run that fails is an exception."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, cwd=cwd, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=timeout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def javac(home, jar, work, every=1):
    """The arguments of java 8, of that JAVA_HOME, that compile the sources in the jar: each file, or every so manieth and
    those that it needs."""
    with zipfile.ZipFile(jar) as sources:
        sources.extractall(work + "/sources")
    names = sorted(str(path) for path in pathlib.Path(work, "sources").rglob("*.java"))
    pathlib.Path(work, "names").write_text("\n".join(names[::every]))
    os.mkdir(work + "/made")
    return ["-Xmx700m", "-cp", home + "/lib/tools.jar", "com.sun.tools.javac.Main", "-encoding", "UTF-8", "-nowarn",
            "-proc:none", "-sourcepath", work + "/sources", "-d", work + "/made", "@" + work + "/names"]
