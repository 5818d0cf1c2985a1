#!/usr/bin/env python3
"""listed - a C file that exists is named in the meson.build of its folder (or of one above it).

A file that no list names is not built, and a test that is not built cannot fail. A registry word names
its file by its end: 'run' names cmd_run.c, and 'set-flag' cmd_set_flag.c. In 'load_@0@.c' the hole stands for a CPU or a system only.
SPDX-License-Identifier: Apache-2.0
"""
import os
import re

import tree

MACHINES = "(x86_64|aarch64|linux)"


def words_above(check, path):
    words, folder = set(), os.path.dirname(path)
    while folder:
        if check.exists(folder + "/meson.build"):
            words |= tree.meson_words(check.text(folder + "/meson.build"))
        folder = os.path.dirname(folder)
    return words


def is_named(path, words):
    base = os.path.basename(path)
    stem = os.path.splitext(base)[0]
    for word in words:
        end = os.path.basename(word)
        if "@" in end:
            if re.match(re.sub(r"@\d+@", MACHINES, end) + "$", base):
                return True
        elif end == base or (end and (stem == end or stem.endswith("_" + end.replace("-", "_")))):
            return True
    return False


def main():
    check = tree.Check()
    looked = 0
    for path in check.c_files("src", "tests"):
        if not path.endswith(".c") or not path.startswith(("src/", "tests/unit/", "tests/fuzz/")):
            continue
        looked += 1
        if not is_named(path, words_above(check, path)):
            check.finding(path, 1, "no meson.build names it, so nothing builds it",
                          "add it to %s/meson.build" % os.path.dirname(path))
    if not looked:
        check.skip_all("no C file in src/, tests/unit or tests/fuzz")
    check.done()


main()
