"""The page of a heap under a mouse and a keyboard, as a file and as `hprof view` serves it: Chromium, driven by npm's playwright-core.

The dumps are made by the test, with names that do harm where a page takes them for markup. No JVM takes part.
SPDX-License-Identifier: Apache-2.0
"""
import http.client
import json
import re
import shutil
import subprocess
import urllib.parse

import pytest

import foreign
from heapfile import INT, OBJECT, HeapFile

PLAYWRIGHT = "1.49.1"
TIMEOUT_S = 120
PAGE_MOST = 5000000
CANARY = "<img src=x onerror=document.title='harm'>"
DRIVER = """
const { chromium } = require(process.argv[1]);
(async () => {
  const browser = await chromium.launch({ executablePath: process.argv[2], args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1300, height: 800 } });
  const found = {}, complaints = [], address = process.argv[3];
  page.on('console', m => complaints.push(m.text()));
  page.on('pageerror', e => complaints.push(String(e)));
  page.on('request', r => { const u = r.url().split('#')[0]; if (u !== address && !u.startsWith(address + 'ask?')) complaints.push(u); });
  await page.goto(address);
  const text = selector => page.textContent(selector), texts = selector => page.locator(selector).allTextContents();
  /* The page's policy lets no text become a function, so waitForFunction() cannot be used. */
  const until = async is => { for (let i = 0; !await is(); i++) { if (i > 500) throw new Error('waited in vain: ' + is); await page.waitForTimeout(20); } };
  const shown = () => page.evaluate(() => document.body.dataset.shown);
  const view = async hash => { await page.evaluate(h => { location.hash = h; }, hash); await until(async () => await shown() === '#' + hash); };
  const settle = () => page.waitForTimeout(100);
  %s
  console.log(JSON.stringify({ found, complaints }));
  await browser.close();
})().catch(e => { console.error(e); process.exit(1); });
"""


