"""Which cases of the tests `make test` runs; a test file knows nothing of it. A plug-in of pytest, loaded by conftest.py.

Without options every case of the product JDKs x parameters runs, as in `make test-all`. With `--everyday` each test
function runs with one JDK of the everyday set, with each value of each of its parameters, and with each pair of values of
two of its parameters. The function's name chooses the JDK, the oldest and the newest more often than one between them, so that
each JDK is there with a hundred functions and more; the others are left to `make test-all`. The choice depends on names only,
never on chance. A case that skips itself has shown nothing: another one that shows the same takes its place, with a further
JDK of the everyday set if need be. `@pytest.mark.everyday(8, 17)` names the JDKs of a function
whose other cases only `make test-all` needs to run, or with a parameter's name some of its values, `everyday(mode=["all"])`: a
comment there says what shows the same every day. Two such marks have names, which are the comment: `@one_jdk` is for a function
whose subject is the agent or the command and no JVM, so that any JDK shows it; `@old_and_new` for one whose JVMs differ only as
the oldest and the newest do.
`--part K/N` runs the Kth of N shares of the functions, so that a long file can be run by several processes.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import itertools
import zlib

import pytest

import emulated

one_jdk = pytest.mark.everyday("one")
old_and_new = pytest.mark.everyday("oldest", "newest")


def pytest_addoption(parser):
    group = parser.getgroup("hprof")
    group.addoption("--everyday", action="store_true", help="the cases of `make test` only")
    group.addoption("--part", metavar="K/N", default="1/1", help="the Kth of N shares of the test functions")


def jdk_of(item):
    """The id of a case's JDK; None of a case without, and of one whose JDKs are all hidden."""
    jdk = item.callspec.params.get("jdk") if hasattr(item, "callspec") else None
    return getattr(jdk, "id", None)


def is_hidden(item):
    """Whether it is of a function for which there is no JDK: pytest makes a case of it that is skipped."""
    return hasattr(item, "callspec") and "jdk" in item.callspec.params and jdk_of(item) is None


def goals(item):
    """What a case shows when it runs: a JDK, each value of a parameter, each pair of them."""
    # One id a parametrization; pytest says the same in public only as a text where they run into each other.
    ids = item.callspec._idlist if hasattr(item, "callspec") else []
    values = [(i, value) for i, value in enumerate(ids) if value != "jdk%s" % jdk_of(item)]
    return {("jdk", jdk_of(item)), *values, *itertools.combinations(values, 2)}


def one_of(ids, name):
    """The first, the last, or one between them, each of the three for a third of the names."""
    if not ids:
        return set()
    between, which = ids[1:-1] or ids, zlib.crc32(name.encode())
    # Other bits choose the one between than choose one of the three, or some would never be chosen.
    return {[ids[0], between[which % len(between)], ids[-1]][(which >> 16) % 3]}


def named_by(mark, ids, name):
    """Those of a function's JDKs that its mark names."""
    words = {"oldest": ids[:1], "newest": ids[-1:], "one": [ids[zlib.crc32(name.encode()) % len(ids)]]} if ids else {}
    return [one for one in ids if int(one.partition("-")[0]) in mark.args or any(one in words.get(word, []) for word in mark.args)]


def has_values(case, wanted):
    """Whether each parameter that `wanted` names has one of its values there."""
    return all(case.callspec.params[name] in values for name, values in wanted.items())


def run_some(cases, everyday, has_run):
    """Calls has_run(case), which says whether the case did run, until the cases of one function have shown enough."""
    name = cases[0].nodeid.partition("[")[0]
    mark = cases[0].get_closest_marker("everyday")
    jdks = [one for one in everyday if one in set(map(jdk_of, cases))]
    if mark and mark.args:
        jdks = named_by(mark, jdks, name)
    cases = [case for case in cases if (jdk_of(case) in jdks or jdk_of(case) is None) and has_values(case, mark.kwargs if mark else {})]
    chosen = (set(jdks) if mark and mark.args else one_of(jdks, name)) | {None}
    left = set().union(*map(goals, cases)) - {("jdk", one) for one in jdks if one not in chosen}
    used = collections.Counter()

    def worth(case):
        jdk = jdk_of(case)
        return (len(goals(case) & left), jdk in chosen, -used[jdk], zlib.crc32(case.nodeid.encode()))
    while cases:
        best = max(cases, key=worth)
        if not goals(best) & left:
            break
        cases.remove(best)
        used[jdk_of(best)] += 1
        if has_run(best):
            left -= goals(best)


def by_function(items):
    groups = collections.defaultdict(list)
    for item in items:
        groups[item.nodeid.partition("[")[0]].append(item)
    return groups


def pytest_collection_modifyitems(config, items):
    part, parts = map(int, config.option.part.split("/"))
    names = [name for i, name in enumerate(by_function(items)) if i % parts == part - 1]
    kept = [item for name in names for item in by_function(items)[name] if emulated.runs_here(item)]
    if config.option.everyday and config.option.collectonly:
        shown = []
        for cases in by_function(kept).values():
            run_some(cases, config.everyday_jdks, lambda case: shown.append(case) or True)
        kept = shown
    if len(kept) < len(items):
        chosen = set(kept)
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = kept


class Verdicts:
    """Notes which cases skipped themselves."""

    def __init__(self):
        self.skipped = set()

    def pytest_runtest_logreport(self, report):
        if report.skipped and not hasattr(report, "wasxfail"):
            self.skipped.add(report.nodeid)


def pytest_runtestloop(session):
    if not session.config.option.everyday or session.config.option.collectonly or session.testsfailed:
        return None    # pytest's own loop
    verdicts, ran = Verdicts(), set()
    session.config.pluginmanager.register(verdicts)

    def has_run(case):
        ran.add(case)
        # The next item tells pytest which fixtures to keep; any other one of this file does.
        other = next((item for item in session.items if item is not case and item.parent is case.parent), None)
        case.config.hook.pytest_runtest_protocol(item=case, nextitem=other)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        return case.nodeid not in verdicts.skipped

    for cases in by_function(session.items).values():
        session._setupstate.teardown_exact(cases[0])    # what the file before has left, and no more
        if is_hidden(cases[0]):
            has_run(cases[0])    # is skipped, once for all values of other parameters
        else:
            run_some(cases, session.config.everyday_jdks, has_run)
    session.config.hook.pytest_deselected(items=[item for item in session.items if item not in ran])
    return True
