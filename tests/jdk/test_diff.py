"""`hprof diff` tells a change from chance: pairs of draws from one program show one in at most one of twenty, and a planted one is
found. No JVM takes part; the draws are always the same.

SPDX-License-Identifier: Apache-2.0
"""
import random
import subprocess

SAMPLES, PAIRS, METHODS = 20000, 60, 200
TIMEOUT_S = 60


def weights(extra):
    """Of the methods: some hot, most rare; `extra` on the third."""
    found = [1 / (i + 1) for i in range(METHODS)]
    scale = (1 - extra) / sum(found)
    found = [w * scale for w in found]
    found[2] += extra
    return found


def draw(rng, path, shares):
    counts = [0] * METHODS
    for method in rng.choices(range(METHODS), shares, k=SAMPLES):
        counts[method] += 1
    path.write_text("".join("app/Main.run;app/C%d.m %d\n" % (i % 7 * 1000 + i, count) for i, count in enumerate(counts) if count))
    return path


def fails(hprof, before, after, limit):
    done = subprocess.run([hprof, "diff", "--fail-above", limit, "-n", "0", str(before), str(after)], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stderr


def test_what_did_not_change_is_noise(hprof, tmp_path):
    rng = random.Random(20261123)
    same = weights(0)
    found = [fails(hprof, draw(rng, tmp_path / "a.folded", same), draw(rng, tmp_path / "b.folded", same), "0") for _ in range(PAIRS)]
    assert sum(map(bool, found)) <= PAIRS // 20, found


def test_three_percent_more_are_found(hprof, tmp_path):
    rng = random.Random(23)
    for _ in range(10):
        before, after = draw(rng, tmp_path / "a.folded", weights(0)), draw(rng, tmp_path / "b.folded", weights(0.03))
        assert "'app.C2002.m' grew" in fails(hprof, before, after, "1")
        assert not fails(hprof, after, before, "1")
