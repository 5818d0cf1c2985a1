#!/usr/bin/env python3
"""sentences - each test that docs/jvmpi-tests.md names for a sentence of JVMPI's specification is there.

A test is named as `file::function` in the last cell of a row, file being that of tests/jdk or tests/unit without its ending. A row
without such a name says "no test" and why.
SPDX-License-Identifier: Apache-2.0
"""
import re

import tree

TABLE = "docs/jvmpi-tests.md"
TEST = re.compile(r"`(\w+)::(\w+)`")
PLACES = (("tests/jdk/%s.py", r"^def %s\("), ("tests/unit/%s.c", r"^static void %s\("))


def is_there(check, file, function):
    return any(check.exists(place % file) and re.search(definition % function, check.text(place % file), re.M)
               for place, definition in PLACES)


def check_row(check, number, line):
    last = line.strip().strip("|").split("|")[-1]
    names = TEST.findall(last)
    for file, function in names:
        if not is_there(check, file, function):
            check.finding(TABLE, number, "there is no test %s::%s" % (file, function), "name one that is there")
    if not names and not last.strip().startswith("no test"):
        check.finding(TABLE, number, "a sentence without a test", "name `file::function`, or say \"no test\" and why")


def main():
    check = tree.Check()
    if not check.exists(TABLE):
        check.skip_all("no " + TABLE)
    is_row = False
    for number, line in enumerate(check.text(TABLE).splitlines(), 1):
        if is_row and line.startswith("|"):
            check_row(check, number, line)
        is_row = line.startswith("|") and (is_row or bool(re.match(r"\|[\s|:-]+\|$", line)))
    check.done()


main()
