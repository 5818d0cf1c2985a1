#!/usr/bin/env python3
"""documents - links lead somewhere, named files exist, a measurement has its date and stands once.

Links are those of Markdown, between files of the tree; an anchor is a heading of the page that the link names. Named files are words such as docs/times.md or
src/safe/ring.h anywhere in the tree; a word with a capital NAME or a star in it is a pattern and no file.
A measurement is a table row of docs/measurements with three numbers; its section or page has the day.
Pages of the manual are checked by mandoc: what it warns of shows wrong in a terminal.
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import shutil

import tree

LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
NAMED = re.compile(r"(?<![\w./@<-])(?<!Linux )((?:docs|src|tests|tools|include|examples)(?:/[\w.-]+)+\.(?:md|[ch]|py|def|java|json))(?![\w.])")
PATTERN = re.compile(r"[A-Z]{4}|@0@|%")
DAY = re.compile(r"\(20\d\d-\d\d-\d\d\)$")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
MEASUREMENTS = "docs/measurements/"
# These hold paths of trees that they make themselves.
INVENTS_FILES = ("tests/check/selftest.py", "tests/jdk/", "tests/ship/")


def anchors_of(lines):
    """The anchors of a page: what places that show Markdown make of its headings."""
    fenced = False
    for line in lines:
        fenced ^= line.startswith("```")
        if not fenced and re.match(r"#+ ", line):
            heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip())
            yield re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def check_links(check, path, lines):
    for number, line in enumerate(lines, 1):
        for link, anchor in LINK.findall(line):
            target = os.path.normpath(os.path.join(os.path.dirname(path), link)) if link else path
            if "://" in link or not (link or anchor):
                continue
            if not check.exists(target):
                check.finding(path, number, "the link %s leads nowhere" % link, "name a file that is there")
            elif anchor and target.endswith(".md") and anchor not in anchors_of(check.text(target).split("\n")):
                check.finding(path, number, "%s has no heading #%s" % (target, anchor), "name one that is there")


def check_named(check, path, lines):
    for number, line in enumerate(lines, 1):
        for named in NAMED.findall(line):
            if not PATTERN.search(os.path.splitext(named)[0]) and not check.exists(named):
                check.finding(path, number, "there is no %s" % named, "name a file that is there")


def check_dates(check, path, lines):
    """Each table of a measurement stands below a heading with its day, or on a page whose title has it."""
    dated = False
    for number, line in enumerate(lines, 1):
        if line.startswith("# "):
            dated = of_page = bool(DAY.search(line))
        elif line.startswith("#"):
            dated = of_page or bool(DAY.search(line))
        elif re.match(r"\|[\s|:-]+\|$", line) and not dated:
            check.finding(path, number, "a table without its day",
                          "end the heading above it, or the page's title, with (YEAR-MONTH-DAY)")


def check_pages(check, pages):
    if not shutil.which("mandoc"):
        check.skip("no mandoc: pages of the manual are not checked")
        return
    said = tree.run(["mandoc", "-T", "lint", "-W", "warning", *(os.path.join(check.root, page) for page in pages)]).stdout
    for path, line, what in re.findall(r"^mandoc: (\S+?):(\d+):\d+: (.*)$", said, re.M):
        check.finding(os.path.relpath(path, check.root), int(line), what, "mend the page")


def rows_of_figures(lines):
    for number, line in enumerate(lines, 1):
        if line.startswith("|") and len(NUMBER.findall(line)) >= 3:
            yield number, re.sub(r"\s+", " ", line.strip())


def main():
    check = tree.Check()
    measured = {}
    check_pages(check, [p for p in check.files() if re.fullmatch(r"docs/man/[\w-]+\.[1-9]", p)])
    documents = [p for p in check.files() if p.endswith(".md")]
    for path in check.files():
        text = check.text(path)
        if "\0" in text or path.startswith(("tests/data/", "tests/golden/")):
            continue
        lines = text.split("\n")
        if path.endswith(".md"):
            check_links(check, path, lines)
        if not path.startswith(INVENTS_FILES):
            check_named(check, path, lines)
        if path.startswith(MEASUREMENTS) and not path.endswith("/README.md"):
            check_dates(check, path, lines)
            for number, row in rows_of_figures(lines):
                measured.setdefault(row, (path, number))
    for path in documents:
        for number, row in rows_of_figures(check.text(path).split("\n")):
            if row in measured and measured[row] != (path, number):
                check.finding(path, number, "this row stands in %s, line %d, too" % measured[row],
                              "let a measurement stand once, and link to it")
    check.done()


main()
