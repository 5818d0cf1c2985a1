#!/usr/bin/env python3
"""rows - a row of a registry is named where it is made and in its list, nowhere else.

So adding one, or taking one away, is a file and a word. A row `cpu` of the engines of src/meson.build is
`engine_cpu` and lies in src/agent/cpu/, whose files nobody includes from outside but those who are said below to use
it; what it owns of the option string, `options_cpu`, is read by that folder alone, and the word that asks for it stands
in no message of others: they ask the row. The names of an engine's quality counts begin as its row says. Rows of the
other registries lie beside their header.
SPDX-License-Identifier: Apache-2.0
"""
import os
import re

import tree

# list: (its meson.build, what stands before the word, the folder of the row)
REGISTRIES = {
    "engines": ("src/meson.build", "engine_", "src/agent/%s/"),
    "timers": ("src/meson.build", "timer_", "src/agent/timer/"),
    "triggers": ("src/meson.build", "trigger_", "src/agent/trigger/"),
    "stack_sources": ("src/meson.build", "stack_source_", "src/agent/stack_source/"),
    "formats": ("src/format/meson.build", "format_", "src/format/"),
    "commands": ("src/cli/meson.build", "cmd_", "src/cli/"),
}
# Objects carry their allocation site in the tag that alloc gives them: who writes objects or sites reads it. On JDK 8
# samples are drawn by code of the same kind.
USERS = {"alloc": ("sites", "allocsample", "frozen", "heapdump")}

# Code that is about one kind, because a number has no other: CPU time in equal samples. Engines, with their files of
# options, and JVMPI say of which kind their events are.
KINDS = ("src/kind/kind.def", "KIND_", "src/kind/")
MAKERS = ("src/agent/", "src/jvmpi/")
ABOUT = {
    "SAMPLE": ("src/profile/fold.c", "src/format/format_collapsed.c", "src/format/format_firefox.c",
               "src/format/format_jfr.c", "src/report/diff.c", "src/report/report.c", "src/report/trust.c"),
}


def check_kinds(check, engines):
    listing, prefix, home = KINDS
    makers = MAKERS + tuple("src/options/options_%s.c" % word for word in engines)
    kinds = re.findall(r"(?m)^KIND\((\w+), (\w+)\)", check.text(listing))
    if not kinds:
        check.finding(listing, 1, "no row can be read", "a row reads KIND(NAME, name)")
    name = re.compile(r"\b(?:KIND_(%s)|kind_(%s))\b" % ("|".join(kind[0] for kind in kinds), "|".join(kind[1] for kind in kinds)))
    for path in check.c_files("src"):
        if path.startswith((home,) + makers):
            continue
        text = check.text(path)
        for match in name.finditer(text) if prefix in text or "kind_" in text else ():
            if path not in ABOUT.get(match[1] or "", ()):
                check.finding(path, tree.line_of(text, match.start()), "names the kind %s" % match[0],
                              "loop over kind_all[], and ask the row")


def check_words(check, prefix, word, home):
    name = re.compile(r"\b%s%s\b" % (prefix, word))
    for path in check.c_files("src"):
        if path.startswith(home):
            continue
        text = check.text(path)
        for match in name.finditer(text) if prefix + word in text else ():
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
        for match in name.finditer(text) if "options_" + word in text else ():
            check.finding(path, tree.line_of(text, match.start()), "reads the options of the engine %s" % word,
                          "what others need to know is a mark of options_group.h, or an option of all")


def check_asked_by(check, words):
    """The words that ask for engines, "heap=dump", are in strings of those alone whom they ask for."""
    homes = {}
    for word in words:
        own = "src/options/options_%s.c" % word
        for asked_by in re.findall(r'\.asked_by = "([^"]*)"', check.text(own)) if check.exists(own) else ():
            homes.setdefault(asked_by, ["src/options/options_"]).append("src/agent/%s/" % word)
    for path in (path for path in check.c_files("src") if path.startswith("src/agent/")):
        text = check.text(path)
        said = tree.without_comments(text)
        for asked_by, allowed in homes.items():
            if asked_by not in said:
                continue
            for match in re.finditer(r'"(?:[^"\n]*[^"\na-z])?%s[^"\n]*"' % re.escape(asked_by), said):
                if not path.startswith(tuple(allowed)):
                    check.finding(path, tree.line_of(text, match.start()), "says the word %s of an engine" % asked_by,
                                  "take it from the row: options_group.asked_by")


def check_counts(check, words):
    for word in words:
        home = "src/agent/%s/" % word
        row = home + "engine_%s.c" % word
        own = re.search(r'\.counts = "(\w+)"', check.text(row)) if check.exists(row) else None
        for path in (path for path in check.c_files("src") if path.startswith(home)):
            text = check.text(path)
            for match in re.finditer(r'recording_set_quality\([^,]*, "(\w+)"', text):
                if not own or not match[1].startswith(own[1]):
                    check.finding(path, tree.line_of(text, match.start()), "the count %s has not the row's prefix" % match[1],
                                  "name what the engine counts by engine_owns.counts")


def main():
    check, engines = tree.Check(), ()
    for words, (listing, prefix, folder) in sorted(REGISTRIES.items()):
        if not check.exists(listing):
            continue
        for word in tree.meson_list(check.text(listing), words) or ():
            home = folder % word if "%s" in folder else folder
            check_words(check, prefix, word, home)
            if words == "engines":
                check_includes(check, word, home)
                check_options(check, word, home)
        if words == "engines":
            engines = tree.meson_list(check.text(listing), words) or ()
            check_asked_by(check, engines)
            check_counts(check, engines)
    if check.exists(KINDS[0]):
        check_kinds(check, engines)
    check.done()


main()
