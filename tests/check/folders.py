#!/usr/bin/env python3
"""folders - each folder of src/ opens with a README, each C file names its licence, each header compiles alone.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re

import tree

README_LINES = 5
SPDX = "SPDX-License-Identifier: Apache-2.0"


def check_readmes(check):
    folders = {path.split("/")[1] for path in check.c_files("src") if path.count("/") >= 2}
    for folder in sorted(folders):
        path = "src/%s/README" % folder
        if not check.exists(path):
            check.finding("src/" + folder, 0, "no README",
                          "say in %d lines what it is, who may use it, what it must not use" % README_LINES)
            continue
        lines = check.text(path).count("\n")
        if not 1 <= lines <= README_LINES:
            check.finding(path, lines, "%d lines, 1 to %d wanted" % (lines, README_LINES), "shorten it")


def check_licences(check):
    for path in check.c_files():
        head = re.match(r"\s*((?://[^\n]*\n\s*)+|/\*.*?\*/)", check.text(path), re.S)
        if not head or SPDX not in head.group(1):
            check.finding(path, 1, "no licence in the head comment", "add the line " + SPDX)


def command_for(commands, folder):
    """A compile command of a file in that folder of src/: the flags its headers are read with."""
    for path in sorted(commands):
        if path.startswith("src/%s/" % folder):
            return tree.as_syntax_only(commands[path][0][0])
    return None


def check_headers(check):
    commands, left_out = check.commands() or {}, []
    plain = ["cc", "-std=gnu11", "-D_GNU_SOURCE", "-I" + os.path.join(check.root, "src")]
    for path in check.c_files("src", "include"):
        if not path.endswith(".h"):
            continue
        parts = path.split("/")
        # Public headers are for agents, which have jni.h.
        folder = parts[1] if parts[0] == "src" else "agent"
        argv = command_for(commands, folder)
        if argv is None and folder in ("agent", "jvmpi", "asgst", "asgct"):
            left_out.append(path)
            continue
        if os.path.basename(path) == "poison.h":
            argv = None  # it is forced into the command already
        argv = (argv or plain) + ["-I" + os.path.join(check.root, top) for top in ("src", "include")] + ["-Werror",
                                  "-Wno-unused-function", "-fsyntax-only", "-x", "c", "-"]
        out = tree.run(argv, input='#include "%s"\n' % os.path.join(check.root, path),
                       cwd=check.build if os.path.isdir(check.build) else check.root)
        if out.returncode != 0:
            first = re.search(r":(\d+):\d+: (?:fatal )?error: (.*)", out.stderr)
            check.finding(path, int(first.group(1)) if first else 1, "does not compile alone: " +
                          (first.group(2) if first else out.stderr.strip()[:200]),
                          "include what it needs, or declare the struct")
    if left_out:
        check.skip("no compile command says where jni.h is: " + ", ".join(left_out))


def main():
    check = tree.Check()
    check_readmes(check)
    check_licences(check)
    check_headers(check)
    check.done()


main()
