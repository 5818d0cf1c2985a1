"""JVMPI agents as their users build and load them: from include/jvmpi.h, with libjvmpi.so.

SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess

from conftest import HERE, ROOT, built, clean_environment, compiler
from kept import made_once

EXAMPLES = ROOT / "examples/jvmpi"
SOURCES = HERE / "jvmpi"
FLAGS = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-shared", "-fPIC"]


def include_flags():
    headers = subprocess.run([str(ROOT / "tools/find-jdk-include")], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.strip()
    return ["-I" + str(ROOT / "include"), "-I" + headers, "-I" + headers + "/linux"]


def build_agent(tmp_path_factory, source, *flags):
    """An agent's folder, in which lies libNAME.so of NAME.c or NAME.cc."""
    library = "lib%s.so" % source.stem
    compiler = ["c++"] if source.suffix == ".cc" else ["cc", *FLAGS]
    return made_once([source, *sorted(source.parent.glob("*.h")), ROOT / "include/jvmpi.h"], lambda into: [
        *compiler, "-shared", "-fPIC", *flags, *include_flags(), "-o", os.path.join(into, library), str(source)],
        tmp_path_factory.mktemp("jvmpi"))


def build_program(tmp_path_factory, *sources, jars=()):
    """The folder with the classes of Java files, which may use jars, for every JDK here."""
    jdk = compiler()
    version = [] if jdk.number == 8 else ["--release", "8"]
    path = ["-cp", ":".join(jars)] if jars else []
    return made_once(sources, lambda into: [jdk.tool("javac"), "-nowarn", "-d", into] + version + path + list(map(str, sources)),
                     tmp_path_factory.mktemp("program"), clean_environment())


def bridge(options=None):
    """The option of the VM that loads the bridge."""
    return "-agentpath:%s%s" % (built("src/jvmpi/libjvmpi.so"), "=" + options if options is not None else "")


def path_of(*folders):
    """The environment in which agents in these folders are found."""
    return {"LD_LIBRARY_PATH": ":".join(map(str, folders))}
