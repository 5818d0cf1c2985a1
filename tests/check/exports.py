#!/usr/bin/env python3
"""exports - libhprof.so and libjvmpi.so are guests in somebody's JVM: what they show, need and are linked with.

They run on glibc 2.28, whatever they were built on; so does the command.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re

import tree

# By library. otel_thread_ctx_v1 is the thread-local variable in which OpenTelemetry's profilers look for the contexts of threads,
# by its name (docs/context.md). JVMPI agents get their functions from the table that GetEnv returns: nothing else of libjvmpi.so shows.
ENTRY_POINTS = {"libhprof.so": {"Agent_OnLoad", "Agent_OnAttach", "Agent_OnUnload", "Java_hprof_Bridge_bind", "otel_thread_ctx_v1"},
                "libjvmpi.so": {"Agent_OnLoad"}}
# libpthread, libdl and librt are parts of libc that were files of their own before glibc 2.34.
NEEDED = re.compile(r"^(libc\.so\.6|ld-linux.*\.so\.\d|libc\.musl-.*\.so\.1|libc\.so|"
                    r"libpthread\.so\.0|libdl\.so\.2|librt\.so\.1)$")
OLDEST_GLIBC = (2, 28)


def readelf(agent, *options):
    return tree.run(["readelf", "-W"] + list(options) + [agent]).stdout


def check_symbols(check, agent, dynamic, entry_points):
    exported = set()
    for line in dynamic.splitlines():
        words = line.split()
        if len(words) >= 8 and words[4] in ("GLOBAL", "WEAK", "UNIQUE") and words[6] not in ("UND", "ABS"):
            exported.add(words[7].split("@")[0])
    for name in sorted(exported - entry_points):
        check.finding(agent, 0, "exports " + name, "add it to no version script; only entry points show")
    for name in sorted(entry_points - exported):
        check.finding(agent, 0, "does not export " + name, "see the version script in src/agent or src/jvmpi")


def check_needed(check, agent, section):
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", section)
    for name in needed:
        if not NEEDED.match(name):
            check.finding(agent, 0, "needs " + name, "the agent uses libc only")
    if not needed:
        check.finding(agent, 0, "names no needed library", "link it against libc")


def check_linking(check, agent, section, segments, stays=True):
    flags = " ".join(re.findall(r"\((?:FLAGS|FLAGS_1|BIND_NOW)\)(.*)", section))
    if "BIND_NOW" not in flags and "NOW" not in flags.split():
        check.finding(agent, 0, "binds lazily: a first call in a handler would run the linker",
                      "link with -z now")
    if stays and "NODELETE" not in flags:
        check.finding(agent, 0, "can be unloaded under a pending signal", "link with -z nodelete")
    if "(TEXTREL)" in section or "TEXTREL" in flags:
        check.finding(agent, 0, "has text relocations", "compile everything with -fPIC")
    stack = re.search(r"GNU_STACK(?:\s+0x[0-9a-f]+){5}\s+([RWE ]+?)\s+0x", segments)
    if not stack or "E" in stack.group(1):
        check.finding(agent, 0, "asks for an executable stack",
                      "give assembler files a .note.GNU-stack section")
    if "GNU_RELRO" not in segments:
        check.finding(agent, 0, "has no RELRO segment", "link with -z relro")


def check_glibc(check, binary, dynamic):
    newer = {}
    for name, version in re.findall(r"\sUND\s+(\w+)@+GLIBC_([\d.]+)", dynamic):
        number = tuple(int(part) for part in version.split("."))[:2]
        if number > OLDEST_GLIBC:
            newer[name] = number
    if newer:
        rows = ", ".join("%s (%d.%d)" % ((name,) + newer[name]) for name in sorted(newer))
        check.finding(binary, 0, "needs a glibc newer than %d.%d: %s" % (OLDEST_GLIBC + (rows,)),
                      "do without, or add the name to src/base/libc_later.c")


def check_library(check, agent, entry_points):
    dynamic = readelf(agent, "--dyn-syms")
    section = readelf(agent, "-d")
    check_symbols(check, agent, dynamic, entry_points)
    check_linking(check, agent, section, readelf(agent, "-l"))
    if not check.instrumented():
        check_needed(check, agent, section)
        check_glibc(check, agent, dynamic)


def check_command(check):
    """The command runs on the oldest glibc, too."""
    command = check.built("hprof")
    if not command or check.instrumented():
        return
    with open(command, "rb") as file:
        if file.read(4) == b"\x7fELF":
            check_glibc(check, command, readelf(command, "--dyn-syms"))


def check_static(check):
    """The command for empty containers asks for no interpreter and no library."""
    command = check.built("hprof-static")
    if command and re.search(r"INTERP|NEEDED", readelf(command, "--program-headers", "--dynamic")):
        check.note("%s loads something" % command)


def main():
    check = tree.Check()
    if not check.built("libhprof.so"):
        check.skip_all("no libhprof.so in the build folder")
    for name, entry_points in ENTRY_POINTS.items():
        agent = check.built(name)
        if agent:
            check_library(check, agent, entry_points)
        else:
            check.note("no %s in the build folder" % name)
    check_command(check)
    check_static(check)
    why = check.instrumented()
    if why:
        check.skip("built with %s: needed libraries and symbol versions are not those of a plain build"
                   % why)
    check.done()


if __name__ == "__main__":
    main()
