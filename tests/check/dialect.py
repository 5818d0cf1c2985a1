#!/usr/bin/env python3
"""dialect - sizeof has parentheses, and a pointer is its own truth value: see CONTRIBUTING.md.

`sizeof(x)`; `!p` and never `p == NULL`; `p` and not `p != NULL` where a condition is meant, that is as an operand of if, while,
for, &&, || and ?:. What makes a value out of a pointer (`return p != NULL;`) and an assignment within a condition
(`(p = next()) != NULL`) have it. FOLDERS are those that are done: the list only grows.
SPDX-License-Identifier: Apache-2.0
"""
import re

import tree

FOLDERS = ("src/agent", "src/asgct", "src/asgst", "src/base", "src/classfile", "src/cli", "src/elf", "src/heapdump", "src/heapwalk",
           "src/hotspot", "src/mem", "src/options", "src/profile", "src/safe", "src/snapshot", "src/vm", "include", "examples",
           "tests")
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


def main():
    check = tree.Check()
    for path in check.c_files():
        if not path.startswith(tuple(f + "/" for f in FOLDERS)):
            continue
        code = STRING.sub(lambda match: '"' + "x" * (len(match.group()) - 2) + '"', tree.without_comments(check.text(path)))
        for match in SIZEOF.finditer(code):
            check.finding(path, tree.line_of(code, match.start()), "sizeof without parentheses", "write sizeof(x)")
        for begin, _, operator, name in comparisons(code):
            check.finding(path, tree.line_of(code, begin), "%s %s NULL" % (name, operator),
                          "write %s" % ("!p" if operator == "==" else "p"))
    check.done()


if __name__ == "__main__":
    main()
