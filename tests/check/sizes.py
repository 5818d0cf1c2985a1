#!/usr/bin/env python3
"""sizes - a file of src/ has one idea, a function fits a screen, a struct knows one thing.

What can be counted of that: lines of a file, lines of a function's body, fields of a struct (one for each declarator; a
struct inside a struct is one, and has its own count). What is longer hides a second idea or a missing table: part it. The
exceptions below are what grows by rows; each has its reason.
SPDX-License-Identifier: Apache-2.0
"""
import re

import tree

FILE_LINES, FUNCTION_LINES, STRUCT_FIELDS = 800, 60, 20
ROWS = {
    "src/safe/hs_layout.h": "hs_layout",            # facts by name, each filled by a row of layout_fact.def
    "src/options/options_row.h": "options_row",     # a row: what an option may say of itself
    "src/agent/engine/engine.h": "engine",          # a row: the moments of an engine's life
    "src/kind/kind.h": "kind_jfr",                  # a row: how the fields of a type of events fill the values
    "src/format/writer.h": "writer",                # a row: what files hold, and a slot for each thing that is written
}
NAME = re.compile(r"(\w+)\(")
STRUCT = re.compile(r"\b(?:struct|union)[ \t]*(\w*)[ \t]*\{")


def check_functions(check, path, text):
    lines = text.split("\n")
    for begin, line in enumerate(lines):
        if line != "{":
            continue
        end = next((at for at in range(begin, len(lines)) if lines[at] == "}"), begin)
        head = next((at for at in range(begin - 1, -1, -1) if not lines[at].startswith((" ", "\t"))), 0)
        name = NAME.search(lines[head])
        if end - begin - 1 > FUNCTION_LINES and name:
            check.finding(path, head + 1, "%s() has %d lines" % (name[1], end - begin - 1),
                          "a function of more than %d is several, or a table" % FUNCTION_LINES)


def body_of(text, begin):
    """What stands between the brace that ends before `begin` and its partner."""
    depth, at = 1, begin
    while depth > 0 and at < len(text):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return text[begin:at - 1]


def without(pattern, text):
    while True:
        less = re.sub(pattern, "", text)
        if less == text:
            return text
        text = less


def count_fields(body):
    body = without(r"\([^()]*\)", without(r"\{[^{}]*\}", re.sub(r"(?m)^\s*#.*$", "", body)))
    return sum(1 + part.count(",") for part in body.split(";") if part.strip())


def check_structs(check, path, text):
    for match in STRUCT.finditer(text):
        count = count_fields(body_of(text, match.end()))
        if count > STRUCT_FIELDS and ROWS.get(path) != match[1]:
            check.finding(path, tree.line_of(text, match.start()), "struct %s has %d fields" % (match[1], count),
                          "more than %d are of several things, or of several phases" % STRUCT_FIELDS)


def main():
    check = tree.Check()
    for path in check.c_files("src"):
        text = check.text(path)
        if text.count("\n") > FILE_LINES:
            check.finding(path, FILE_LINES, "the file has %d lines" % text.count("\n"), "part it by idea")
        text = tree.without_comments(text)
        check_functions(check, path, text)
        check_structs(check, path, text)
    check.done()


main()
