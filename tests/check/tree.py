"""tree.py - what the checks share: the files of the tree, the compile commands, and how findings are said.

A check is a script `NAME.py ROOT BUILD`. It prints `file:line: what; what to do` for each finding and
exits 1; `skip: why` for each part it could not look at; `note: text` for what is not a verdict. It exits
77 when it could look at nothing. `run` puts the name in front. Python 3.7, standard library only.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import re
import shlex
import signal
import subprocess
import sys

SKIPPED = 77
PROGRAMS = {"hprof": "src/cli/hprof", "libhprof.so": "src/agent/libhprof.so", "libjvmpi.so": "src/jvmpi/libjvmpi.so"}
C_FOLDERS = ("src", "include", "tests", "examples")


class Check:
    """One run of one check over one tree and its build folder."""

    def __init__(self):
        if len(sys.argv) != 3:
            sys.exit("usage: %s ROOT BUILD" % sys.argv[0])
        signal.signal(signal.SIGTERM, signal.default_int_handler)    # so that no folder of a check stays
        self.root = os.path.realpath(sys.argv[1])
        self.build = os.path.realpath(os.path.join(self.root, sys.argv[2]))
        self.failed = False
        self._files = None
        self._texts = {}
        self._commands = None

    def finding(self, path, line, what, todo):
        self.failed = True
        if os.path.isabs(path):
            path = os.path.relpath(path, self.root)
        print("%s:%d: %s; %s" % (path, line, what, todo))

    def skip(self, why):
        """A part that could not be looked at: said aloud, never counted as good."""
        print("skip: " + why)

    def note(self, text):
        print("note: " + text)

    def skip_all(self, why):
        self.skip(why)
        sys.exit(1 if self.failed else SKIPPED)

    def done(self):
        sys.exit(1 if self.failed else 0)

    # -- files -----------------------------------------------------------------------------------
    def files(self):
        """Every file of the project, relative to the root, sorted: what git knows or would add."""
        if self._files is None:
            self._files = sorted(self._git_files() or self._walked_files())
        return self._files

    def _git_files(self):
        if not os.path.exists(os.path.join(self.root, ".git")):
            return None
        out = run(["git", "-C", self.root, "ls-files", "-z", "-co", "--exclude-standard"])
        if out.returncode != 0:
            return None
        names = [n for n in out.stdout.split("\0") if n]
        return [n for n in names if os.path.isfile(os.path.join(self.root, n))]

    def _walked_files(self):
        found = []
        for folder, folders, names in os.walk(self.root):
            top = folder == self.root
            folders[:] = [f for f in folders if f not in (".git", "__pycache__", ".cache")
                          and not (top and f.startswith("build"))]
            found += [os.path.relpath(os.path.join(folder, n), self.root) for n in names]
        return found

    def c_files(self, *tops):
        tops = tops or C_FOLDERS
        return [f for f in self.files() if f.endswith((".c", ".h"))
                and f.split("/")[0] in tops and not f.startswith("tests/data/")]

    def text(self, path):
        if path not in self._texts:
            with open(os.path.join(self.root, path), encoding="utf-8", errors="surrogateescape",
                      newline="") as file:
                self._texts[path] = file.read()
        return self._texts[path]

    def exists(self, path):
        return os.path.exists(os.path.join(self.root, path))

    # -- the build -------------------------------------------------------------------------------
    def built(self, name):
        """The path of a built thing, or None. `make` links the programs to the top; Meson alone does not."""
        for path in (name, PROGRAMS.get(name, name)):
            path = os.path.join(self.build, path)
            if os.path.exists(path):
                return path
        return None

    def commands(self):
        """compile_commands.json as {source relative to the root: [(argv, object path)]}, or None."""
        path = self.built("compile_commands.json")
        if self._commands is None and path:
            self._commands = {}
            with open(path, encoding="utf-8") as file:
                for row in json.load(file):
                    source = os.path.realpath(os.path.join(row["directory"], row["file"]))
                    argv = row.get("arguments") or shlex.split(row["command"])
                    output = os.path.join(row["directory"], row.get("output", ""))
                    key = os.path.relpath(source, self.root)
                    self._commands.setdefault(key, []).append((argv, output))
        return self._commands

    def instrumented(self):
        """Why symbols of this build are not those of a plain one (sanitizer, coverage), or None."""
        for rows in (self.commands() or {}).values():
            for argv, _ in rows:
                for word in argv:
                    if word.startswith("-fsanitize") or word == "--coverage":
                        return word
        return None


def run(argv, **more):
    """subprocess.run with text output; a program that is not there is result 127."""
    try:
        return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, errors="replace", **more)
    except OSError as error:
        return subprocess.CompletedProcess(argv, 127, "", str(error))


CLANG_MAJOR = 14    # the majors of clang's tools differ, so only one judges


def clang_tool(check, name):
    """The command of clang-format or clang-tidy; where the right one is not there, all is skipped."""
    for tool in ("%s-%d" % (name, CLANG_MAJOR), name):
        match = re.search(r"version (\d+)", run([tool, "--version"]).stdout)
        if match and int(match.group(1)) == CLANG_MAJOR:
            return tool
        if match:
            check.skip_all("%s is version %s, the tree is kept by %d" % (name, match.group(1), CLANG_MAJOR))
    return check.skip_all("no %s-%d: tools/bootstrap test installs it" % (name, CLANG_MAJOR))


def as_syntax_only(argv):
    """A compile command without its source, its output and its dependency file."""
    kept, drop = [], False
    for word in argv:
        if drop:
            drop = False
        elif word in ("-o", "-MF", "-MQ", "-MT"):
            drop = True
        elif word not in ("-c", "-MD", "-MMD") and not word.endswith((".c", ".S")):
            kept.append(word)
    return kept


_NOISE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


def without_comments(text):
    """C text whose comments are blanks; strings stay, lines keep their numbers."""
    def blank(match):
        word = match.group(0)
        return word if word[0] in "\"'" else re.sub(r"[^\n]", " ", word)
    return _NOISE.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def meson_words(text):
    """Every quoted word of a meson.build, comments left out."""
    return set(re.findall(r"'([^'\n]*)'", re.sub(r"(?m)^\s*#.*$", "", text)))


def meson_list(text, name):
    """The words of `name = [...]` in a meson.build, or None."""
    match = re.search(r"(?m)^%s\s*=\s*(?:files\()?\[([^\]]*)\]" % re.escape(name),
                      re.sub(r"#.*", "", text))
    return re.findall(r"'([^']*)'", match.group(1)) if match else None
