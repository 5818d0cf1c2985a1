"""Interactive shells on a terminal of their own, into which a test types.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pty
import re
import select
import signal
import time

WAIT_S = 60
PROMPT = "ready> "
# Prints its words in brackets: what the line had when it was entered.
SHOW = {"bash": "show() { printf '<%s>' \"$@\"; echo; }", "zsh": "show() { printf '<%s>' \"$@\"; echo; }"}


class Shell:
    """A shell that waits for a line. `words()` types a line with tabs in it and returns the words that came of it."""

    def __init__(self, argv, env, cwd, first):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execvpe(argv[0], argv, env)
        self.heard = ""
        for line in first:
            self.type(line + "\n")
        self.type("PS1='%s'; echo be''gun\n" % PROMPT)
        self.wait(r"begun\r?\n")
        self.wait(re.escape(PROMPT))

    def type(self, text):
        os.write(self.terminal, text.encode())

    def wait(self, pattern):
        """Reads until the pattern has come; returns what stood before its end."""
        end = time.monotonic() + WAIT_S
        while True:
            found = re.search(pattern, self.heard)
            if found:
                text, self.heard = self.heard[:found.end()], self.heard[found.end():]
                return text
            ready = select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]
            assert ready, "%r has not come in %d s; there was: %r" % (pattern, WAIT_S, self.heard)
            self.heard += re.sub(r"\x1b(\[[?0-9;]*[a-zA-Z]|[=>])", "", os.read(self.terminal, 65536).decode(errors="replace"))

    def words(self, line):
        self.type(line)
        # To the front of the line, where the function is named that prints it.
        self.type("\x01show \x05\n")
        text = self.wait(r"(?m)^(<[^\r\n]*>)+\r?\n")
        self.wait(re.escape(PROMPT))
        return re.findall(r"<([^<>]*)>", re.findall(r"(?m)^<.*>", text)[-1])

    def offered(self, line, last):
        """What is listed after a second tab, up to a line with `last`; the line is then given up."""
        self.type(line + "\t\t")
        text = self.wait(re.escape(last))
        self.type("\x15\n")
        self.wait(re.escape(PROMPT) + "$")
        return text

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)
