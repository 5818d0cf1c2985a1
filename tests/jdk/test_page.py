"""The pages of flame graphs, heat maps and the catalogue of events under a mouse and a keyboard: Chromium, driven by npm's playwright-core.

What a page shows by its address alone is in the golden cases page_*. No JVM takes part.
SPDX-License-Identifier: Apache-2.0
"""
import json
import shutil
import subprocess

import pytest

import foreign
from conftest import ROOT

PLAYWRIGHT = "1.49.1"
TIMES = ROOT / "tests/data/jfr/times.jfr"  # a sample each 100 ms: one second of Work.run, one of Work.main alone
TIMEOUT_S = 120
DRIVER = """
const { chromium } = require(process.argv[1]);
(async () => {
  const browser = await chromium.launch({ executablePath: process.argv[2], args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1200, height: 700 } });
  const said = [], found = {}, complaints = [];
  page.on('console', m => complaints.push(m.text()));
  page.on('pageerror', e => complaints.push(String(e)));
  page.on('request', r => { if (r.url() !== 'file://' + process.argv[3]) complaints.push(r.url()); });
  await page.goto('file://' + process.argv[3]);
  const text = selector => page.textContent(selector);
  %s
  console.log(JSON.stringify({ found, complaints }));
  await browser.close();
})().catch(e => { console.error(e); process.exit(1); });
"""


@pytest.fixture
def drive(hprof, tmp_path):
    """Runs a script in the page of a profile; what it put into `found`. The page may neither complain nor ask for anything."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        pytest.skip("the page NOT TESTED under a mouse: no chromium here")
    package = foreign.npm("playwright-core", PLAYWRIGHT)

    def run(name, script, *sources, command="report", folder=tmp_path):
        page = folder / name
        if command:    # else the page is there
            subprocess.run([str(word) for word in (hprof, command, *sources, "-o", page)], check=True, timeout=TIMEOUT_S,
                           stdout=subprocess.DEVNULL)
        said = subprocess.run(["node", "-e", DRIVER % script, package, chromium, page], check=True, stdout=subprocess.PIPE, text=True,
                              timeout=TIMEOUT_S, stdin=subprocess.DEVNULL).stdout
        read = json.loads(said)
        assert read["complaints"] == []
        return read["found"]
    return run


def test_a_range_of_time_is_dragged_typed_and_compared(drive):
    found = drive("x.heatmap.html", """
      const box = await page.locator('#heatmap').boundingBox();
      await page.mouse.move(box.x + 2, box.y + 2); await page.mouse.down();
      await page.mouse.move(box.x + 165, box.y + 115, { steps: 4 }); await page.mouse.up();
      found.dragged = await text('#chosen');
      await page.click('#compare'); found.waiting = await text('#chosen');
      await page.fill('#from', '1'); await page.fill('#to', '1.92'); await page.press('#to', 'Enter');
      found.compared = await text('#chosen'); found.legend = await text('#legend');
      await page.reload(); found.reloaded = await text('#chosen');
      await page.selectOption('#view', 'table'); found.table = await page.locator('tbody tr').allTextContents();
      await page.click('#reset'); found.reset = await text('#chosen');
    """, TIMES)
    assert found["dragged"] == "0 s to 1 s: 10 samples"
    assert found["waiting"] == "choose what is compared with 0 s to 1 s"
    assert found["compared"] == found["reloaded"] == "1 s to 1.920 s: 10 samples; before, 0 s to 1 s: 10 samples"
    assert found["legend"].startswith("more than before")
    assert any("before 100.00%" in row and "-100.00" in row and "test.Work.run" in row for row in found["table"])
    assert found["reset"].startswith("all 1.920 s")


def test_a_range_of_time_is_chosen_without_a_mouse(drive):
    found = drive("x.html", """
      found.hidden = await page.locator('#heat').isHidden();
      await page.keyboard.press('h');
      await page.focus('#cells');
      await page.keyboard.press('Home'); await page.keyboard.press('ArrowRight'); found.cell = await text('#status');
      await page.keyboard.press('Shift+End'); found.chosen = await text('#chosen');
      await page.keyboard.press('x'); await page.keyboard.press('Home'); await page.keyboard.press('Enter');
      found.compared = await text('#chosen');
      await page.keyboard.press('a'); found.all = await text('#chosen');
      found.unnamed = await page.evaluate(() => [...document.querySelectorAll('button, input, select, [tabindex]')]
        .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label'))).map(e => e.id));
    """, TIMES)
    assert found["hidden"] and found["cell"].startswith("0.200 s, 2023-11-14T22:13:20.20")
    assert found["chosen"] == "0.200 s to 1.920 s: 18 samples"
    assert found["compared"] == "0 s to 0.020 s: 1 samples; before, 0.200 s to 1.920 s: 18 samples"
    assert found["all"].startswith("all 1.920 s") and found["unnamed"] == []


def test_the_lists_of_a_comparison_say_what_was_before(drive, tmp_path):
    (tmp_path / "a.folded").write_text("app/Main.run;app/A.hot 60\napp/Main.run;app/B.cold 40\n")
    (tmp_path / "b.folded").write_text("app/Main.run;app/A.hot 30\napp/Main.run;app/B.cold 20\n")
    script = """
      await page.selectOption('#view', 'table'); found.table = await page.locator('tbody tr').allTextContents();
      await page.selectOption('#view', 'tree'); found.tree = await page.locator('[role=treeitem] > span').allTextContents();
    """
    sources = ["-n", "0", tmp_path / "a.folded", tmp_path / "b.folded"]
    found = drive("same.html", script, *sources, command="diff")
    assert any("before 60.00%" in row and "+0.00" in row and "app.A.hot" in row for row in found["table"])
    found = drive("less.html", script, "--absolute", *sources, command="diff")
    assert any(row.startswith("30.00%before 60.00%") and "-30.00" in row for row in found["table"])
    assert any("50.00%" in row and "before 100.00%, -50.00 points" in row for row in found["tree"])


def test_the_catalogue_of_events_is_searched_by_what_fields_say(drive):
    found = drive("events.html", """
      await page.fill('#search', 'so_timeout without limit');
      found.events = await page.locator('details:visible summary b').allTextContents();
      await page.click('details:visible summary');
      found.heads = await page.locator('details[open] table:first-of-type th').allTextContents();
      found.row = await page.locator('details[open] tr', { hasText: 'SO_TIMEOUT' }).locator('td').allTextContents();
      await page.fill('#search', 'CPUTimeSamplesLost'); await page.click('details:visible summary');
      found.facts = await page.locator('details:visible p').first().textContent();
    """, "events", command="jfr")
    assert found["events"] == ["jdk.SocketRead"]
    assert found["heads"][:5] == ["name", "type", "label", "what it says", "JDK"]
    assert found["row"] == ["timeout", "duration", "Timeout Value", "SO_TIMEOUT, how long a read may take; 0 is without limit.", ""]
    assert found["facts"].endswith("JDK 25 and later · experimental")
