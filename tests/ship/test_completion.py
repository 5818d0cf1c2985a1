"""Completion in real shells, and the rules behind it.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import zipfile

import pytest

from conftest import ROOT, said
from shells import SHOW, Shell

PROGRAM = """
public class Waiter {
    public static void main(String[] args) throws Exception {
        System.out.println("begun");
        System.in.read();
    }
}
"""


@pytest.fixture
def folder(tmp_path, hprof):
    """A folder with files, and `hprof` and a program with a rare name in PATH."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/hprof").symlink_to(hprof)
    (tmp_path / "bin/qqprogram").write_text("#!/bin/sh\n")
    (tmp_path / "bin/qqprogram").chmod(0o755)
    here = tmp_path / "here"
    (here / "odd folder").mkdir(parents=True)
    for name in ("alpha.jfr", "alphabet.java", "beta.txt", "gamma.html"):
        (here / name).write_text("")
    return here


def environment(folder):
    env = {name: value for name, value in os.environ.items() if name not in ("BASH_ENV", "ENV", "PROMPT_COMMAND")}
    env.update(PATH="%s:%s" % (folder.parent / "bin", os.environ["PATH"]), TERM="dumb", INPUTRC="/dev/null", HOME=str(folder.parent), LC_ALL="C",
               HISTFILE="/dev/null", XDG_CONFIG_HOME=str(folder.parent), XDG_DATA_HOME=str(folder.parent), ZDOTDIR=str(folder.parent))
    return env


def bash(folder):
    return Shell(["bash", "--norc", "--noprofile", "-i"], environment(folder), folder,
                 ["bind 'set enable-bracketed-paste off'", "source %s" % (ROOT / "completions/hprof.bash"), SHOW["bash"]])


def zsh(folder):
    functions = folder.parent / "functions"
    functions.mkdir()
    shutil.copy(ROOT / "completions/_hprof", functions)
    return Shell(["zsh", "-f", "-i"], environment(folder), folder,
                 ["unsetopt zle_bracketed_paste prompt_cr prompt_sp; unset zle_bracketed_paste; bindkey -e", "fpath=(%s $fpath)" % functions,
                  "autoload -U compinit; compinit -u -D", SHOW["zsh"]])


class Fish:
    """Fish says what it would offer without a terminal; the candidates, and by the only one the words of the line."""

    def __init__(self, folder):
        self.folder = folder

    def candidates(self, line):
        script = "source %s; complete --do-complete=$argv[1]" % (ROOT / "completions/hprof.fish")
        return [row.split("\t")[0] for row in said("fish", "--no-config", "-c", script, "--", line, cwd=self.folder, env=environment(self.folder)).splitlines()]

    def words(self, line):
        front, _, typed = line.rstrip("\t").rpartition(" ")
        found = self.candidates(line.rstrip("\t"))
        return front.split() + [found[0] if len(found) == 1 else typed]

    def offered(self, line, last):
        found = self.candidates(line)
        assert last in found
        return "\n".join(found)

    def end(self):
        pass


@pytest.fixture(params=["bash", "zsh", "fish"])
def shell(request, folder):
    if not shutil.which(request.param):
        pytest.skip("no %s here; make test-all installs it" % request.param)
    begun = {"bash": bash, "zsh": zsh, "fish": Fish}[request.param](folder)
    yield begun
    begun.end()


def test_a_shell_completes_commands_options_and_their_values(shell):
    assert shell.words("hprof repo\t") == ["hprof", "report"]
    assert shell.words("hprof report --verb\t") == ["hprof", "report", "--verbose"]
    assert shell.words("hprof report --event exc\t") == ["hprof", "report", "--event", "exception"]
    assert shell.words("hprof report --event=exc\t") == ["hprof", "report", "--event=exception"]
    assert shell.words("hprof record -e cpu,exc\t") == ["hprof", "record", "-e", "cpu,exception"]
    assert shell.words("hprof report --to speed\t") == ["hprof", "report", "--to", "speedscope"]
    assert shell.words("hprof jfr summ\t") == ["hprof", "jfr", "summary"]
    assert shell.words("hprof run --agent-option wallst\t") == ["hprof", "run", "--agent-option", "wallstates="]


def test_a_shell_lists_what_there_is(shell):
    listed = shell.offered("hprof stat --columns ", "printcompilation")
    assert "gcutil" in listed and "class" in listed and "gcnew" in listed


def test_a_shell_completes_files_by_their_suffix(shell):
    assert shell.words("hprof jfr summary alp\t") == ["hprof", "jfr", "summary", "alpha.jfr"]
    assert shell.words("hprof report bet\t") == ["hprof", "report", "beta.txt"]
    assert shell.words("hprof report gam\t") == ["hprof", "report", "gam"]
    assert shell.words("hprof report beta.txt --output=gam\t") == ["hprof", "report", "beta.txt", "--output=gamma.html"]


