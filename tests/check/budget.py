#!/usr/bin/env python3
"""budget - mem= is divided in one place, and the documents say what it says.

The rows of src/agent/budget.def against the table in docs/memory.md and the 64ths in
hprof-agent(7); the shares "of mem=" make up the whole; no other file divides mem=.
SPDX-License-Identifier: Apache-2.0
"""
import re

import tree

TABLE = "src/agent/budget.def"
GUIDE = "docs/memory.md"
PAGE = "docs/man/hprof-agent.7"
ROW = re.compile(r'^SHARE\((\w+), (\d+), "([^"]*)", "([^"]*)"\)$', re.M)
HEADING = "| 64ths | for | what |\n| --- | --- | --- |\n"
WHOLE, PARTS = "of mem=", 64
DIVIDED = re.compile(r"mem_bytes\s*(?:/|>>|\*)")


def documented(for_whom):
    return "`mem=`" if for_whom == WHOLE else "`%s`" % for_whom if "=" in for_whom else for_whom


def main():
    check = tree.Check()
    rows = [(int(parts), for_whom, what) for _, parts, for_whom, what in ROW.findall(check.text(TABLE))]
    if not rows:
        check.finding(TABLE, 1, "has no row", "a row reads SHARE(NAME, 64ths, for, what)")
    whole = sum(parts for parts, for_whom, _ in rows if for_whom == WHOLE)
    if whole != PARTS:
        check.finding(TABLE, 1, 'the shares "%s" are %d 64ths' % (WHOLE, whole), "make them %d" % PARTS)
    table = HEADING + "".join("| %d | %s | %s |\n" % (parts, documented(for_whom), what)
                              for parts, for_whom, what in rows)
    if table not in check.text(GUIDE):
        check.finding(GUIDE, 1, "its table of shares is not that of " + TABLE, "it has to be:\n" + table)
    beside = {}
    for parts, for_whom, _ in rows:
        if "=" in for_whom and for_whom != WHOLE:
            beside[for_whom] = beside.get(for_whom, 0) + parts
    page = re.sub(r"(?m)^\.[BI]R? ", "", check.text(PAGE))
    for for_whom, parts in sorted(beside.items()):
        if not re.search(r"\b%d\s+for\s+%s" % (parts, re.escape(for_whom)), page):
            check.finding(PAGE, 1, "does not say %d for %s" % (parts, for_whom), "say it where mem= is explained")
    for path in check.c_files("src"):
        for number, line in enumerate(check.text(path).splitlines(), 1):
            if DIVIDED.search(line) and path != "src/agent/budget.h":
                check.finding(path, number, "divides mem= by itself", "make it a row of " + TABLE)
    check.done()


main()
