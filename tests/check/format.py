#!/usr/bin/env python3
"""format - .clang-format is law for each C file. Majors of clang-format differ, so only one judges.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re

import tree

MAJOR = 14


def find_tool():
    for tool in ("clang-format-%d" % MAJOR, "clang-format"):
        major = tree.major_of(tool)
        if major is not None:
            return tool, major
    return None, None


def main():
    check = tree.Check()
    tool, major = find_tool()
    if tool is None:
        check.skip_all("no clang-format: install clang-format-%d" % MAJOR)
    if major != MAJOR:
        check.skip_all("clang-format is version %d, the tree is formatted by %d" % (major, MAJOR))
    files = check.c_files()
    if not files:
        check.skip_all("no C file")
    out = tree.run([tool, "--dry-run", "-Werror", "--style=file"] + files, cwd=check.root)
    worst = {}
    for path, line in re.findall(r"(?m)^(\S+?):(\d+):\d+: (?:error|warning): ", out.stderr):
        worst.setdefault(os.path.normpath(path), int(line))
    for path in sorted(worst):
        check.finding(path, worst[path], "not formatted", "run %s -i %s" % (tool, path))
    if out.returncode != 0 and not worst:
        check.finding(".clang-format", 1, out.stderr.strip().replace("\n", " ")[:300], "repair it")
    check.done()


main()
