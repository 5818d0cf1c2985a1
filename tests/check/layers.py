#!/usr/bin/env python3
"""layers - src/LAYERS against each #include of src/; jni.h and jvmti.h only where a JVM is spoken to.

A row of LAYERS is `folder: the folders it may use`; a row may only use rows above it.
SPDX-License-Identifier: Apache-2.0
"""
import os
import re

import tree

JVM_HEADERS = {"jvmti.h": ("vm", "agent", "jvmpi"), "jni.h": ("vm", "agent", "jvmpi", "asgst", "asgct")}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.M)


def read_layers(check):
    layers = {}
    for number, line in enumerate(check.text("src/LAYERS").splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        folder, colon, uses = line.partition(":")
        if not colon or not re.match(r"^\w+$", folder):
            check.finding("src/LAYERS", number, "not a row", "write `folder: folders it may use`")
            continue
        for used in uses.split():
            if used not in layers:
                check.finding("src/LAYERS", number, "%s may use %s, which is no row above it" %
                              (folder, used), "arrows point down: move the row or drop the word")
        layers[folder] = set(uses.split())
    return layers


def check_include(check, layers, path, line, quote, name):
    folder = path.split("/")[1]
    users = JVM_HEADERS.get(os.path.basename(name))
    if users and folder not in users:
        check.finding(path, line, "src/%s must not see %s" % (folder, name),
                      "only %s may; pass what is needed as plain data" % ", ".join(users))
    if quote == "<":
        return
    beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
    if check.exists(beside):
        target = beside
    elif check.exists("src/" + name):
        target = "src/" + name
    elif check.exists("include/" + name) or users:
        return
    elif name.split("/")[0] not in layers:
        check.finding(path, line, 'no "%s" beside the file and no folder of src/LAYERS' % name,
                      'include as "folder/file.h"')
        return
    else:
        target = "src/" + name
        if not check.built(target):
            check.finding(path, line, 'no file for "%s"' % name, "include as \"folder/file.h\"")
            return
    parts = os.path.normpath(target).split("/")
    if parts[0] != "src" or len(parts) < 3:
        check.finding(path, line, '"%s" lies outside the folders of src/' % name,
                      "move it into a folder")
    elif parts[1] != folder and parts[1] not in layers.get(folder, ()):
        check.finding(path, line, "src/%s must not use src/%s" % (folder, parts[1]),
                      "turn the dependency round, or change src/LAYERS and say why")


def main():
    check = tree.Check()
    if not check.exists("src/LAYERS"):
        check.skip_all("no src/LAYERS")
    layers = read_layers(check)
    missing = set()
    for path in check.files():
        if not path.startswith("src/") or not path.endswith((".c", ".h", ".def", ".inc")):
            continue
        folder = path.split("/")[1]
        if path.count("/") < 2:
            check.finding(path, 1, "a source file outside the folders of src/", "move it into one")
            continue
        if folder not in layers and folder not in missing:
            missing.add(folder)
            check.finding(path, 1, "src/%s has no row in src/LAYERS" % folder, "add the row")
        text = tree.without_comments(check.text(path))
        for match in INCLUDE.finditer(text):
            check_include(check, layers, path, tree.line_of(text, match.start(1)),
                          match.group(1), match.group(2))
    check.done()


main()
