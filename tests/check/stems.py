#!/usr/bin/env python3
"""stems - a file's stem is unique in the tree and is the prefix of each external name in it.

Names are read from the object files (nm), so a name that is not static is external whatever its header
says. Exceptions, with their reason: stem-exceptions.txt.
SPDX-License-Identifier: Apache-2.0
"""
import fnmatch
import os
import re

import tree

BUILD_SUFFIX = re.compile("_(x86_64|aarch64|static)$")  # a file that the build picks, by CPU or kind of link, speaks for its stem
HERE = os.path.dirname(os.path.abspath(__file__))


def read_exceptions():
    patterns = []
    with open(os.path.join(HERE, "stem-exceptions.txt"), encoding="utf-8") as file:
        for line in file:
            patterns += line.split("#")[0].split()
    return patterns


def check_unique(check):
    seen = {}
    for path in check.c_files():
        if path.startswith("include/"):
            continue  # public headers have the names that their users know
        stem, suffix = os.path.splitext(os.path.basename(path))
        seen.setdefault((stem, suffix), []).append(path)
    for (stem, suffix), paths in sorted(seen.items()):
        for path in paths[1:]:
            check.finding(path, 1, "second file %s%s beside %s" % (stem, suffix, paths[0]),
                          "a stem is a name in the whole tree: rename one")
    for (stem, suffix), paths in sorted(seen.items()):
        other = seen.get((stem, ".h"))
        if suffix == ".c" and other and os.path.dirname(paths[0]) != os.path.dirname(other[0]):
            check.finding(paths[0], 1, "has the stem of %s in another folder" % other[0], "rename one")


def external_names(paths):
    """{path of an object: the names that it defines}, which one nm says of all."""
    names, of = {path: set() for path in paths}, None
    for line in tree.run(["nm", "-g", "--defined-only", "/dev/null", *paths]).stdout.splitlines():
        words = line.split()
        if line.endswith(":") and line[:-1] in names:
            of = names[line[:-1]]
        elif len(words) == 3 and words[1] in "TDBRWVCGSi" and not words[2].startswith("__"):
            of.add(words[2])
    return names


def check_names(check):
    commands = check.commands()
    if commands is None:
        check.skip("no compile_commands.json in the build folder: names in object files are not checked")
        return
    exceptions, left_out = read_exceptions(), []
    built = {path: [output for _, output in commands.get(path, ()) if os.path.isfile(output)]
             for path in check.c_files("src") if path.endswith(".c")}
    names = external_names(sorted(set().union(*map(set, built.values()))))
    for path, objects in built.items():
        if not objects:
            left_out.append(path)
            continue
        stem = BUILD_SUFFIX.sub("", os.path.splitext(os.path.basename(path))[0])
        for name in sorted(set().union(*(names[output] for output in objects))):
            if re.match(re.escape(stem) + "([_0-9]|$)", name):
                continue
            if not any(fnmatch.fnmatchcase(name, pattern) for pattern in exceptions):
                check.finding(path, 1, "external name %s does not start with %s_" % (name, stem),
                              "make it static or rename it")
    if left_out:
        check.skip("not compiled in this build, names not checked: " + ", ".join(left_out))


def main():
    check = tree.Check()
    check_unique(check)
    check_names(check)
    check.done()


main()
