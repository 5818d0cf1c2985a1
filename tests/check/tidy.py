#!/usr/bin/env python3
"""tidy - clang-tidy is clean on each C file of src/.

Slow, so a clean file is remembered in the user's cache, under a hash of everything that decides: the file, the headers it
includes, .clang-tidy, its compile command, the version of clang-tidy. With HPROF_TIDY=changed only what the last commits
and the working tree changed is judged, a header by one file that includes it; with HPROF_TIDY=all each file, remembered
or not.
SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import hashlib
import os
import re
import tempfile

import tree

JOBS = 2
COMMITS = 5    # that HPROF_TIDY=changed looks back
WHICH = os.environ.get("HPROF_TIDY")
CLEAN = os.path.join(os.environ.get("HPROF_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "hprof"), "tidy")


def key_of(check, path, argv, version):
    """The hash that decides, or None if the file does not even preprocess."""
    listing = tree.run(as_dependencies(argv, os.path.join(check.root, path)), cwd=check.build)
    if listing.returncode != 0:
        return None
    digest = hashlib.sha256()
    digest.update(version.encode())
    digest.update(" ".join(argv).replace(check.root, "").encode())
    digest.update(check.text(".clang-tidy").encode())
    for name in listing.stdout.replace("\\\n", " ").split()[1:]:
        file_path = os.path.normpath(os.path.join(check.build, name))
        with open(file_path, "rb") as file:
            digest.update(named_in_any_clone(check, file_path).encode() + b"\0" + file.read())
    return digest.hexdigest()


def named_in_any_clone(check, path):
    """The name of a file of ours from the tree's top on, of another one its whole path."""
    inside = os.path.relpath(path, check.root)
    return path if inside.startswith(os.pardir) else inside


def as_dependencies(argv, source):
    return tree.as_syntax_only(argv) + ["-MM", source]


def without_gcc_s_own(check, folder):
    """The compile commands without what clang does not take, in a folder for clang-tidy's -p."""
    with open(os.path.join(check.build, "compile_commands.json"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
        file.write(text.replace(" -mtls-dialect=gnu2", "").replace('"-mtls-dialect=gnu2",', ""))
    return folder


def judge(check, tool, version, path, argv, database):
    """(path, [(file, line, text)]) of one source file."""
    key = key_of(check, path, argv, version)
    clean = key and os.path.join(CLEAN, key)
    if clean and os.path.exists(clean) and WHICH != "all":
        return path, []
    out = tree.run([tool, "--quiet", "-p", database, path], cwd=check.root)
    rows = re.findall(r"(?m)^(\S+?):(\d+):\d+: (?:error|warning): (.*)$", out.stdout)
    found = [(os.path.join(check.root, name), int(line), text) for name, line, text in rows]
    if out.returncode != 0 and not found:
        found = [(path, 1, (out.stderr or out.stdout).strip().replace("\n", " ")[-300:])]
    if clean and not found:
        with open(clean, "w", encoding="utf-8") as file:
            file.write(path + "\n")
    return path, found


def changed_files(check):
    """What the last commits and the working tree changed; None if git does not know, or the rules themselves changed."""
    commits = tree.run(["git", "rev-list", "--max-count=%d" % (COMMITS + 1), "HEAD"], cwd=check.root).stdout.split()
    if len(commits) <= COMMITS:
        return None
    known = tree.run(["git", "diff", "--name-only", commits[COMMITS]], cwd=check.root)
    new = tree.run(["git", "ls-files", "--others", "--exclude-standard"], cwd=check.root)
    files = set(known.stdout.splitlines() + new.stdout.splitlines())
    return None if known.returncode or new.returncode or ".clang-tidy" in files else files


def to_be_judged(check, sources, changed):
    """The sources that changed, and for each changed header the source of its name or the first that includes it."""
    chosen = {path for path in sources if path in changed}
    for header in (path for path in changed if path.endswith((".h", ".def"))):
        own = os.path.splitext(header)[0] + ".c"
        line = '#include "%s"' % re.sub("^(src|include)/", "", header)
        users = [own] if own in sources else [path for path in sources if line in check.text(path)]
        chosen.update(users[:1])
    return sorted(chosen)


def main():
    check = tree.Check()
    tool = tree.clang_tool(check, "clang-tidy")
    commands = check.commands()
    if commands is None:
        check.skip_all("no compile_commands.json in the build folder")
    version = tree.run([tool, "--version"]).stdout
    os.makedirs(CLEAN, exist_ok=True)
    sources = [path for path in check.c_files("src") if path.endswith(".c") and path in commands]
    left_out = [path for path in check.c_files("src") if path.endswith(".c") and path not in commands]
    if left_out:
        check.skip("this build does not compile %s" % ", ".join(left_out))
    if not sources:
        check.skip_all("no compiled C file in src/")
    changed = changed_files(check) if WHICH == "changed" else None
    if changed is not None:
        sources = to_be_judged(check, sources, changed)
    said = set()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool, tempfile.TemporaryDirectory() as folder:
        database = without_gcc_s_own(check, folder)
        for _, found in pool.map(lambda path: judge(check, tool, version, path, commands[path][0][0], database),
                                 sources):
            for row in found:
                if row not in said:
                    said.add(row)
                    check.finding(row[0], row[1], row[2], "repair it, or NOLINT with the reason")
    check.done()


main()
