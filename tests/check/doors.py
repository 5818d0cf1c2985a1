#!/usr/bin/env python3
"""doors - what others wrote reaches a terminal through a door that takes escapes out of it.

The doors are say(), say_out() and say_clean() (command/say.h), plainout (command/plainout.h) and base/plain.h. A text that is no
literal and goes to standard output or standard error in another way is a finding, and so is a sink on standard output,
but in the files below, whose reason stands beside them.
SPDX-License-Identifier: Apache-2.0
"""
import re

import tree

OURS = "words of our own tables and numbers alone"
PUTS = "puts names with base/plain.h"
DATA = "JSON, where such characters are escapes"
THROUGH = "the text has come through a door"
FILES = {
    "asking.c": PUTS,
    "cmd_diff.c": OURS,
    "cmd_formats.c": OURS,
    "cmd_info.c": OURS,
    "cmd_report.c": THROUGH,
    "cmd_run.c": "--print-options, which programs read: a line of the user's own words",
    "cmd_stat.c": OURS,
    "cmd_threads.c": DATA,
    "dumpfiles.c": DATA,
    "cmd_version.c": OURS,
    "cmd_view.c": "an address, made of the user's own words",
    "cmd_why.c": OURS,
    "counters_text.c": PUTS,
    "jfr_named.c": "jfr_query puts names with base/plain.h",
    "jfr_view.c": PUTS,
    "jfr_view_all.c": PUTS,
    "jvm_list.c": PUTS,
    "jfr_summary.c": PUTS,
    "listen_peer.c": PUTS,
    "plainout.c": "is the door",
    "stat_table.c": OURS,
    "threads_print.c": OURS,
    "top_watch.c": DATA,
}
# Their words go to the log of a JVM (agent/log.h).
IN_JVMS = ("agent", "asgct", "asgst", "jvmpi", "vm")
CALLS = [
    # A conversion of a text, in a format for standard output or standard error.
    re.compile(r"(?<![\w.>])(?:printf\(|fprintf\((?:stdout|stderr),)\s*(?:\"[^;]*?%[-0-9.*]*s|[^\"\s])"),
    re.compile(r"(?<![\w.>])(?:puts\(\s*[^\"\s]|(?:fputs|fwrite)\(\s*[^\"\s][^;]*,\s*(?:stdout|stderr)\))"),
    re.compile(r"\bsink_init\([^;]*STDOUT_FILENO"),
]


def main():
    check = tree.Check()
    for path in check.c_files("src"):
        if path.split("/")[1] in IN_JVMS or not path.endswith(".c") or path.rsplit("/", 1)[-1] in FILES:
            continue
        text = check.text(path)
        for call in CALLS:
            for match in call.finditer(text):
                check.finding(path, tree.line_of(text, match.start()), "a text goes to the terminal by no door: %s" %
                              match.group(0).split("\n")[0], "use say_out(), say() or plainout, or name the file and the reason in doors.py")
    check.done()


main()