@pytest.fixture
def drive():
    """drive(address, script): what the script put into `found`. The page may neither complain nor ask for anything but its server."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        pytest.skip("the page of a heap NOT TESTED under a mouse: no chromium here")
    package = foreign.npm("playwright-core", PLAYWRIGHT)

    def run(address, script, complains=False):
        said = subprocess.run([foreign.node(), "-e", DRIVER % script, package, chromium, address], check=True, stdout=subprocess.PIPE, text=True,
                              timeout=TIMEOUT_S, stdin=subprocess.DEVNULL).stdout
        read = json.loads(said)
        assert complains or read["complaints"] == []
        return read["found"]
    return run


@pytest.fixture
def dump(tmp_path):
    """A cache that holds most, a list of 300 names, a thread; each kind of name has a canary."""
    path = tmp_path / "x.hprof"
    heap = HeapFile(path)
    entry = heap.klass("app/Entry", fields=[("key", OBJECT), (CANARY + "field", OBJECT), ("number", INT)])
    entries = heap.klass("[Lapp/Entry;")
    names = heap.klass("[Ljava/lang/String;")
    harm = heap.klass("app/" + CANARY + "Class", fields=[("held", OBJECT)])
    rows = [heap.instance(entry, heap.string("key %d %s" % (i, CANARY)), heap.bytes(b"\0" * 100 * (i + 1)), i) for i in range(40)]
    table = heap.array(entries, rows)
    cache = heap.instance(harm, table)
    heap.sticky(heap.klass("app/Main", statics=[(CANARY + "static", OBJECT, cache), ("OTHER", OBJECT, 0)]))
    text = heap.string("one text")
    heap.root(text)
    listed = heap.array(names, [heap.string("name") for _ in range(300)])
    heap.root(listed)
    heap.thread(CANARY + "thread", 1)
    heap.end()
    return {"path": path, "cache": cache, "listed": listed, "rows": rows, "entries": table, "text": text}


@pytest.fixture
def page(hprof, dump, tmp_path):
    def make(*options, source=None):
        path = tmp_path / "x.html"
        path.unlink(missing_ok=True)
        subprocess.run([hprof, "heap", *options, source or dump["path"], "-o", path], check=True, timeout=TIMEOUT_S)
        return path
    return make


@pytest.fixture
def serve(hprof, dump):
    """serve(*options): the address that `hprof view` prints."""
    children = []

    def start(*options):
        child = subprocess.Popen([str(word) for word in (hprof, "view", "--no-open", *options, dump["path"])], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        children.append(child)
        return child.stdout.readline().strip()
    yield start
    for child in children:
        child.kill()
        child.communicate()


def ask(address, query, path=None, **fields):
    parts = urllib.parse.urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=TIMEOUT_S)
    connection.request("GET", path or parts.path + "ask?" + urllib.parse.urlencode(query), headers=fields)
    answer = connection.getresponse()
    return answer.status, answer.headers["Content-Type"], answer.read().decode()


def test_names_of_a_dump_are_texts_and_contents_stay_in_it(drive, page):
    path = page()
    written = path.read_text()
    assert "<img" not in written and "key 7" not in written and '"text":' not in written
    found = drive("file://%s" % path, """
      found.texts = '';
      for (const a of await page.locator('nav a').all()) { await view((await a.getAttribute('href')).slice(1)); found.texts += await text('main'); }
      found.images = await page.locator('img').count(); found.title = await page.title();
    """)
    assert found["images"] == 0 and found["title"] != "harm"
    assert "app." + CANARY + "Class" in found["texts"] and CANARY + "thread" in found["texts"] and "static field " + CANARY + "static" in found["texts"]
    values = page("--values").read_text()
    assert "<img" not in values and '"text":"name"' in values


def test_the_summary_says_what_holds_it(drive, page):
    found = drive("file://%s" % page(), """
      found.holders = await texts('.holders li'); found.cards = await texts('.cards a'); found.text = await text('main');
    """)
    assert "class app.Main" in found["holders"][0] and "root: system class" in found["holders"][0]
    assert "most of it is in app.Entry[]" in found["holders"][0]
    assert any(card.endswith("copies of strings") for card in found["cards"])
    assert "2 suspects retain a tenth" in found["text"] and "Map and tree have all objects." in found["text"]


def test_the_map_zooms_by_mouse_and_keyboard_and_searches(drive, page, dump):
    found = drive("file://%s" % page(), """
      const hash = () => page.evaluate(() => decodeURIComponent(location.hash));
      await view('view=map');
      for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
      found.walk = await text('#status');
      await page.keyboard.press('Enter'); await settle(); found.zoomed = await hash(); found.crumbs = await text('#crumbs');
      await page.keyboard.press('Backspace'); await settle(); found.out = await hash();
      await page.keyboard.press('['); await settle(); found.back = await hash();
      await view('view=map');
      const box = await page.locator('#map').boundingBox();
      await page.mouse.click(box.x + 30, box.y + 100); await settle(); found.clicked = await hash();
      await page.keyboard.press('o'); await settle(); found.object = await hash(); found.of = await text('h2');
      await view('view=map');
      await page.keyboard.press('/'); await page.keyboard.type('^app.Entry$'); await until(async () => /objects, /.test((await text('.bar')).split('%').slice(1).join()));
      found.matched = await text('.bar');
      await page.fill('.filter', '('); await page.waitForTimeout(300); found.wrong = await text('.bar');
    """)
    assert found["walk"].startswith("app.Entry[], ") and "own size" in found["walk"]
    assert found["zoomed"] == "#view=map&zoom=0x%x" % dump["entries"] and "app.Entry[]" in found["crumbs"]
    assert found["out"] == "#view=map&zoom=0x%x" % dump["cache"] and found["back"] == found["zoomed"]
    assert found["clicked"].startswith("#view=map&zoom=0x")
    assert found["object"].startswith("#object=0x") and "0x" in found["of"]
    assert "40 objects" in found["matched"] and "not a regular expression" in found["wrong"]


def test_the_tree_unfolds_and_tables_sort(drive, page):
    found = drive("file://%s" % page(), """
      await view('view=tree');
      await page.locator('[role=treeitem]').first().focus(); await page.keyboard.press('ArrowRight'); await settle();
      found.rows = (await texts('[role=treeitem]')).slice(0, 5);
      found.levels = await page.locator('[role=treeitem]').evaluateAll(l => l.slice(0, 5).map(e => e.getAttribute('aria-level')));
      await page.keyboard.press('ArrowLeft'); found.folded = await page.locator('[role=treeitem]').nth(1).getAttribute('aria-level');
      await view('view=classes');
      const column = n => page.locator('main tbody tr td:nth-child(' + n + ')').allTextContents();
      await page.click('main th:nth-child(1) button'); found.objects = await column(1);
      await page.click('main th:nth-child(1) button'); found.turned = await column(1); found.sort = await page.locator('main th').first().getAttribute('aria-sort');
      await view('view=strings'); found.strings = await text('main');
    """)
    assert "class app.Main" in found["rows"][0] and found["levels"][:3] == ["1", "2", "3"] and "app.Entry[]" in found["rows"][2]
    assert found["folded"] == "1"
    numbers = [int(n.replace(",", "")) for n in found["objects"]]
    assert numbers == sorted(numbers, reverse=True) and numbers[0] >= 300
    assert [int(n.replace(",", "")) for n in found["turned"]] == sorted(numbers) and found["sort"] == "ascending"
    assert "299" in found["strings"] or "300" in found["strings"]


def test_a_link_to_an_object_leads_to_it_and_says_what_to_type(drive, page, dump):
    found = drive("file://%s#object=0x%x" % (page(), dump["rows"][39]), """
      found.text = await text('main'); found.codes = await texts('code');
      await page.locator('.path a', { hasText: 'Entry[]' }).click(); await settle(); found.above = await text('h2');
      await page.click('#back'); await settle(); found.back = await text('h2');
      await view('object=0x123456789'); found.unknown = await text('main');
    """, complains=True)
    assert found["text"].startswith("app.Entry") and "Held by, from the roots down" in found["text"]
    assert any("show 0x%x" % dump["rows"][39] in code for code in found["codes"])
    assert found["above"].startswith("app.Entry[]") and found["back"].startswith("app.Entry ")
    assert "does not have this object" in found["unknown"]


def test_the_page_is_small_whatever_the_names_and_the_number_of_objects(page, tmp_path):
    path = tmp_path / "large.hprof"
    heap = HeapFile(path)
    holder = heap.klass("[Ljava/lang/Object;")
    objects = []
    for i in range(3000):
        klass = heap.klass("app/%s%d" % ("L" * 3000, i), fields=[("a", OBJECT)])
        objects += [heap.instance(klass, heap.bytes(b"x" * (10 + j))) for j in range(30)]
    heap.root(heap.array(holder, objects))
    heap.end()
    written = page(source=path).read_bytes()
    assert len(written) <= PAGE_MOST
    data = json.loads(re.search(rb'<script type="application/json" id="data">(.*?)</script>', written, re.S)[1])
    assert 0 < data["rows"]["histo"] < 500 and len(data["answers"]["histo"]["rows"]) == data["rows"]["histo"]
    tree = data["tree"]
    assert tree["least"] > 1 and 100 < len(tree["depth"]) < data["reachable"]
    holds = tree["retained"].index(max(tree["retained"][1:]), 1)
    children = [i for i in range(holds + 1, len(tree["depth"])) if tree["depth"][i] == tree["depth"][holds] + 1]
    groups = tree["groups"][holds]
    assert len(children) + sum(groups[1::3]) == tree["children"][holds] == 90000
    assert tree["own"][holds] + sum(tree["retained"][i] for i in children) + sum(groups[2::3]) == tree["retained"][holds]


def test_the_server_answers_what_the_command_does(serve, hprof, dump):
    address = serve()

    def told(question, *more):
        return subprocess.run([hprof, "heap", "--json", dump["path"], question, *more], check=True, timeout=TIMEOUT_S, stdout=subprocess.PIPE, text=True).stdout
    cache = "0x%x" % dump["cache"]
    for question in ("show", "path", "tree"):
        assert ask(address, {"q": question, "id": cache}) == (200, "application/json", told(question, cache)), question
    # The command computes no dominators for this question, the server has them.
    status, _, said = ask(address, {"q": "referrers", "id": cache})
    assert status == 200 and [row["id"] for row in json.loads(said)["rows"]] == [row["id"] for row in json.loads(told("referrers", cache))["rows"]]
    assert ask(address, {"q": "strings", "n": 5})[2] == told("strings", "-n5")
    rows = [json.loads(ask(address, {"q": "show", "id": "%x" % dump["listed"], "n": 100, "from": start})[2]) for start in (0, 100, 299, 300)]
    first, second, last, none = (list(row.values())[-1] for row in rows)
    assert (len(first), len(second), len(last), len(none)) == (100, 100, 1, 0) and first[0]["id"] != second[0]["id"]
    whole = json.loads(ask(address, {"q": "tree", "id": "%x" % dump["entries"], "n": 100})[2])["rows"]
    assert json.loads(ask(address, {"q": "tree", "id": "%x" % dump["entries"], "n": 10, "from": 5})[2])["rows"] == whole[5:15]


def test_a_request_that_makes_no_sense_gets_one_line(serve, dump):
    address = serve()
    cache = "0x%x" % dump["cache"]
    for query, status, why in (({}, 400, "no such question"), ({"q": "diff"}, 400, "no such question"), ({"q": "show"}, 400, "about an object"),
                               ({"q": "show", "id": "zz"}, 400, "no id"), ({"q": "show", "id": "-1"}, 400, "no id"),
                               ({"q": "show", "id": "0x77"}, 404, "no object with the id 0x77"), ({"q": "tree", "id": cache, "n": 0}, 400, "n is no number"),
                               ({"q": "tree", "id": cache, "n": 10001}, 400, "n is no number"), ({"q": "tree", "id": cache, "from": "x"}, 400, "from is no number"),
                               ({"q": "show", "id": "1" * 40}, 400, "")):
        got, kind, text = ask(address, query)
        assert (got, kind) == (status, "text/plain; charset=utf-8") and why in text and text.count("\n") == 1, (query, got, text)


def test_the_guards_of_view_stand_before_the_heap(serve, dump):
    address = serve()
    query = {"q": "show", "id": "0x%x" % dump["cache"]}
    assert ask(address, query, Host="evil.example")[0] == 403
    assert ask(address, query, path="/ask?q=show&id=0x%x" % dump["cache"])[0] == 404
    wrong = urllib.parse.urlsplit(address).path[:-2] + "0/ask?q=tree", urllib.parse.urlsplit(address).path[:-2] + "1/ask?q=tree"
    assert [ask(address, {}, path=path)[0] for path in wrong].count(404) >= 1
    page = ask(address, {}, path=urllib.parse.urlsplit(address).path)[2]
    assert "connect-src 'self'" in page and "default-src 'none'" in page and "key 7" not in page


def test_every_object_is_reached_in_the_browser(drive, serve, dump):
    found = drive(serve("--values"), r"""
      const click = async name => { await page.locator('main a', { hasText: name }).first().click(); await settle(); };
      await view('view=tree'); await page.waitForSelector('[role=treeitem]');
      await page.locator('[role=treeitem] a').first().click(); await page.waitForSelector('h2'); await settle();
      found.first = await text('h2');
      await view('object=0x%x'); found.fields = await text('section');
      await page.keyboard.press('r'); await until(async () => /\d reference/.test(await text('main')));
      await page.keyboard.press('p'); await until(async () => (await text('main')).includes('root: '));
      found.all = await text('main');
      await view('object=0x%x'); const elements = page.locator('section', { hasText: 'Elements' }).locator('tr'); found.elements = await elements.count();
      for (let n = 20; n < 300; n = await elements.count()) { await page.locator('section', { hasText: 'Elements' }).locator('button').click(); await until(async () => await elements.count() > n); }
      found.whole = await elements.count();
      await view('object=0x%x'); found.string = await text('main');
      await page.goBack(); await settle(); found.back = await text('h2');
      await view('object=0x77'); found.unknown = await text('main');
      await view('view=summary'); found.summary = await text('main');
      await view('view=strings'); found.strings = await text('main');
      found.images = await page.locator('img').count();
    """ % (dump["rows"][7], dump["listed"], dump["text"]), complains=True)
    assert found["first"].startswith("class app.Main")
    assert CANARY + "field" in found["fields"] and "key" in found["fields"] and "byte[] of 800" in found["fields"]
    assert "1 reference" in found["all"] and "element" in found["all"] and "root: system class" in found["all"]
    assert found["elements"] == 20 and found["whole"] == 300
    assert '"one text"' in found["string"] and found["back"].startswith("java.lang.String[]") and found["images"] == 0
    assert "the dump has no object with the id 0x77" in found["unknown"]
    assert "takes a while to find" in found["summary"] and "299 are copies of others" in found["strings"]


def test_a_profile_in_the_file_is_named_and_shown_when_it_is_asked_for(hprof, tmp_path, dump):
    """A file of the agent may have both."""
    whole = dump["path"].read_bytes()
    sample = b"\x0d" + b"\0" * 4 + (24).to_bytes(4, "big")    # CPU SAMPLES: of a trace that is in front
    trace = b"\x05" + b"\0" * 4 + (12).to_bytes(4, "big") + (300).to_bytes(4, "big") + (1).to_bytes(4, "big") + (0).to_bytes(4, "big")
    sample = b"\x0d" + b"\0" * 4 + (16).to_bytes(4, "big") + (5).to_bytes(4, "big") + (1).to_bytes(4, "big") + (5).to_bytes(4, "big") + (300).to_bytes(4, "big")
    path = tmp_path / "both.hprof"
    path.write_bytes(whole + trace + sample)
    for options, kind in (((), "heap"), (("-e", "cpu"), "flame")):
        child = subprocess.Popen([hprof, "view", "--no-open", *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        address = child.stdout.readline().strip()
        page = ask(address, {}, path=urllib.parse.urlsplit(address).path)[2]
        child.terminate()
        said = child.communicate()[1]
        assert ("reachable_bytes" in page) == (kind == "heap"), options
        assert ("the heap is shown; the file also has cpu: -e cpu shows that" in said) == (kind == "heap"), said
