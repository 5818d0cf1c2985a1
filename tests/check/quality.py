#!/usr/bin/env python3
"""quality - what a profile says of itself is listed in one place, and the documents say what it says.

The rows of src/profile/quality.def and src/safe/walk_cause.def against the tables in docs/quality.md; each count is set somewhere, and no code sets
one by a word of its own, but for the kinds of events, whose rows say which count is theirs.
SPDX-License-Identifier: Apache-2.0
"""
import ast
import re

import tree

TABLE = "src/profile/quality.def"
CAUSES = "src/safe/walk_cause.def"
GUIDE = "docs/quality.md"
STRING = r'"(?:\\.|[^"\\])*"'
ROW = re.compile(r'^QUALITY\((\w+),\s*(%s),\s*(\w+),\s*(%s|NULL),\s*(%s),\s*(%s|NULL)\)' % ((STRING,) * 4), re.M)
WALK = re.compile(r'^WALK\(\w+, "([^"]*)", "([^"]*)"\)$', re.M)
BEGUN = re.compile(r"(?m)^QUALITY\(")
HEADING = "| count | what it means | what to do |\n| --- | --- | --- |\n"
OF_KIND = re.compile(r'\.passed = "(\w+)"')
BY_WORD = re.compile(r'\b(?:recording|tally|profile)_set_quality\([^;]*?,\s*"')


def text(literal):
    return "" if literal == "NULL" else ast.literal_eval(literal)


def main():
    check = tree.Check()
    source = check.text(TABLE)
    rows = ROW.findall(source)
    if not rows or len(rows) != len(BEGUN.findall(source)):
        check.finding(TABLE, 1, "has %d rows that can be read" % len(rows), "a row reads QUALITY(ID, name, line, words, meaning, advice)")
    guide = check.text(GUIDE)
    set_ones = set(re.findall(r"\bQUALITY_(\w+)", "".join(tree.without_comments(check.text(path)) for path in check.c_files("src"))))
    of_kinds = {name: path for path in check.c_files("src") for name in OF_KIND.findall(check.text(path))}
    documented = re.findall(r"(?m)^\| `([\w<>]+)` \|.*$", guide)
    for identifier, name, line, words, meaning, advice in rows:
        at = tree.line_of(source, source.index("QUALITY(%s," % identifier))
        row = "| `%s` | %s | %s |\n" % (text(name), text(meaning), text(advice))
        if HEADING not in guide or row not in guide:
            check.finding(GUIDE, 1, "has not the row of %s" % text(name), "it has to be: " + row.strip())
        if identifier not in set_ones and text(name) not in of_kinds:
            check.finding(TABLE, at, "nothing sets %s" % text(name), "remove its row")
        if (line == "HEAD") != (words == "NULL"):
            check.finding(TABLE, at, "%s has words for the first line, or none for another" % text(name), "NULL stands for HEAD alone")
    names = [text(row[1]) for row in rows]
    for name in sorted(set(of_kinds) - set(names)):
        check.finding(of_kinds[name], 1, "names a count %s that there is not" % name, "make it a row of " + TABLE)
    for word, cause in WALK.findall(check.text(CAUSES)):
        names.append(word)
        if "| `%s` | %s |  |\n" % (word, cause) not in guide:
            check.finding(GUIDE, 1, "has not the row of %s" % word, "it has to be: | `%s` | %s |  |" % (word, cause))
    for name in documented:
        if name not in names:
            check.finding(GUIDE, 1, "has a row of %s, which is no count" % name, "remove it, or add it to " + TABLE)
    for path in check.c_files("src"):
        code = tree.without_comments(check.text(path))
        for match in BY_WORD.finditer(code):
            check.finding(path, tree.line_of(code, match.start()), "sets a count by a word", "make it a row of " + TABLE)
    check.done()


main()
