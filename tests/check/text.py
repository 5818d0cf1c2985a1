#!/usr/bin/env python3
"""text - no path of one machine, no tab in C, no blank at a line's end, a newline at the file's end, no CR.

Recorded files (tests/data, tests/golden, fuzz corpora) keep the bytes they were recorded with; machine
paths are looked for there as well.
SPDX-License-Identifier: Apache-2.0
"""
import re

import tree

RECORDED = re.compile(r"^tests/(data|golden)/|/corpus[^/]*/")
# Paths below / that exist on the writer's machine only. /proc/PID/root is no such path.
MACHINE = re.compile(r"(?<![\w.>})*/\]-])/(?:work|root)(?![\w-])|(?<![\w.>})*/\]])/(?:tmp|home)/[\w.]")
# Names in /tmp that the JVM or the perf tools fix, and names that are placeholders.
FIXED = re.compile(r"/tmp/(hsperfdata|\.java_pid|\.attach_pid|perf-|hprof[.-])|/home/(user|USER|you)\b")


def main():
    check = tree.Check()
    for path in check.files():
        text = check.text(path)
        if "\0" in text or not text:
            continue
        recorded = RECORDED.search(path)
        for number, line in enumerate(text.split("\n"), 1):
            for match in MACHINE.finditer(line):
                if not FIXED.match(line, match.start()):
                    check.finding(path, number, "path of one machine: " + line.strip()[:80],
                                  "name the place relative to the tree, or make it with mktemp")
            if recorded:
                continue
            if line.endswith("\r"):
                check.finding(path, number, "CR at the end of the line", "use LF")
            elif line != line.rstrip():
                check.finding(path, number, "blank at the end of the line", "remove it")
            if "\t" in line and path.endswith((".c", ".h", ".def")):
                check.finding(path, number, "tab in C source", "indent with four blanks; write \\t in strings")
        if not recorded and not text.endswith("\n"):
            check.finding(path, text.count("\n") + 1, "no newline at the end of the file", "add it")
    check.done()


main()
