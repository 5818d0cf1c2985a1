#!/usr/bin/env python3
"""dialect - sizeof has parentheses, a pointer is its own truth value, bool is for truth and enum for constants: see CONTRIBUTING.md.

`sizeof(x)`; `!p` and never `p == NULL`; `p` and not `p != NULL` where a condition is meant, that is as an operand of if, while,
for, &&, || and ?:. What makes a value out of a pointer (`return p != NULL;`) and an assignment within a condition
(`(p = next()) != NULL`) have it. A function whose name is a statement (`ring_is_empty`) returns bool. An integer is no #define,
unless the preprocessor asks for it or int is too small for it. How many ns a second has is told by src/safe/clock.h alone. A file
includes its own header first. include/ has the types of the old interfaces, which no rule of types binds.
SPDX-License-Identifier: Apache-2.0
"""
import re

import tree

FOLDERS = ("src", "include", "examples", "tests")
TYPED = ("src", "examples", "tests")
TRUTH = re.compile(r"(?m)^(?:static |inline |extern )*int ((?:\w+_)?(?:is|has|may|can|was|knows|wants|holds|fits)(?:_\w+)?)\(")
DEFINED = re.compile(r"(?m)^#define (\w+)[ \t]+\(?(?:\([a-z0-9_]+\)[ \t]*)?(-?(?:0x[0-9a-fA-F]+|\d+))[uUlL]*(?:[ \t]*<<[ \t]*(\d+))?\)?[ \t]*$")
UNITS = re.compile(r"(?i)\bns_per_(?:us|ms|s|sec|second)\b(?:\s*=[^=]|[ \t]+[(\d])")
ASKED = re.compile(r"(?m)^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|undef)\b.*")
INCLUDE = re.compile(r'(?m)^#include [<"]([^>"]+)[>"]')
WRITTEN = re.compile(r"\b[A-Z_]+\(([A-Z]\w*)\)")    # to be a text in the assembler
SIZEOF = re.compile(r"\bsizeof(?!\()")
COMPARED = re.compile(r"\s*([!=])=\s*NULL\b")
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
CLOSING = {")": "(", "]": "["}
NO_CALL = ("if", "while", "for", "return", "switch", "sizeof")


def opening(code, at):
    """Where the bracket that ends before `at` opens, or -1."""
    depth = 0
    for i in range(at - 1, -1, -1):
        depth += (code[i] in ")]") - (code[i] in "([")
        if depth == 0:
            return i
    return -1


def operand(code, at):
    """Where the operand that ends at `at` begins: a name with what follows it, or a pair of parentheses."""
    while True:
        at = len(code[:at].rstrip())
        if code[at - 1] in CLOSING:
            at = opening(code, at)
            word = re.search(r"(\w+)\s*$", code[:at])
            if code[at] == "(" and not (word and word.group(1) not in NO_CALL):
                break
        else:
            at -= len(re.search(r"\w*$", code[:at]).group())
            joint = re.search(r"(->|\.)\s*$", code[:at])
            if not joint:
                break
            at = joint.start()
    return at - len(re.search(r"\**$", code[:at]).group())


def is_condition(code, begin, end):
    """Whether what stands from `begin` to `end` is a condition, or an operand of a logical operator."""
    before, after = code[:begin].rstrip(), code[end:].lstrip()
    return bool(re.search(r"(&&|\|\||\bfor \([^;{}]*;)$", before) or re.match(r"&&|\|\||\?", after)
                or re.search(r"\b(if|while)\s*\($", before) and after.startswith(")"))


def comparisons(code):
    """Each comparison with NULL that the rule forbids: (begin, end, operator, operand)."""
    for match in COMPARED.finditer(code):
        begin = operand(code, match.start())
        name = code[begin:match.start()]
        assigned = name.startswith("(") and re.search(r"[^=!<>]=[^=]", name)
        if match.group(1) == "=" or not assigned and is_condition(code, begin, match.end()):
            yield begin, match.end(), match.group(1) + "=", name


def constants(code):
    """Each integer constant that is a #define for no reason: (offset, name)."""
    asked = " ".join(ASKED.findall(code) + WRITTEN.findall(code))
    for match in DEFINED.finditer(code):
        value = int(match.group(2), 0) << int(match.group(3) or 0)
        if -2**31 <= value < 2**31 and not re.search(r"\b%s\b" % match.group(1), asked):
            yield match.start(), match.group(1)


def is_in(path, folders):
    return path.startswith(tuple(f + "/" for f in folders))


def main():
    check = tree.Check()
    for path in check.c_files():
        code = tree.without_comments(check.text(path))
        own, first = path[len("src/"):-1] + "h", INCLUDE.search(code)
        if first and first.group(1) != own and own in INCLUDE.findall(code):
            check.finding(path, tree.line_of(code, first.start()), "%s is not the first include" % own, "put it first: it must stand alone")
        for match in UNITS.finditer(code) if is_in(path, ("src",)) and path != "src/safe/clock.h" else ():
            check.finding(path, tree.line_of(code, match.start()), "a unit of time of its own", "include safe/clock.h")
        if is_in(path, TYPED):
            for match in TRUTH.finditer(code):
                check.finding(path, tree.line_of(code, match.start()), "%s returns an int" % match.group(1), "make it a bool")
            for at, name in constants(code):
                check.finding(path, tree.line_of(code, at), "%s is a #define" % name, "make it a constant of an enum")
        if not is_in(path, FOLDERS):
            continue
        code = STRING.sub(lambda match: '"' + "x" * (len(match.group()) - 2) + '"', code)
        for match in SIZEOF.finditer(code):
            check.finding(path, tree.line_of(code, match.start()), "sizeof without parentheses", "write sizeof(x)")
        for begin, _, operator, name in comparisons(code):
            check.finding(path, tree.line_of(code, begin), "%s %s NULL" % (name, operator),
                          "write %s" % ("!p" if operator == "==" else "p"))
    check.done()


if __name__ == "__main__":
    main()
