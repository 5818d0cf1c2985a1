#!/usr/bin/env python3
"""metrics - what `hprof metrics` measures is listed in one place, and docs/metrics.md says what the list says.

The rows of src/metrics/metric.def against the table in docs/metrics.md; each metric is set somewhere.
SPDX-License-Identifier: Apache-2.0
"""
import ast
import re

import tree

TABLE = "src/metrics/metric.def"
GUIDE = "docs/metrics.md"
STRING = r'"(?:\\.|[^"\\])*"'
ROW = re.compile(r"^METRIC\((\w+), (%s), (\w+), (\w+), (%s), (%s), (%s), (%s)\)$" % ((STRING,) * 5), re.M)
BEGUN = re.compile(r"(?m)^METRIC\(")
HEADING = "| metric | type | unit | labels | from | absent, or not of this moment |\n| --- | --- | --- | --- | --- | --- |\n"
UNITS = {"NONE": "", "BYTES": "bytes", "SECONDS": "seconds"}


def line_of(row):
    """The row of the table in the document."""
    _, name, kind, unit, labels, source, absent, _ = [field if field[0] != '"' else ast.literal_eval(field) for field in row]
    words = ", ".join("`%s`" % label for label in labels.split(", ") if label)
    return "| `%s` | %s | %s | %s | %s | %s |\n" % (name, kind.lower(), UNITS.get(unit, "?"), words, source, absent)


def main():
    check = tree.Check()
    source, guide = check.text(TABLE), check.text(GUIDE)
    rows = ROW.findall(source)
    if not rows or len(rows) != len(BEGUN.findall(source)):
        check.finding(TABLE, 1, "has %d rows that can be read" % len(rows), "a row reads METRIC(ID, name, type, unit, labels, from, absent, help)")
    set_ones = set(re.findall(r"\bMETRIC_(\w+)", "".join(tree.without_comments(check.text(path)) for path in check.c_files("src") if path.endswith(".c"))))
    names = []
    for row in rows:
        name = ast.literal_eval(row[1])
        names.append(name)
        if HEADING not in guide or line_of(row) not in guide:
            check.finding(GUIDE, 1, "has not the row of %s" % name, "it has to be: " + line_of(row).strip())
        if row[0] not in set_ones:
            check.finding(TABLE, tree.line_of(source, source.index("METRIC(%s," % row[0])), "nothing sets %s" % name, "remove its row")
    for name in re.findall(r"(?m)^\| `((?:jvm|process|container|hprof)\.[\w.]+)` \| \w+ \|", guide):
        if name not in names:
            check.finding(GUIDE, 1, "has a row of %s, which is no metric" % name, "remove it, or add it to " + TABLE)
    check.done()


main()
