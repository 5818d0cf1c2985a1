#!/usr/bin/env python3
"""rows - a row of a registry is named where it is made and in its list, nowhere else.

So adding one, or taking one away, is a file and a word. A row `cpu` of the engines of src/meson.build is
`engine_cpu` and lies in src/agent/cpu/, whose files nobody includes from outside but those who are said below to use
it; what it owns of the option string, `options_cpu`, is read by that folder alone. Rows of the other registries lie
beside their header.
SPDX-License-Identifier: Apache-2.0
"""
import os
import re

import tree

# list: (its meson.build, what stands before the word, the folder of the row)
REGISTRIES = {
    "engines": ("src/meson.build", "engine_", "src/agent/%s/"),
    "timers": ("src/meson.build", "timer_", "src/agent/timer/"),
    "walkers": ("src/meson.build", "walkers_", "src/agent/walkers/"),
    "formats": ("src/format/meson.build", "format_", "src/format/"),
    "commands": ("src/cli/meson.build", "cmd_", "src/cli/"),
}
# Objects carry their allocation site in the tag that alloc gives them: who writes objects or sites reads it.
USERS = {"alloc": ("sites", "frozen", "heapdump")}


def check_words(check, prefix, word, home):
    name = re.compile(r"\b%s%s\b" % (prefix, word))
    for path in check.c_files("src"):
        if path.startswith(home):
            continue
        text = check.text(path)
        for match in name.finditer(text):
            check.finding(path, tree.line_of(text, match.start()), "names the row %s%s of %s" % (prefix, word, home),
                          "ask through the registry, or let the row do it")


def check_includes(check, word, home):
    users = tuple("src/agent/%s/" % user for user in (word,) + USERS.get(word, ()))
    include = re.compile(r'#[ \t]*include[ \t]*"%s' % re.escape(home[len("src/"):]))
    for path in check.c_files("src"):
        if path.startswith(users):
            continue
        text = check.text(path)
        for match in include.finditer(text):
            check.finding(path, tree.line_of(text, match.start()), "includes a file of the engine %s" % word,
                          "move what is not the engine's alone out of %s" % home)


def check_options(check, word, home):
    own = "src/options/options_%s." % word
    name = re.compile(r"\boptions_%s(?:_of)?\b" % word)
    for path in check.c_files("src"):
        if path.startswith((home, own)):
            continue
        text = check.text(path)
        for match in name.finditer(text):
            check.finding(path, tree.line_of(text, match.start()), "reads the options of the engine %s" % word,
                          "what others need to know is a mark of options_group.h, or an option of all")


def main():
    check = tree.Check()
    for words, (listing, prefix, folder) in sorted(REGISTRIES.items()):
        if not check.exists(listing):
            continue
        for word in tree.meson_list(check.text(listing), words) or ():
            home = folder % word if "%s" in folder else folder
            check_words(check, prefix, word, home)
            if words == "engines":
                check_includes(check, word, home)
                check_options(check, word, home)
    check.done()


main()
