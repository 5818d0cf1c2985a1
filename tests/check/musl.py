#!/usr/bin/env python3
"""musl - the libraries load into a program of musl, the C library of Alpine: each symbol is there, each thread-local variable has a place.

The program is made with musl-gcc and does what a JVM does with an agent: dlopen(), dlsym(). It needs no glibc.
SPDX-License-Identifier: Apache-2.0
"""
import os
import shutil
import subprocess
import tempfile

import tree

LIBRARIES = {"libhprof.so": "Agent_OnLoad", "libjvmpi.so": "Agent_OnLoad", "src/asgst/libasgst.so.1": "AsyncGetStackTrace",
             "src/jfrlib/libhprofjfr.so.1": "hprof_jfr_next"}
PROGRAM = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words)
{
    void *library = dlopen(words[1], RTLD_NOW);

    if (!library || !dlsym(library, words[2])) {
        puts(dlerror());
        return 1;
    }
    return 0;
}
"""


def main():
    check = tree.Check()
    if check.instrumented():
        check.skip_all("instrumented build: its libraries need the sanitizer's")
    if not shutil.which("musl-gcc"):
        check.skip_all("no musl-gcc: run tools/bootstrap test")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "load")
        subprocess.run(["musl-gcc", "-x", "c", "-o", program, "-"], input=PROGRAM, universal_newlines=True, check=True)
        for name, symbol in LIBRARIES.items():
            library = check.built(name)
            if not library:
                check.skip("no %s in the build folder" % name)
                continue
            done = tree.run([program, library, symbol])
            if done.returncode != 0:
                check.finding(library, 0, "musl does not load it: %s" % done.stdout.strip(), "see base/own_tls.h")
    check.done()


main()
