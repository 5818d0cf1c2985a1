#!/usr/bin/env python3
"""doctor - the rules and facts of `hprof doctor` are listed in one place each, and docs/doctor.md says what the lists say.

The rows of src/doctor/doctor_rule.def and doctor_fact.def against the tables in docs/doctor.md; each fact is set somewhere; the next
command of a rule is one that the program has.
SPDX-License-Identifier: Apache-2.0
"""
import ast
import re

import tree

RULES, FACTS, GUIDE = "src/doctor/doctor_rule.def", "src/doctor/doctor_fact.def", "docs/doctor.md"
STRING = r'"(?:\\.|[^"\\])*"'
NUMBER = r"(NEVER|[\d.]+)"
RULE = re.compile(r"^RULE\((\w+), (%s), (\w+), %s, %s, %s, (%s), (%s), (%s)\)$" % ((STRING,) + (NUMBER,) * 3 + (STRING,) * 3), re.M)
FACT = re.compile(r"^FACT\((\w+), (%s), (%s)\)$" % (STRING, STRING), re.M)
HEADING = "| rule | note | warning | severe | what it means | facts | next command |\n| --- | --- | --- | --- | --- | --- | --- |\n"
FACT_HEADING = "| fact | from |\n| --- | --- |\n"
UNITS = {"COUNT": "", "PERCENT": " %", "SECONDS": " s", "PER_SECOND": " a second"}


def line_of(row):
    """The row of the table in the document."""
    _, name, unit, note, warning, severe, evidence, cause, following = [field if field[0] != '"' else ast.literal_eval(field) for field in row]
    steps = ["" if step == "NEVER" else step + UNITS.get(unit, "?") for step in (note, warning, severe)]
    return "| `%s` | %s | %s | %s | `%s` |\n" % (name, " | ".join(steps), cause, evidence, following)


def compare(check, guide, heading, rows, lines, names):
    """Each line of a table is in the document, behind its heading, and no other."""
    if heading not in guide:
        check.finding(GUIDE, 1, "has not the heading of a table", "it has to be: " + heading.split("\n")[0])
    for name, line in zip(names, lines):
        if line not in guide:
            check.finding(GUIDE, 1, "has not the row of %s" % name, "it has to be: " + line.strip())
    table = guide.partition(heading)[2].partition("\n\n")[0]
    for name in re.findall(r"(?m)^\| `([\w-]+)` \|", table):
        if name not in names:
            check.finding(GUIDE, 1, "has a row of %s, which is none" % name, "remove it, or add it to " + rows)


def main():
    check = tree.Check()
    rules, facts, guide = check.text(RULES), check.text(FACTS), check.text(GUIDE)
    found, known = RULE.findall(rules), FACT.findall(facts)
    for text, rows, path in ((rules, found, RULES), (facts, known, FACTS)):
        if not rows or len(rows) != len(re.findall(r"(?m)^(?:RULE|FACT)\(", text)):
            check.finding(path, 1, "has %d rows that can be read" % len(rows), "its head says how a row reads")
    compare(check, guide, HEADING, RULES, [line_of(row) for row in found], [ast.literal_eval(row[1]) for row in found])
    fact_names = [ast.literal_eval(row[1]) for row in known]
    compare(check, guide, FACT_HEADING, FACTS, ["| `%s` | %s |\n" % (ast.literal_eval(row[1]), ast.literal_eval(row[2])) for row in known], fact_names)
    code = {path: tree.without_comments(check.text(path)) for path in check.c_files("src") if path.startswith("src/doctor/") and path.endswith(".c")}
    everything = "".join(text for path, text in code.items())
    for row in known:
        if not re.search(r"DOCTOR_%s\b" % row[0], everything):
            check.finding(FACTS, tree.line_of(facts, facts.index("FACT(%s," % row[0])), "nothing sets %s" % row[1], "remove its row")
    for row in found:
        evidence = ast.literal_eval(row[6])
        if not any(name in evidence for name in fact_names):
            check.finding(RULES, tree.line_of(rules, rules.index("RULE(%s," % row[0])), "%s names no fact" % row[1], "name what its number is made of")
    check.done()


main()
