#!/usr/bin/env python3
"""commands - a command line in a document works as it is typed: the command's own option parser takes it.

Looked at are lines of fenced blocks and code between backticks of README.md, CONTRIBUTING.md and docs/, and in man pages
examples (.nf to .fi) and what is bold (.B, .BR): each `hprof WORD ...`, each option string of -agentlib:hprof=, -Xrunhprof: and
-agentpath:...libhprof.so=, and each `make TARGET`. tests/check/dry.c reads them and does nothing. What stands for something else
(FILE, PID, [OPTION...], ...) is left as it is, or out where it cannot be a value.
A block of README.md, docs/commands.md, docs/guides/ and docs/coming-from/ that has command lines is of a kind that a test runs
(tools/guides, tests/jdk/test_readme.py): ```console, whose lines behind "$ " are commands and all others their output, or ```shell.
Where no test can run it, "not run: WHY" stands behind the kind.
SPDX-License-Identifier: Apache-2.0
"""
import re
import shlex

import tree

AGENT = re.compile(r"(?:-agentlib:hprof=|-Xrunhprof:|-agentpath:[^\s=]*libhprof\.so=|libhprof\.so ['\"]+|libhprof\.so (?=\w+[=,]))([^\s'\"`)]*)")
OPEN = re.compile(r"\.\.\.|…|<[a-z]|\[[A-Z=|]|[A-Z]\|[A-Z]")    # a form to be filled in, not a command line
RUN = re.compile(r"README\.md$|docs/commands\.md$|docs/(guides|coming-from)/.*\.md$")
OTHERS = re.compile(r"\s*(?:\$ )?(?:cd|git|(?:(?:docker|kubectl) |s)?cp) ")    # these take names of our files as words
ENDS = ("|", "||", "&&", ";", "&", ">", ">>", "<", "2>", "2>&1", "#", "|&", "(", ")")


