"""The pages of flame graphs, heat maps and the catalogue of events under a mouse and a keyboard: Chromium, driven by npm's playwright-core.

What a page shows by its address alone is in the golden cases page_*. No JVM takes part.
SPDX-License-Identifier: Apache-2.0
"""
import gzip
import json
import re
import shutil
import subprocess

import pytest

import foreign
from conftest import ROOT

PLAYWRIGHT = "1.49.1"
TIMES = ROOT / "tests/data/jfr/times.jfr"  # a sample each 100 ms: one second of Work.run, one of Work.main alone
TIMEOUT_S = 120
TIME_OF_DAY = re.compile(r" \(\d\d:\d\d:\d\d to \d\d:\d\d:\d\d\)")    # as the reader's clock has it
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
        said = subprocess.run([foreign.node(), "-e", DRIVER % script, package, chromium, page], check=True, stdout=subprocess.PIPE, text=True,
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
    assert TIME_OF_DAY.sub("", found["dragged"]) == "0 s to 1 s: 10 samples" and TIME_OF_DAY.search(found["dragged"])
    assert found["waiting"] == "choose what is compared with 0 s to 1 s"
    assert found["compared"] == found["reloaded"]
    assert TIME_OF_DAY.sub("", found["compared"]) == "1 s to 1.920 s: 10 samples; before, 0 s to 1 s: 10 samples"
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
    assert found["hidden"] and found["cell"].startswith("0.200 s, 2023-11-1") and ":20.200 UTC" in found["cell"]
    assert TIME_OF_DAY.sub("", found["chosen"]) == "0.200 s to 1.920 s: 18 samples"
    assert TIME_OF_DAY.sub("", found["compared"]) == "0 s to 0.020 s: 1 samples; before, 0.200 s to 1.920 s: 18 samples"
    assert found["all"].startswith("all 1.920 s") and found["unnamed"] == []


def test_the_heat_map_is_of_the_value_that_is_chosen(drive):
    """Ten waits of 1 ms, then ten of 4 ms: by time the second half is darker, by number both are alike. The range that was chosen stays."""
    script = """
      const look = () => page.evaluate(() => {
        const c = document.getElementById('heatmap'), copy = document.createElement('canvas'), all = new Set();
        copy.width = c.width; copy.height = 110;
        const g = copy.getContext('2d', { willReadFrequently: true });
        g.drawImage(c, 0, 0);
        const data = g.getImageData(0, 0, c.width, 110).data;
        for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60)
          all.add([...data.slice(i, i + 3)].join());
        return all.size;
      });
      found.hidden = await page.locator('#times').isHidden();
      found.time = await look();
      await page.focus('#cells'); await page.keyboard.press('Home'); found.cell = await text('#status');
      await page.fill('#from', '1'); await page.fill('#to', '1.9'); await page.press('#to', 'Enter'); found.range = await text('#chosen');
      await page.selectOption('#value', '1'); found.stays = await text('#chosen'); found.whole = await text('#status');
      await page.focus('#cells'); await page.keyboard.press('Home'); found.other = await text('#status');
      await page.keyboard.press('a'); found.number = await look(); found.all = await text('#status');
      await page.reload(); found.reloaded = await page.locator('#heat').isHidden();
      await page.selectOption('#value', '0'); found.back = await look();
    """
    found = drive("x.heatmap.html", script, ROOT / "tests/data/jfr/enters.jfr")
    assert not found["hidden"] and found["cell"].endswith(": 1.00 ms") and found["other"].endswith(": 1 enters")
    assert TIME_OF_DAY.sub("", found["range"]) == "1 s to 1.900 s: 36.00 ms"
    assert TIME_OF_DAY.sub("", found["stays"]) == "1 s to 1.900 s: 9 enters" and found["whole"].startswith("all (9 enters")
    assert (found["time"], found["number"], found["back"]) == (2, 1, 2) and not found["reloaded"]


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
    assert any(row.endswith("before 100.00%, -50.00 points") and "50.00%" in row for row in found["tree"])
    # Twenty samples fewer of forty may be chance, thirty fewer of sixty are not.
    assert any("-30.00app.A.hot" in row for row in found["table"]) and any("-20.00 noiseapp.B.cold" in row for row in found["table"]), found["table"]


def test_what_may_be_chance_is_drawn_as_if_it_had_not_changed(drive, tmp_path):
    """Two of a hundred samples are noise, two thousand of a hundred thousand are not: those of the frame that grew are red."""
    for times in (1, 1000):
        (tmp_path / "a.folded").write_text("app/A.hot %d\napp/B.cold %d\n" % (50 * times, 50 * times))
        (tmp_path / "b.folded").write_text("app/A.hot %d\napp/B.cold %d\n" % (52 * times, 48 * times))
        found = drive("x%d.html" % times, """
          found.colors = await page.evaluate(() => {
            const c = document.querySelector('#main canvas'), seen = [];
            const column = c.getContext('2d').getImageData(c.width * .4, 0, 1, c.height).data;
            for (let i = 0; i < column.length; i += 4 * 9) if (column[i + 3] === 255) seen.push([...column.slice(i, i + 3)]);
            return seen;
          });
          found.legend = await text('#legend');
          await page.selectOption('#view', 'tree'); found.tree = await page.locator('[role=treeitem] > span').allTextContents();
        """, "-n", "0", tmp_path / "a.folded", tmp_path / "b.folded", command="diff")
        assert "noise" in found["legend"] and len(found["colors"]) > 2
        assert any(red > green + 20 and green == blue for red, green, blue in found["colors"]) == (times > 1), found["colors"]
        assert any("+2.00 points, noise" in row for row in found["tree"]) == (times == 1), found["tree"]


STACKS = """[main tid=1];app/Main.run_[j];app/A.hot_[j];app/Util.fib_[j];app/Util.fib_[i];app/Util.fib_[1] 40
[main tid=1];app/Main.run_[j];app/B.cold_[0];read;vfs_read_[k] 20
[worker tid=2];app/Worker.run_[j];app/A.hot_[j] 30
[worker tid=2];app/Worker.run_[j];app/C.slow_[j] 10
"""
# at(name): moves the mouse over the picture until the page names this frame; canvas(): focuses the picture.
HELPERS = """
  const say = () => text('#status'), hash = () => page.evaluate(() => decodeURIComponent(location.hash));
  const at = async name => {
    const box = await page.locator('#main canvas').first().boundingBox();
    for (let y = box.y + 9; y < box.y + box.height; y += 18) for (let x = box.x + 30; x < box.x + box.width; x += 90) {
      await page.mouse.move(x, y);
      if ((await say()).startsWith(name)) return [x, y];
    }
    throw new Error('no ' + name);
  };
  const matched = async () => { while (!await text('#matched')) await page.waitForTimeout(20); }; /* the page's policy lets no text become a function */
  const canvas = () => page.evaluate(() => document.querySelector('#main').firstElementChild.focus());
  const click = async (key, name) => { const p = await at(name); if (key) await page.keyboard.down(key); await page.mouse.click(...p); if (key) await page.keyboard.up(key); };
"""


@pytest.fixture
def folded(tmp_path):
    path = tmp_path / "x.folded"
    path.write_text(STACKS)
    return path


def test_a_frame_is_zoomed_left_out_and_followed_by_the_mouse(drive, folded):
    found = drive("x.html", HELPERS + """
      await click('', 'app.B.cold'); found.zoomed = await hash(); found.says = await say();
      await page.click('#back'); found.back = await hash();
      await click('Shift', 'app.A.hot'); found.sandwich = [await hash(), await text('#main')];
      await page.selectOption('#view', 'flame');
      await click('Control', 'app.B.cold'); found.left = await hash();
      await page.selectOption('#view', 'table'); found.without = await page.locator('#main tbody tr').allTextContents();
      await page.reload(); found.again = await page.locator('#main tbody tr').allTextContents();
      await page.click('#reset'); found.reset = [await hash(), await page.locator('#main tbody tr').allTextContents()];
      await page.selectOption('#view', 'flame'); await page.selectOption('#thread', { label: 'worker tid=2 40.00%' });
      await page.selectOption('#view', 'table'); found.thread = await page.locator('#main tbody tr').allTextContents();
    """, folded)
    assert found["zoomed"].startswith("#zoom=") and found["says"] == "app.B.cold, interpreted (20 samples, 20.00%)" and found["back"] == ""
    assert found["sandwich"][0] == "#view=sandwich&method=app.A.hot"
    assert "Callers of app.A.hot: 70 samples, 70.00%" in found["sandwich"][1] and "Callees of app.A.hot: 70 samples, 70.00%" in found["sandwich"][1]
    assert found["left"].startswith("#left=") and not any("B.cold" in row for row in found["without"]) and found["again"] == found["without"]
    assert found["reset"][0] == "#view=table" and any("B.cold" in row for row in found["reset"][1])
    assert sorted(row.rsplit("samples")[-1] for row in found["thread"]) == ["app.A.hot", "app.C.slow", "app.Worker.run"]


def test_every_switch_has_a_key(drive, folded):
    """Those of async-profiler's page where both have the function."""
    found = drive("x.html", HELPERS + """
      const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
      await canvas(); found.walk = [];
      for (const key of ['ArrowUp', 'ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowUp']) { await press(key); found.walk.push((await say()).split(/[ ,]/)[0]); }
      await page.evaluate(() => document.addEventListener('copy', e => { window.copied = e.clipboardData.getData('text/plain'); }));
      await press('Control+c'); found.copied = [await page.evaluate(() => window.copied), await say()];
      await press('ArrowUp', 'Enter'); found.zoomed = await hash(); await press('Backspace'); found.back = await hash();
      await press('ArrowUp', 'Delete'); found.left = await hash(); await press('0'); found.reset = await hash();
      for (const key of ['i', 'r', 'c', 't', 'm', 'f']) { await press(key); found[key] = await hash(); }
      await press('i', 'r', 'c', '0');
      await press('Control+f'); await page.keyboard.type('Util|vfs'); await matched();
      found.matched = await text('#matched'); await press('Enter'); found.first = await say(); await canvas();
      await press('n'); found.second = await say(); await press('Shift+N'); found.previous = await say();
      await press('Escape'); found.cleared = [await text('#matched'), await hash()];
      const shade = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = await shade(); await press('d'); found.dark = light !== await shade();
      await press('?'); found.help = await page.locator('dialog[open]').count(); await press('Escape'); found.closed = await page.locator('dialog[open]').count();
      await press('t'); await page.locator('[role=treeitem]').first().focus();
      await press('ArrowDown', 'ArrowRight'); found.tree = await page.locator('[role=treeitem][aria-level="3"] > span').first().textContent();
      await press('p', 'j'); found.parted = await hash();
    """, folded)
    assert found["walk"] == ["app.Main.run", "app.A.hot", "app.B.cold", "app.Main.run", "app.A.hot"]
    assert found["copied"] == ["app.A.hot", "copied: app.A.hot"]
    assert found["zoomed"].startswith("#zoom=") and found["back"] == "" and found["left"].startswith("#left=") and found["reset"] == ""
    assert (found["i"], found["r"], found["c"]) == ("#invert=1", "#invert=1&reverse=1", "#invert=1&reverse=1&merge=1")
    assert (found["t"], found["m"], found["f"]) == tuple(view + found["c"][1:] for view in ("#view=tree&", "#view=table&", "#"))
    assert found["matched"] == "Matched: 60.00%" and found["first"] != found["second"] and found["previous"] == found["first"]
    assert found["cleared"] == ["", ""] and found["dark"] and (found["help"], found["closed"]) == (1, 0)
    assert found["tree"].startswith("app.A.hot") and found["parted"] == "#view=tree&threads=1&tiers=1"


def test_threads_and_ways_to_run_are_together_until_they_are_parted(drive, tmp_path):
    """A method is one frame, whose colour is that of most of it and whose words have the numbers."""
    (tmp_path / "x.folded").write_text("[a tid=1];app/M.run_[0];app/M.hot_[j] 10\n[a tid=1];app/M.run_[j];app/M.hot_[i] 60\n"
                                       "[b tid=2];app/M.run_[0];app/M.hot_[1] 30\n")
    found = drive("x.html", """
      const rows = async () => {
        await page.evaluate(() => { for (let item; (item = document.querySelector('[role=treeitem][aria-expanded=false] > span'));) item.click(); });
        return page.locator('[role=treeitem] > span').allTextContents(); };
      await page.selectOption('#view', 'tree'); found.together = await rows();
      await page.selectOption('#view', 'flame'); await page.focus('.flame');
      await page.keyboard.press('ArrowUp'); found.run = await text('#status'); await page.keyboard.press('ArrowUp'); found.hot = await text('#status');
      await page.keyboard.press('r'); await page.keyboard.press('ArrowDown'); found.reversed = await text('#status'); await page.keyboard.press('r');
      await page.selectOption('#view', 'tree');
      await page.click('#threads'); found.threads = await rows(); await page.click('#threads');
      await page.click('#tiers'); found.tiers = await rows(); found.address = await page.evaluate(() => location.hash);
      await page.reload(); found.again = await rows();
      await page.selectOption('#thread', { label: 'b tid=2 30.00%' }); found.one = await rows();
    """, tmp_path / "x.folded")
    names = {key: [row.split("  ")[0] + " " + row.split("\u00b7 ")[1].split()[0] for row in found[key]] for key in ("together", "threads", "tiers", "one")}
    assert names["together"] == ["all 100", "app.M.run 100", "app.M.hot 100"]
    assert found["run"].startswith("app.M.run, C2 compiled 60.0%, interpreted 40.0% (100 samples")
    assert found["hot"].startswith("app.M.hot, inlined 60.0%, C1 compiled 30.0%, C2 compiled 10.0% (100 samples")
    assert found["reversed"] == found["hot"]
    assert names["threads"] == ["all 100", "a tid=1 70", "app.M.run 70", "app.M.hot 70", "b tid=2 30", "app.M.run 30", "app.M.hot 30"]
    assert names["tiers"] == ["all 100", "app.M.run 60", "app.M.hot 60", "app.M.run 40", "app.M.hot 30", "app.M.hot 10"]
    assert found["address"] == "#view=tree&tiers=1" and found["again"] == found["tiers"] and names["one"] == ["all 30", "app.M.run 30", "app.M.hot 30"]


def test_the_value_is_chosen_in_the_page(drive, tmp_path):
    text = gzip.decompress((ROOT / "tests/data/hprof-golden/sites/java.hprof.txt.gz").read_bytes())
    (tmp_path / "x.txt").write_bytes(text)
    found = drive("x.html", """
      found.values = await page.locator('#value option').allTextContents();
      await page.selectOption('#view', 'table'); found.bytes = await page.locator('tbody tr').first().textContent();
      await page.selectOption('#value', { label: 'objects' });
      found.objects = [await page.locator('tbody tr').first().textContent(), await text('#title'), await page.evaluate(() => location.hash)];
      await page.reload(); found.again = await page.locator('tbody tr').first().textContent();
    """, "-e", "alloc", tmp_path / "x.txt")
    assert found["values"] == ["bytes", "objects", "live bytes", "live objects"]
    assert "MB" in found["bytes"] and "objects" in found["objects"][0] and "allocation sites: " in found["objects"][1]
    assert found["objects"][2] == "#view=table&value=1" and found["again"] == found["objects"][0]


def test_the_page_says_what_it_is_of_and_opens_the_view_of_callers_with_a_method(drive):
    found = drive("x.html", """
      found.title = await text('#title'); found.tab = await page.title();
      await page.selectOption('#view', 'sandwich'); found.view = await text('#main');
    """, ROOT / "tests/data/jfr/build.jfr")
    assert found["title"].startswith("app.Build \u00b7 ") and found["title"].endswith(" \u00b7 build.jfr"), found["title"]
    assert re.search(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC", found["title"]) and "CPU time: " in found["title"] and "build.jfr" in found["tab"]
    assert "Callers of test.Work" in found["view"] and "Callees of test.Work" in found["view"]


def test_the_toolbar_is_one_row_and_long_names_move_nothing_sideways(drive, tmp_path):
    thread = "http-nio-8443-exec-pool-of-the-order-management-service-with-a-name-that-never-ends-" * 4
    (tmp_path / "x.folded").write_text("[%s tid=7];app/%s.run_[j];app/M.hot_[i] 70\n[%s tid=8];app/M.run_[0] 30\n" % (thread, "Long" * 60, thread))
    found = drive("x.html", """
      const measure = async () => page.evaluate(() => [document.querySelector('#tools').getBoundingClientRect().height, document.documentElement.scrollWidth - innerWidth]);
      await page.setViewportSize({ width: 1300, height: 700 });
      await page.fill('#search', 'hot'); while (!await text('#matched')) await page.waitForTimeout(20);
      for (const id of ['times', 'source', 'value']) await page.evaluate(id => { document.getElementById(id).hidden = false; }, id);
      found.hidden = await page.locator('#tools button:visible').count();
      found.wide = {};
      for (const view of ['flame', 'tree', 'table', 'sandwich']) { await page.selectOption('#view', view); found.wide[view] = await measure(); }
      found.row = (await page.locator('#search').boundingBox()).height;
      await page.setViewportSize({ width: 400, height: 800 }); found.narrow = {};
      for (const view of ['flame', 'tree', 'table', 'sandwich']) { await page.selectOption('#view', view); found.narrow[view] = await measure(); }
    """, tmp_path / "x.folded")
    assert found["hidden"] >= 14
    assert all(height < 1.5 * found["row"] and over <= 0 for height, over in found["wide"].values()), found
    assert all(over <= 0 for _, over in found["narrow"].values()), found["narrow"]


def test_a_comparison_names_both_files_and_shows_what_is_gone(drive, tmp_path):
    (tmp_path / "a.folded").write_text("app/Main.run;app/Gone.away 4000\napp/Main.run;app/B.same 5000\napp/Main.run;app/A.less 1000\n")
    (tmp_path / "b.folded").write_text("app/Main.run;app/New.come 3000\napp/Main.run;app/B.same 5000\napp/Main.run;app/A.less 900\n")
    script = HELPERS + """
      found.title = await text('#title'); found.verdict = await text('#verdict');
      await page.selectOption('#view', 'table'); found.rows = await page.locator('#main tbody tr').allTextContents();
      await page.selectOption('#view', 'flame');
      const drawn = async () => { const seen = new Set(); const box = await page.locator('#main canvas').first().boundingBox();
        for (let y = box.y + 9; y < box.y + box.height; y += 18) for (let x = box.x + 15; x < box.x + box.width; x += 30) { await page.mouse.move(x, y); seen.add((await say()).split(/[ ,]/)[0]); }
        return [...seen].sort(); };
      found.now = await drawn(); await page.click('#old'); found.before = await drawn(); found.address = await hash();
      await at('app.Gone.away'); found.gone = await say();
    """
    found = drive("x.html", script, "-n", "0", tmp_path / "a.folded", tmp_path / "b.folded", command="diff")
    assert found["title"].endswith("b.folded against a.folded")
    assert found["verdict"].startswith("3 methods changed beyond chance; 1 of them has vanished"), found["verdict"]
    assert len(found["rows"]) == 5 and "goneapp.Gone.away" in found["rows"][0] and "newapp.New.come" in found["rows"][1], found["rows"]
    assert "app.Gone.away" not in found["now"] and "app.New.come" in found["now"]
    assert "app.Gone.away" in found["before"] and "app.New.come" not in found["before"] and found["address"] == "#old=1"
    assert found["gone"] == "app.Gone.away (0 samples, 0.00%; before 40.00%, -40.00 points, gone)"
    found = drive("y.html", "found.verdict = await text('#verdict');", "-n", "0", tmp_path / "a.folded", tmp_path / "a.folded", command="diff")
    assert found["verdict"].startswith("nothing changed beyond chance")


def test_the_page_fits_a_telephone_and_a_wall_and_tells_what_its_parts_are(drive, folded):
    found = drive("x.html", HELPERS + """
      found.wide = {};
      for (const [width, height] of [[400, 800], [3840, 2160]]) for (const view of ['flame', 'tree', 'table']) {
        await page.setViewportSize({ width, height }); await page.selectOption('#view', view);
        found.wide[width + view] = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      }
      await page.selectOption('#view', 'flame');
      found.canvas = await page.evaluate(() => document.querySelector('#main canvas').clientWidth);
      const parts = (node, out) => { out.push(node.role + ': ' + node.name); for (const child of node.children || []) parts(child, out); return out; };
      found.parts = parts(await page.accessibility.snapshot(), []);
      await page.selectOption('#view', 'tree'); found.tree = parts(await page.accessibility.snapshot(), []).filter(part => part.startsWith('tree'));
      await page.emulateMedia({ media: 'print' }); found.printed = await page.locator('#search').isVisible();
    """, folded)
    assert all(over <= 0 for over in found["wide"].values()), found["wide"]
    assert 3800 < found["canvas"] <= 3840 and not found["printed"]
    assert "application: flame graph; arrow keys go from frame to frame" in found["parts"]
    assert not [part for part in found["parts"] if part.startswith(("button: ", "combobox: ", "searchbox: ")) and not part.split(": ")[1]]
    assert found["tree"][0] == "tree: call tree" and found["tree"][1].startswith("treeitem: all 100.00%"), found["tree"]


def test_half_a_million_frames_are_drawn_zoomed_and_searched(drive, tmp_path):
    """No two of one name, some stacks with thousands of them."""
    with open(str(tmp_path / "many.folded"), "w", encoding="utf-8") as out:
        for stack in range(2450):
            out.write(";".join("app/C%d.m%d" % (stack, frame) for frame in range(200)) + " %d\n" % (1 + stack % 7))
        out.write(";".join("app/Deep.m%d" % frame for frame in range(10000)) + " 5000\n")
    found = drive("many.html", HELPERS + """
      found.frames = await page.evaluate(() => JSON.parse(document.querySelector('#data').textContent).frames.length);
      const inked = () => page.evaluate(() => { const c = document.querySelector('#main canvas'), row = c.getContext('2d').getImageData(0, c.height - 10, c.width, 1).data;
        let count = 0; for (let i = 3; i < row.length; i += 4) count += row[i] > 0; return count / c.width; });
      found.drawn = await inked();
      await canvas(); await page.keyboard.press('ArrowUp'); await page.keyboard.press('Enter'); found.zoomed = [await hash(), await inked()];
      found.height = await page.evaluate(() => document.querySelector('#main canvas').height);
      await page.keyboard.press('0'); await page.fill('#search', 'Deep.m9999');
      await matched(); found.matched = await text('#matched');
    """, tmp_path / "many.folded")
    assert found["frames"] >= 500000 and found["drawn"] > 0.9 and found["zoomed"][0].startswith("#zoom=") and found["zoomed"][1] > 0.9
    assert found["height"] < 5000 and float(found["matched"].split()[1].rstrip("%")) > 10, found


def test_the_catalogue_of_events_is_searched_by_what_fields_say(drive):
    found = drive("events.html", """
      await page.fill('#search', 'so_timeout without limit');
      found.events = await page.locator('details:visible summary b').allTextContents();
      await page.click('details:visible summary'); await page.locator('details[open] table').first().waitFor();
      found.heads = await page.locator('details[open] table:first-of-type th').allTextContents();
      found.row = await page.locator('details[open] tr', { hasText: 'SO_TIMEOUT' }).locator('td').allTextContents();
      await page.fill('#search', 'CPUTimeSamplesLost'); await page.click('details:visible summary');
      found.facts = await page.locator('details:visible p').first().textContent();
    """, "events", command="jfr")
    assert found["events"] == ["jdk.SocketRead"]
    assert found["heads"][:5] == ["name", "type", "label", "what it says", "JDK"]
    assert found["row"] == ["timeout", "duration", "Timeout Value", "SO_TIMEOUT, how long a read may take; 0 is without limit.", ""]
    assert found["facts"].endswith("JDK 25 and later · experimental")
