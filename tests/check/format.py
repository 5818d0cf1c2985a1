#!/usr/bin/env python3
"""format - .clang-format is law for each C file. Majors of clang-format differ, so only one judges.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re

import tree


def main():
    check = tree.Check()
    tool = tree.clang_tool(check, "clang-format")
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
