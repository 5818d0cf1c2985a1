#!/usr/bin/env python3
"""exports_asgst - libasgst.so shows what the headers in include/ declare, and nothing else.

Each name has a version and stands in the man page. How it is linked and what it needs are the same questions as for the agent: exports.py asks them.
SPDX-License-Identifier: Apache-2.0
"""
import re

import exports
import tree

MAN_PAGE = "docs/man/libasgst.3"
HEADERS = ("include/asgst.h", "include/asgst_classic.h", "include/asgct.h", "include/asgst_ready.h")
DECLARED = re.compile(r"^[A-Za-z_][\w \t]*?[ \t*]\**((?:ASGST_|AsyncGet)\w+)\(", re.M)


def declared_names(check):
    names = set()
    for header in HEADERS:
        text = tree.without_comments(check.text(header))
        names.update(name for name in DECLARED.findall(text) if "typedef" not in text.split(name + "(")[0].rsplit(";", 1)[-1])
    return names


def exported_names(library):
    names = set()
    for line in tree.run(["nm", "-D", "--defined-only", library]).stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] != "A":
            names.add(words[2].split("@")[0])
    return names


def main():
    check = tree.Check()
    library = check.built("src/asgst/libasgst.so.1")
    if not library:
        check.skip_all("no src/asgst/libasgst.so.1 in the build folder")
    declared, exported = declared_names(check), exported_names(library)
    if len(declared) < 30:
        check.finding(HEADERS[0], 1, "only %d declarations found" % len(declared), "mend the pattern in exports_asgst.py")
    for name in sorted(exported - declared):
        check.finding("src/asgst/asgst.map", 1, "exports %s, which no header declares" % name, "hide it")
    for name in sorted(declared - exported):
        check.finding("src/asgst/asgst.map", 1, "%s is declared and not exported" % name, "name it in the version script")
    named = set(re.findall(r"\w+", check.text(MAN_PAGE)))
    for name in sorted(declared - named):
        check.finding(MAN_PAGE, 1, "does not name %s" % name, "say in a line what it is for")
    dynamic = exports.readelf(library, "--dyn-syms")
    for name in sorted(re.findall(r" \d+ (ASGST_\w+|AsyncGet\w+)$", dynamic, re.M)):
        check.finding("src/asgst/asgst.map", 1, "%s has no version" % name, "name it in a version node")
    section = exports.readelf(library, "-d")
    if not re.search(r"SONAME.*\[libasgst\.so\.\d+\]", section):
        check.finding("src/asgst/meson.build", 1, "libasgst.so has no SONAME with a version", "give it a soversion")
    exports.check_needed(check, library, section)
    exports.check_linking(check, library, section, exports.readelf(library, "-l"))
    if not check.instrumented():
        exports.check_glibc(check, library, dynamic)
    check.done()


if __name__ == "__main__":
    main()