def test_a_shell_completes_the_command_line_of_the_program_that_is_run(shell):
    assert shell.words("hprof run -- qqpro\t") == ["hprof", "run", "--", "qqprogram"]
    assert shell.words("hprof run -e cpu qqprogram alphab\t") == ["hprof", "run", "-e", "cpu", "qqprogram", "alphabet.java"]


def candidates(hprof, *words):
    """word -> description, without the lines for scripts."""
    lines = said(hprof, "complete", "--", *words).splitlines()
    return dict((line + "\t").split("\t")[:2] for line in lines if not line.startswith(":"))


def compiler():
    javac = shutil.which("javac") or next(iter(sorted(map(str, pathlib.Path("/usr/lib/jvm").glob("*/bin/javac")))), None)
    return javac or pytest.skip("no javac here; tools/bootstrap test installs it")


@contextlib.contextmanager
def started(javac, *words):
    """A JVM that waits until the end of the block."""
    with subprocess.Popen([os.path.join(os.path.dirname(javac), "java"), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "begun\n"
            yield child
        finally:
            child.kill()


@pytest.fixture
def waiter(tmp_path):
    """A JVM that waits."""
    javac = compiler()
    (tmp_path / "Waiter.java").write_text(PROGRAM)
    said(javac, "-d", tmp_path, tmp_path / "Waiter.java")
    with started(javac, "-cp", str(tmp_path), "Waiter") as child:
        yield child


def test_running_jvms_are_offered_and_none_is_asked(hprof, waiter):
    pid = str(waiter.pid)
    for words in (["stack", ""], ["record", "-d", "5s", ""], ["counters", ""], ["threads", "--locks", pid[:-1]]):
        assert candidates(hprof, *words)[pid] == "Waiter", words
    assert candidates(hprof, "histo", "Wait")["Waiter"] == pid
    # A JVM that was asked has its socket there.
    assert not os.path.exists("/proc/%s/root/tmp/.java_pid%s" % (pid, pid))


def test_each_rule_names_an_option_or_an_operand_that_is_there(hprof):
    """A rule whose option was renamed would never be used."""
    text = (ROOT / "src/cli/completion_rule.c").read_text()
    commands = candidates(hprof, "")
    rules = re.findall(r'\{(NULL|"[\w-]+"), "([\w-]+)", \w+\}', text)
    assert len(rules) > 20
    for command, place in rules:
        named = [command.strip('"')] if command != "NULL" else list(commands)
        helps = [said(hprof, name, "--help") for name in named]
        wanted = r"[ |\[]%s\b" % place if place.isupper() else r"(?m)^ .*--%s\b" % place
        assert any(re.search(wanted, text) for text in helps), (command, place)


def test_options_offered_are_those_of_the_help(hprof):
    for command in candidates(hprof, ""):
        helped = set(re.findall(r"(?m)^  (?:-\w, |    )(--[\w-]+)", said(hprof, command, "--help")))
        assert set(candidates(hprof, command, "--")) == helped, command


def test_values_come_from_the_tables_of_the_commands(hprof):
    formats = [line.split() for line in said(hprof, "formats").splitlines()]
    read = {line[0] for line in formats if "read" in line or "read," in line}
    written = {line[0] for line in formats if "write" in line}
    assert set(candidates(hprof, "report", "--format", "")) == read | {"csv", "json", "text"}    # how tables are written
    assert set(candidates(hprof, "report", "--to", "")) == written
    assert set(candidates(hprof, "stat", "-c", "")) == set(said(hprof, "stat", "-options").replace("-", "").split())
    views = said(hprof, "jfr", "view").splitlines()
    assert {line.split()[0] for line in views if not line.split()[0] in ("all-views", "all-events", "types")} <= set(candidates(hprof, "jfr", "view", ""))


def test_a_name_that_a_shell_could_run_is_not_offered(hprof, tmp_path):
    """A jar may have any name; the process still has its number."""
    javac = compiler()
    (tmp_path / "Waiter.java").write_text(PROGRAM)
    said(javac, "-d", tmp_path, tmp_path / "Waiter.java")
    jar = tmp_path / "Q$(id).jar"
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", "Main-Class: Waiter\n")
        file.write(tmp_path / "Waiter.class", "Waiter.class")
    with started(javac, "-jar", str(jar)) as child:
        assert candidates(hprof, "stack", "")[str(child.pid)] == jar.name
        assert candidates(hprof, "stack", "Q") == {}


def test_wrong_command_lines_give_nothing_and_no_error(hprof):
    for words in (["nonsense", ""], ["report", "--nonsense=", ""], ["report", "--nonsense=x"], ["-x", ""], ["version", "x", ""], ["report", "-Zx"]):
        done = subprocess.run([hprof, "complete", "--", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
        assert done.stderr == "" and not [line for line in done.stdout.splitlines() if not line.startswith(":")], words
