"""interface.py - what a public library of ours must show: what its headers declare, and nothing else.

Each name has a version and stands in the man page; the library's name has a version, too. How it is linked and what it needs
are the same questions as for the agent: exports.py asks them.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import re

import exports
import tree

# `names` is a pattern of the functions; `least` how many declarations a right pattern finds; `stays` whether nobody may unload it.
Interface = collections.namedtuple("Interface", "library map headers man_page names least stays")


def declared_names(check, interface):
    declared = re.compile(r"^[A-Za-z_][\w \t]*?[ \t*]\**((?:%s)\w+)\(" % interface.names, re.M)
    names = set()
    for header in interface.headers:
        text = tree.without_comments(check.text(header))
        names.update(name for name in declared.findall(text) if "typedef" not in text.split(name + "(")[0].rsplit(";", 1)[-1])
    return names


def exported_names(library):
    names = set()
    for line in tree.run(["nm", "-D", "--defined-only", library]).stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] != "A":
            names.add(words[2].split("@")[0])
    return names


def check_names(check, interface, library):
    declared, exported = declared_names(check, interface), exported_names(library)
    if len(declared) < interface.least:
        check.finding(interface.headers[0], 1, "only %d declarations found" % len(declared), "mend the pattern in interface.py")
    for name in sorted(exported - declared):
        check.finding(interface.map, 1, "exports %s, which no header declares" % name, "hide it")
    for name in sorted(declared - exported):
        check.finding(interface.map, 1, "%s is declared and not exported" % name, "name it in the version script")
    named = set(re.findall(r"\w+", check.text(interface.man_page)))
    for name in sorted(declared - named):
        check.finding(interface.man_page, 1, "does not name %s" % name, "say in a line what it is for")


def main(interface):
    check = tree.Check()
    library = check.built(interface.library)
    if not library:
        check.skip_all("no %s in the build folder" % interface.library)
    check_names(check, interface, library)
    dynamic = exports.readelf(library, "--dyn-syms")
    for name in sorted(re.findall(r" \d+ ((?:%s)\w+)$" % interface.names, dynamic, re.M)):
        check.finding(interface.map, 1, "%s has no version" % name, "name it in a version node")
    section = exports.readelf(library, "-d")
    plain = re.sub(r"\.\d+$", "", interface.library.rsplit("/", 1)[-1])
    if not re.search(r"SONAME.*\[%s\.\d+\]" % re.escape(plain), section):
        check.finding(interface.map, 1, "%s has no SONAME with a version" % plain, "give it a soversion")
    exports.check_linking(check, library, section, exports.readelf(library, "-l"), interface.stays)
    if not check.instrumented():
        exports.check_needed(check, library, section)
        exports.check_glibc(check, library, dynamic)
    check.done()
