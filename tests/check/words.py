#!/usr/bin/env python3
"""words - a man page that lists the words of an option lists all that the program takes.

A row of LISTS names the page, the place in it (the tag of an option, or a section) and where the program
has the words: what it answers to a wrong one, or a table of the tree. The page may say more.
SPDX-License-Identifier: Apache-2.0
"""
import re

import tree

END = r"(?=^\.(?:SH|SS|Sh)\s|\Z)"


def plain(page):
    """A man page without fonts, escapes and the names of its requests, but for those that part it."""
    page = re.sub(r"\\f(?:\[\w*\]|\(..|.)", "", page)
    page = page.replace("\\-", "-").replace("\\&", "").replace("\\ ", " ").replace("\\(dq", '"')
    return re.sub(r"(?m)^\.(B|I|BR|BI|IR|IB|RB|RI|SM|SB)\s+", "", page)


def blocks(page):
    """What belongs to a tag, with what stands indented below it (.RS to .RE)."""
    block, depth = [], 0
    for line in page.splitlines(keepends=True):
        if depth == 0 and re.match(r"\.(TP|SH|SS)\b", line):
            yield "".join(block)
            block = []
        depth += line.startswith(".RS") - line.startswith(".RE")
        block.append(line)
    yield "".join(block)


def place_of(page, place):
    """The text of a section ("SECTION NAME"), or of the first tag that has the option ("--name", "name="); None: there is none."""
    if place == "":
        return page
    if not place.startswith("-") and not place.endswith("="):
        match = re.search(r'(?ms)^\.S[HS]\s+"?%s"?\s*$(.*?)%s' % (re.escape(place), END), page)
        return match.group(1) if match else None
    tag = re.compile(r"(?<![\w=-])" + re.escape(place) + r"(?![\w-])" if place.startswith("-") else r"(?:^|[\s,])" + re.escape(place))
    for block in blocks(page):
        heads = re.findall(r"(?m)^\.(?:TP|TQ).*\n(.*)", block)
        if any(tag.search(head) for head in heads):
            return block
    return None


def lacking(text, words):
    return [word for word in words if not re.search(r"(?<![\w.-])%s(?![\w-])" % re.escape(word), text)]


# ---- where the program has its words


def answer(pattern, *argv):
    """The words that a pattern finds in what the command says of `argv`, in one group."""
    def ask(check):
        done = tree.run([check.built("hprof"), *argv])
        match = re.search(pattern, done.stdout + done.stderr)
        return re.findall(r"[.\w][\w-]*", match.group(1).replace(" or ", " ")) if match else []
    return ask


def formats(column):
    """Names (0) or suffixes (1) of `hprof formats`."""
    def ask(check):
        rows = [line.split() for line in tree.run([check.built("hprof"), "formats"]).stdout.splitlines()]
        return [word for row in rows for word in (row[:1] if column == 0 else row[1:]) if (word[0] == ".") == (column == 1)]
    return ask


def table(path, pattern):
    """What a pattern finds in a file of the tree, each once."""
    def ask(check):
        found = re.findall(pattern, tree.without_comments(check.text(path))) if check.exists(path) else []
        return list(dict.fromkeys(word for word in found if word))
    return ask


def registered(path, name):
    def ask(check):
        return tree.meson_list(check.text(path), name) or []
    return ask


EVENTS = answer(r"no event \?: use (.*), or an event of perf", "run", "-e", "?", "--", "true")
SHOWN = answer(r"-e, --event WORD +what to show: (.*)", "help", "view")
STATES = answer(r"must be words of (\S+)", "run", "--wall-states", "?", "--", "true")
TRIGGERS = answer(r"triggers are (.*), as in", "run", "--on", "?", "--", "true")
ACTIONS = table("src/options/options_action.def", r"(?m)^OPTIONS_ACTION\(\w+, (\w+)")
TIMERS = registered("src/meson.build", "timers")
DURATIONS = table("src/base/units.c", r'\{"(\w+)", \d+\}')
SIZES = table("src/base/units.c", r'\{"(\w)", 1 << \d+\}')
RECORDS = ("run", "record", "start")

# Page, place, what the words are, where they come from.
LISTS = [(page, "--event", "events", EVENTS) for page in RECORDS]
LISTS += [("agent", "event=", "events", EVENTS)]
LISTS += [(page, "--event", "kinds", SHOWN) for page in ("report", "diff", "view")]
LISTS += [(page, "--wall-states", "states", STATES) for page in RECORDS] + [("agent", "wallstates=", "states", STATES)]
LISTS += [(page, "--on", "triggers", TRIGGERS) for page in ("run", "start")]
LISTS += [(page, "--on", "what triggers do", ACTIONS) for page in ("run", "start")] + [("agent", "onthrow=", "what triggers do", ACTIONS)]
LISTS += [("run", "--timer", "timers", TIMERS), ("agent", "timer=", "timers", TIMERS)]
LISTS += [("agent", "walker=", "walkers", registered("src/meson.build", "stack_sources"))]
LISTS += [("stat", "The columns of jstat", "columns", answer(r"known are (.*)", "stat", "-c", "?", "1"))]
LISTS += [("query", "--format", "forms", answer(r"wanted is (.*)", "query", "x", "--format", "nothing", "select 1"))]
LISTS += [("heap", "QUESTIONS", "questions", registered("src/heap/meson.build", "questions"))]
LISTS += [("jfr", "VIEWS", "views", table("src/jfrtool/jfr_views.def", r'(?m)^(?:TABLE|FORM)\("([\w-]+)"'))]
LISTS += [("jfr", "DESCRIPTION", "commands", answer(r"usage: hprof jfr \[OPTION\.\.\.\] (\S+)", "help", "jfr"))]
LISTS += [("jfr", "--time", "clocks", answer(r"one of (.*) is wanted", "jfr", "print", "--time", "?", "x"))]
LISTS += [("top", "--sort", "orders", answer(r"wanted is (.*)", "top", "--sort", "?"))]
LISTS += [("listen", "--show", "choices", answer(r"'\?': (.*) is wanted", "listen", "--show", "?"))]
LISTS += [("formats", "FORMATS", "formats", formats(0)), ("formats", "FORMATS", "suffixes", formats(1))]
LISTS += [("", "TIMES AND SIZES", "units of times", DURATIONS), ("", "TIMES AND SIZES", "units of sizes", SIZES)]


def path_of(page):
    if page == "agent":
        return "docs/man/hprof-agent.7"
    return "docs/man/hprof%s.1" % ("-" + page if page else "")


def main():
    check = tree.Check()
    if not check.built("hprof"):
        check.skip_all("no hprof in the build folder")
    looked = 0
    for page, place, what, words_of in LISTS:
        path = path_of(page)
        if not check.exists(path):
            continue
        words = words_of(check)
        text = place_of(plain(check.text(path)), place)
        if not words and text is None and not check.exists("src/command/opts.c"):
            continue # a small tree, as selftest's
        looked += 1
        if not words:
            check.finding("tests/check/words.py", 0, "%s of %s are found nowhere" % (what, path), "mend its row")
        elif text is None:
            check.finding(path, 0, "has no %s, where %s are listed" % (place, what), "write it, or mend the row in words.py")
        for word in lacking(text or "", words) if words and text is not None else []:
            check.finding(path, 0, "%s: %s is not among its %s" % (place, word, what), "add it")
    if not looked:
        check.skip_all("no page that is known")
    check.done()


main()
