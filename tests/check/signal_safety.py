#!/usr/bin/env python3
"""signal_safety - src/safe runs in a signal handler: how it is compiled, what it calls, how it loops.

Compile: each file gets poison.h and thread-locals by descriptors or of the initial-exec kind. Link: undefined symbols of the
archive are in safe-symbols.txt. Loops: the bound stands in the head. Agent: at most 136 bytes of thread-locals, 8 of which are
the variable that other profilers read (scope_record.h), for a late dlopen() finds little static TLS (glibc gives 512 bytes to all), and __tls_get_addr may allocate.
SPDX-License-Identifier: Apache-2.0
"""
import os
import re

import tree

TLS_MAX_BYTES = 136
HERE = os.path.dirname(os.path.abspath(__file__))
ENDLESS = re.compile(r"\bwhile\s*\(\s*(?:1|true)\s*\)|\bfor\s*\([^;()]*;\s*;")


def read_allowed():
    allowed = set()
    with open(os.path.join(HERE, "safe-symbols.txt"), encoding="utf-8") as file:
        for line in file:
            allowed.update(line.split("#")[0].split())
    return allowed


def forced_headers(argv):
    return {os.path.basename(value) for word, value in zip(argv, argv[1:]) if word == "-include"}


def check_compile(check):
    commands = check.commands()
    if commands is None:
        check.skip("no compile_commands.json in the build folder: how src/safe is compiled is not known")
        return
    for path in check.c_files("src"):
        if not path.startswith("src/safe/") or not path.endswith(".c"):
            continue
        if path not in commands:  # another CPU's; a file that no list names is the business of listed.py
            check.skip(path + ": not compiled in this build")
        for argv, _ in commands.get(path, ()):
            if "poison.h" not in forced_headers(argv):
                check.finding(path, 1, "compiled without -include poison.h", "use safe_args")
            is_x86 = "x86_64" in os.uname().machine and "aarch64" not in " ".join(argv[:2])
            if is_x86 and not {"-ftls-model=initial-exec", "-mtls-dialect=gnu2"} & set(argv):
                check.finding(path, 1, "compiled for thread-local variables that allocate", "see meson.build")


def symbols_of(archive):
    """({symbol: object that needs it}, {defined})"""
    undefined, defined, member = {}, set(), "?"
    for line in tree.run(["nm", archive]).stdout.splitlines():
        if line.endswith(":"):
            member = os.path.basename(line[:-1])
            continue
        words = line.split()
        if len(words) == 2 and words[0] in "Uwv":
            undefined.setdefault(words[1], member)
        elif len(words) == 3:
            defined.add(words[2])
    return undefined, defined


def check_symbols(check):
    archive = check.built("src/safe/libsafe.a")
    if not archive:
        check.skip("no src/safe/libsafe.a in the build folder: its calls are not checked")
        return
    why = check.instrumented()
    if why:
        check.skip("built with %s: the calls of libsafe.a are not those of a plain build" % why)
        return
    undefined, defined = symbols_of(archive)
    if not defined:
        check.finding(archive, 0, "nm finds no symbol in it", "build it again")
    allowed = read_allowed()
    for symbol in sorted(set(undefined) - defined - allowed):
        source = "src/safe/" + re.sub(r"\.o$", "", undefined[symbol])
        check.finding(source, 1, "calls %s, which is not known to be signal safe" % symbol,
                      "do without it, or add it to tests/check/safe-symbols.txt with the reason")


def check_loops(check):
    for path in check.c_files("src"):
        if not path.startswith("src/safe/"):
            continue
        text = tree.without_comments(check.text(path))
        for match in ENDLESS.finditer(text):
            check.finding(path, tree.line_of(text, match.start()), "a loop without a bound in its head",
                          "count to a named bound: for (i = 0; i < RING_TRIES; i++)")


def check_tls(check):
    agent = check.built("libhprof.so")
    if not agent:
        check.skip("no libhprof.so in the build folder: its thread-locals are not checked")
        return
    if check.instrumented():
        check.skip("instrumented build: the thread-locals of libhprof.so are not those of a plain one")
        return
    for line in tree.run(["readelf", "-lW", agent]).stdout.splitlines():
        words = line.split()
        if words and words[0] == "TLS" and int(words[5], 16) > TLS_MAX_BYTES:
            check.finding(agent, 0, "%d bytes of thread-locals, %d allowed" %
                          (int(words[5], 16), TLS_MAX_BYTES), "keep them in the per-thread table")
    if re.search(r"\sUND\s+__tls_get_addr\b", tree.run(["readelf", "--dyn-syms", "-W", agent]).stdout):
        check.finding(agent, 0, "needs __tls_get_addr, which may allocate",
                      "compile with -mtls-dialect=gnu2 or -ftls-model=initial-exec")


def main():
    check = tree.Check()
    check_compile(check)
    check_symbols(check)
    check_loops(check)
    check_tls(check)
    check.done()


main()