def markdown_pieces(text):
    """(line number, code, whether it is a whole line) of fenced blocks and of code between backticks; no output of commands."""
    fenced = None
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*```", line):
            fenced = None if fenced is not None else line
        elif fenced is not None:
            if "console" not in fenced or line.startswith("$ "):
                yield number, line, True
        else:
            for code in re.findall(r"``(.+?)``|`([^`]+)`", line):
                yield number, code[0] or code[1], False


def man_pieces(text):
    """Likewise: examples, and bold words of a line. A part of a line that is not bold is a blank's end."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith((".nf", ".fi")):
            inside = line.startswith(".nf")
        elif inside:
            yield number, unescape(line), True
        else:
            match = re.match(r"\.(B|BR)\s+(.*)", line)
            if match:
                words = re.findall(r'"((?:[^"]|"")*)"|(\S+)', match.group(2)) if match.group(1) == "BR" else [(match.group(2).strip('"'), "")]
                yield number, unescape(words[0][0] or words[0][1]), False


def unescape(line):
    line = re.sub(r"\\f(?:\[\w*\]|\(..|.)", "", line)
    return line.replace("\\-", "-").replace("\\&", "").replace("\\(dq", '"').replace("\\e", "\\").replace("\\ ", " ")


def unrun_blocks(text):
    """Line numbers of fenced blocks with command lines of ours that no test runs and that do not say why."""
    begin, fence, has_command = 0, None, False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```") and fence is None:
            begin, fence, has_command = number, line[3:].strip(), False
        elif line.startswith("```"):
            if has_command and not re.fullmatch(r"console|shell|(?:console|shell) not run: \S.*", fence):
                yield begin
            fence = None
        elif fence is not None and commands_of(line, True):
            has_command = True


def joined(pieces):
    """Lines that end in a backslash with those that follow."""
    held = None
    for number, code, whole in pieces:
        if held:
            number, code = held[0], held[1] + " " + code.strip()
            held = None
        if whole and code.endswith("\\"):
            held = (number, code[:-1])
        else:
            yield number, code, whole


def words_of(code):
    """The words of a shell line, quotation marks and comments taken away; None: it is none."""
    lexer = shlex.shlex(code, posix=True, punctuation_chars=";|&")
    lexer.commenters = ""
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        return None


def commands_of(code, whole):
    """The words behind `hprof`, where it is a command of the line: at its beginning, or behind one that starts another."""
    code = re.sub(r"\s#\s.*", "", code) if whole else code
    if OTHERS.match(code):
        return []
    words = words_of(re.sub(r"^\s*[$#]\s+", "", code)) or []
    found, at = [], 0
    while at < len(words):
        if re.fullmatch(r"(?:\S*/)?hprof(?:-static)?", words[at]) and (at == 0 or whole or words[at - 1] in ENDS):
            end = at + 1
            while end < len(words) and words[end] not in ENDS and not re.fullmatch(r"[;|&]+|\d?>+\S*|<\S*", words[end]):
                end += 1
            found.append(words[at + 1:end])
            at = end
        at += 1
    return found


def as_parsed(words, columns):
    """`hprof stat` has jstat's options, too, which it puts into its own words first."""
    if words[:1] != ["stat"]:
        return words
    return [word for word in ("-c" + word[1:] if word in columns else word for word in words) if word != "-options"]


def is_command(words, known):
    """Between backticks a line of a file may begin with hprof, too: `hprof quality:`."""
    return bool(words) and (words[0] in known or words[0].startswith("-") or (words[0].isalpha() and words[0].islower()))


def main():
    check = tree.Check()
    dry, hprof = check.built("tests/check/dry"), check.built("hprof")
    if not dry or not hprof:
        check.skip_all("no tests/check/dry in the build folder")
    known = set(re.findall(r"(?m)^  ([a-z][\w-]*)\s{2,}\S", tree.run([hprof, "help"]).stdout))
    targets = set(re.findall(r"(?m)^([\w-]+):", check.text("Makefile"))) if check.exists("Makefile") else None
    columns = set(tree.run([hprof, "stat", "-options"]).stdout.split())
    counts = {"hprof": 0, "agent": 0, "make": 0}
    for path in check.files():
        is_man = re.match(r"docs/man/.*\.\d$", path)
        if not is_man and not re.match(r"(README|CONTRIBUTING|ARCHITECTURE)\.md$|(docs|examples)/.*\.md$", path):
            continue
        if RUN.match(path):
            for number in unrun_blocks(check.text(path)):
                check.finding(path, number, "no test runs the commands of this block", "begin it with ```console or ```shell, or say \"not run: WHY\" behind that")
        pieces = man_pieces(check.text(path)) if is_man else markdown_pieces(check.text(path))
        for number, code, whole in joined(pieces):
            told = [("hprof", words) for words in commands_of(code, whole)
                    if not OPEN.search(" ".join(words)) and (whole or not code.startswith(" ")) and (whole or is_command(words, known))]
            told += [("agent", [line]) for line in AGENT.findall(code) if line and not OPEN.search(line)]
            for kind, words in told:
                counts[kind] += 1
                done = tree.run([dry, kind, *as_parsed(words, columns)])
                if done.returncode != 0 and (whole or "needs a value" not in done.stderr):
                    check.finding(path, number, "`%s`: %s" % (" ".join([kind, *words]), done.stderr.strip()), "write what works")
            if whole and told and re.search(r"\S {3,}(?!#)\S", code):
                check.finding(path, number, "an explanation behind a command would be words of it", "put # before it")
            for target in re.findall(r"^\s*make ([a-z][\w-]*)$", code) if targets else []:
                counts["make"] += 1
                if target not in targets:
                    check.finding(path, number, "`make %s`: the Makefile has no such target" % target, "write what works")
    check.note("%(hprof)d command lines, %(agent)d option strings of the agent and %(make)d targets of make" % counts)
    if not any(counts.values()):
        check.skip_all("no command line in the documents")
    check.done()


main()
