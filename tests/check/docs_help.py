#!/usr/bin/env python3
"""docs_help - what help says, the man pages say, and the other way round.

Options of a command: those that start a line of its help, against the tags (.TP, .TQ, .IP, .It) of the
OPTIONS section of its page. Options of the agent: `name=` likewise, in hprof-agent(7). And one long name means
one thing: it has a letter and a value as in every other command, or its row in DIFFER says why not.
Options that help leaves out on purpose belong under another heading than OPTIONS.
SPDX-License-Identifier: Apache-2.0
"""
import os
import re

import tree

GENERAL = ("help", "version")  # commands that may live in hprof(1)
AGENT_PAGE = "docs/man/hprof-agent.7"
OPTION = re.compile(r"(?<![\w=-])(--[A-Za-z][\w-]*|-[A-Za-z])(?![\w-])")
# Long names that are not alike in all commands: why, for those who read both.
DIFFER = {
    "--agent": "props: a switch, the properties for agents; else the library of ours",
    "--all": "of flags the word of an old letter, -a",
    "--by": "heap: what a histogram puts together; report: the letter, and a key of the profile",
    "--depth": "the letter: -d is the depth in run, whose -d is older than record; -d is the duration in record and start, as in async-profiler",
    "--duration": "the letter, likewise",
    "--event": "NAMES to record several, WORD to show one",
    "--format": "run writes one of two, report reads any, query has more forms than tables",
    "--keep": "listen: a switch, go on; start: how many files",
    "--list": "the letter is jcmd's, as the JDK's; query takes a name behind it",
    "--redact": "jfr: texts in the place of texts, as the JDK's; dump-heap: zeros in the place of values; ps, info, props: none shows all",
    "--sort": "top: the letter of ps and top, and a word of its own; else a column of a table",
    "--threads": "the letter: -t of report was taken",
    "--time": "stat: the switch of jstat; jfr: a clock",
    "--to": "report: a format as well as a time; export and push: what the other end is",
    "--top": "the letter: -n of threads is older, and counts dumps",
    "--verbose": "the letter: jfr has none, as the JDK's",
    "--width": "the letter: likewise",
}
AGENT_OPTION = re.compile(r"(?:^|[\s,])([a-z_]+)=")


def plain(page):
    """A man page without fonts and escapes; each line keeps its request."""
    page = re.sub(r"\\f(?:\[\w*\]|\(..|.)", "", page)
    page = page.replace("\\-", "-").replace("\\&", "").replace('\\(dq', '"')
    return re.sub(r'(?m)^\.(B|I|BR|BI|IR|IB|RB|RI|SM|SB)\s+', "", page)


def options_section(page):
    match = re.search(r'(?ms)^\.(?:SH|Sh)\s+"?(?:[A-Z ]*)OPTIONS"?\s*$(.*?)(?=^\.(?:SH|Sh)\s|\Z)', page)
    return match.group(1) if match else ""


def tags(section):
    """The tag lines of a section: what .TP and .TQ put on their next line, .IP and .It on their own."""
    found, follows = [], False
    for line in section.splitlines():
        if re.match(r"^\.(TP|TQ)\b", line):
            follows = True
        elif follows:
            found.append(line)
            follows = False
        elif re.match(r"^\.(IP|It)\s", line):
            found.append(line[4:])
    return found


def compare(check, page_path, said, page, pattern, who):
    section = options_section(page)
    if said and not section:
        check.finding(page_path, 1, "no OPTIONS section", "add `.SH OPTIONS`")
        return
    documented = {name for line in tags(section) for name in pattern.findall(line)}
    for name in sorted(said - documented):
        check.finding(page_path, 1, "%s of %s is no tag in OPTIONS" % (name, who), "document it")
    for name in sorted(documented - said):
        check.finding(page_path, 1, "%s is documented, %s does not print it" % (name, who),
                      "remove it, or repair the option table")


def help_options(text):
    """Options that start an indented line of a help text, up to the gap before their explanation."""
    found = set()
    for line in text.splitlines():
        match = re.match(r"^\s+(-\S.*?)(?:\s{2,}(?!-)|$)", line)
        if match:
            found.update(OPTION.findall(match.group(1)))
    return found


