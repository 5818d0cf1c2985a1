#!/usr/bin/env python3
"""circles - the parts of a folder of src/ include each other in one direction only.

A part is a file with its header, or a folder below with all that is in it; every folder is looked at by itself. Parts that
need each other are one: join them, or take out what both want. src/LAYERS says the same of the folders of src/ (check layers).
SPDX-License-Identifier: Apache-2.0
"""
import re

import tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.M)


def part_of(path):
    """`path` below the folder: cpu/engine_cpu.c is part of cpu/, agent.h of agent."""
    head, slash, _ = path.partition("/")
    return head + "/" if slash else head.rpartition(".")[0]


def read_parts(check, folder):
    """part -> part that it includes -> (file, line) of the first such include."""
    parts, start = {}, "src/%s/" % folder
    for path in sorted(check.c_files("src")):
        if not path.startswith(start):
            continue
        part, text = part_of(path[len(start):]), tree.without_comments(check.text(path))
        uses = parts.setdefault(part, {})
        for match in INCLUDE.finditer(text):
            if match.group(1).startswith(folder + "/"):
                used = part_of(match.group(1)[len(folder) + 1:])
                if used != part:
                    uses.setdefault(used, (path, tree.line_of(text, match.start(1))))
    return parts


def find_circle(parts):
    """A list of parts of which each includes the next and the last the first; None."""
    state, trail = {}, []

    def visit(part):
        state[part] = "open"
        trail.append(part)
        for used in sorted(parts.get(part, ())):
            if state.get(used) == "open":
                return trail[trail.index(used):]
            if used not in state:
                found = visit(used)
                if found:
                    return found
        state[part] = "done"
        trail.pop()
        return None

    for part in sorted(parts):
        if part not in state:
            found = visit(part)
            if found:
                return found
    return None


def main():
    check = tree.Check()
    for folder in sorted({path[len("src/"):].rpartition("/")[0] for path in check.c_files("src")} - {""}):
        parts = read_parts(check, folder)
        circle = find_circle(parts)
        if circle:
            path, line = parts[circle[-1]][circle[0]]
            check.finding(path, line, "a circle of includes: %s" % " -> ".join(circle + circle[:1]),
                          "take out what both ends want, or turn one include round")
    check.done()


main()