def check_alike(check, shapes):
    """`shapes`: long name -> (letter, value) -> the commands that have it so."""
    for name, ways in sorted(shapes.items()):
        if len(ways) > 1 and name not in DIFFER:
            told = "; ".join("%s: %s%s" % (", ".join(sorted(who)), letter or "no letter", ", " + value if value else "")
                             for (letter, value), who in sorted(ways.items()))
            check.finding("src/cli", 0, "%s is not alike in all commands (%s)" % (name, told), "make it so, or say why in docs_help.py")
    for name in sorted(DIFFER):
        if check.exists("src/command/opts.c") and len(shapes.get(name, ())) < 2:
            check.finding("tests/check/docs_help.py", 0, "%s is alike in all commands" % name, "remove its row in DIFFER")


def note_shapes(shapes, command, text):
    for line in text.splitlines():
        match = re.match(r"^  (?:(-\w), |    )(--[\w-]+)(?: (\S+(?: \S+)?)|(\[\S+\]))?(?:\s{2,}|\s*$)", line)
        if match:
            letter, name, value, optional = match.groups()
            shapes.setdefault(name, {}).setdefault((letter or "", value or optional or ""), set()).add(command)


def check_commands(check):
    hprof = check.built("hprof")
    if not hprof:
        check.skip("no hprof in the build folder: man pages of commands are not checked")
        return False
    overview = tree.run([hprof, "help"])
    listed = re.findall(r"(?m)^  ([a-z][\w-]*)\s{2,}\S", overview.stdout)
    if overview.returncode != 0 or not listed:
        check.finding("src/cli", 0, "`hprof help` lists no command", "see src/command/help.c")
        return True
    registered = tree.meson_list(check.text("src/cli/meson.build"), "commands") or []
    for name in sorted(set(registered) ^ set(listed)):
        check.finding("src/cli/meson.build", 1, "%s: `hprof help` and the list do not agree" % name,
                      "build again, or repair the list")
    shapes = {}
    for name in listed:
        general = name in GENERAL and not check.exists("docs/man/hprof-%s.1" % name)
        page_path = "docs/man/hprof.1" if general else "docs/man/hprof-%s.1" % name
        if not check.exists(page_path):
            check.finding(page_path, 0, "no such page, but `hprof help` lists %s" % name, "write it")
            continue
        page = plain(check.text(page_path))
        said = tree.run([hprof, name, "--help"])
        note_shapes(shapes, name, said.stdout)
        if said.returncode != 0:
            check.finding(page_path, 0, "`hprof %s --help` exits %d" % (name, said.returncode), "repair it")
        elif general:
            if not re.search(r"\b%s\b" % name, page):
                check.finding(page_path, 0, "does not name the command " + name, "document it")
            for option in sorted(help_options(said.stdout) - set(OPTION.findall(page))):
                check.finding(page_path, 0, "%s of hprof %s is not named" % (option, name), "document it")
        else:
            compare(check, page_path, help_options(said.stdout), page, OPTION, "hprof %s --help" % name)
    check_alike(check, shapes)
    return True


def find_java():
    home = os.environ.get("JAVA_HOME", "")
    for java in ([home + "/bin/java"] if home else []) + ["java"]:
        if tree.run([java, "-version"]).returncode == 0:
            return java
    return None


def check_agent(check):
    agent, java = check.built("libhprof.so"), find_java()
    if not agent or not java:
        check.skip("no %s: %s is not checked" %
                   ("java" if agent else "libhprof.so in the build folder", AGENT_PAGE))
        return False
    if check.instrumented():
        check.skip("instrumented build: a plain java cannot load libhprof.so, %s is not checked" % AGENT_PAGE)
        return False
    said = tree.run([java, "-agentpath:%s=help" % agent, "-version"])
    names = set(re.findall(r"(?m)^\s*([a-z_]+)=", said.stdout))
    if not names:
        check.finding(AGENT_PAGE, 0, "the agent's help names no option (exit %d)" % said.returncode,
                      "run java -agentpath:libhprof.so=help")
    elif not check.exists(AGENT_PAGE):
        check.finding(AGENT_PAGE, 0, "no such page", "write it")
    else:
        compare(check, AGENT_PAGE, names, plain(check.text(AGENT_PAGE)), AGENT_OPTION, "the agent's help")
    return True


def main():
    check = tree.Check()
    looked = [check_commands(check), check_agent(check)]
    if not any(looked):
        check.skip_all("nothing to compare yet")
    check.done()


main()
