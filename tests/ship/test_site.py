"""make site: every document has its place, no link leads nowhere, and a browser needs no network for the pages and their search.

SPDX-License-Identifier: Apache-2.0
"""
import importlib
import json
import re
import shutil
import sys

import pytest

from conftest import BUILD_S, ROOT, said

PLAYWRIGHT = "1.49.1"
DRIVER = """
const { chromium } = require(process.argv[1]);
(async () => {
  const browser = await chromium.launch({ executablePath: process.argv[2], args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  const complaints = [];
  page.on('console', m => { if (m.type() == 'error') complaints.push(m.text()); });
  page.on('pageerror', e => complaints.push(String(e)));
  page.on('request', r => { if (!/^(file:|data:|blob:|about:)/.test(r.url())) complaints.push(r.url()); });
  await page.goto('file://' + process.argv[3] + '/docs/faq.html');
  await page.click('.md-search__input');
  await page.type('.md-search__input', 'jdk.FileRead');
  await page.waitForSelector('.md-search-result__link');
  const found = await page.$$eval('.md-search-result__link', links => links.map(link => link.href));
  await page.goto(found[0]);
  const title = await page.title();
  console.log(JSON.stringify({ found, title, complaints }));
  await browser.close();
})().catch(e => { console.error(e); process.exit(1); });
"""


@pytest.fixture(scope="module")
def modules():
    """tools/site/pages.py and links.py."""
    sys.path.insert(0, str(ROOT / "tools/site"))
    yield importlib.import_module("pages"), importlib.import_module("links")
    sys.path.remove(str(ROOT / "tools/site"))


def test_every_document_has_one_place_in_the_navigation(modules):
    modules[0].check_navigation()


def test_a_document_without_a_place_is_found(modules, monkeypatch, tmp_path):
    pages = modules[0]
    text = pages.NAVIGATION.read_text()
    for changed, complaint in ((text.replace("  docs/faq.md\n", ""), "docs/faq.md has no place"), (text + "  docs/gone.md\n", "docs/gone.md is named, but not there"),
                               (text + "  docs/faq.md\n", "docs/faq.md is named twice"), (text + "      docs/x.md\n", "indented too far")):
        (tmp_path / "navigation").write_text(changed)
        monkeypatch.setattr(pages, "NAVIGATION", tmp_path / "navigation")
        with pytest.raises(pages.PageError, match=re.escape(complaint)):
            pages.check_navigation()


GOOD = '<link rel="stylesheet" href="a.css"><h1 id="top">x</h1><a href="b.html#there">b</a><a href="#top">t</a><a href="https://a.example/">out</a><img src="p.png">'


def make_site(folder, index=GOOD, style="p { background: url(p.png) }", script="f('http://www.w3.org/2000/svg')"):
    folder.mkdir()
    for name, text in (("index.html", index), ("b.html", '<p id="there">'), ("a.css", style), ("p.png", ""), ("a.js", script)):
        (folder / name).write_text(text)
    return folder


def test_a_good_site_has_no_findings_and_its_external_links_are_listed(modules, tmp_path):
    assert modules[1].check(make_site(tmp_path / "site")) == ([], [("index.html", "https://a.example/")])


@pytest.mark.parametrize("change, finding", [
    ({"index": GOOD.replace("b.html#", "c.html#")}, "the link c.html#there leads nowhere"),
    ({"index": GOOD.replace("#there", "#nowhere")}, "b.html has no anchor nowhere"),
    ({"index": GOOD.replace("#top", "#bottom")}, "index.html has no anchor bottom"),
    ({"index": GOOD.replace("b.html#there", "../index.html")}, "the link ../index.html leads nowhere"),
    ({"index": GOOD.replace("p.png", "q.png")}, "q.png is not there"),
    ({"index": GOOD.replace('"p.png"', '"//a.example/p.png"')}, "//a.example/p.png would be loaded from elsewhere"),
    ({"index": GOOD.replace('"a.css"', '"https://a.example/a.css"')}, "https://a.example/a.css would be loaded from elsewhere"),
    ({"index": GOOD + '<style>@import "https://a.example/b.css";</style>'}, "https://a.example/b.css would be loaded from elsewhere"),
    ({"style": "@font-face { src: url('https://a.example/f.woff') }"}, "https://a.example/f.woff would be loaded"),
    ({"script": 'load("https://a.example/x.js")'}, "https://a.example/x.js could be loaded"),
])
def test_what_is_wrong_in_a_site_is_found(modules, tmp_path, change, finding):
    wrong, _ = modules[1].check(make_site(tmp_path / "site", **change))
    assert finding in [what for _, what in wrong]


@pytest.fixture(scope="module")
def site(build, tmp_path_factory):
    if not shutil.which("mandoc"):
        pytest.skip("no mandoc here; make test-all installs it")
    folder = tmp_path_factory.mktemp("site") / "site"
    said(ROOT / "tools/site/build", build, folder, timeout=BUILD_S)
    return folder


@pytest.mark.slow
def test_the_site_has_all_pages(site, modules):
    pages = modules[0]
    for path in pages.documents():
        page = "index.html" if path == "README.md" else path.replace("README.md", "index.md").replace(".md", "") + ".html"
        text = (site / page).read_text()
        assert "<h1" in text and len(text) > 1000, page
    assert "<h3" in (site / "docs/man/hprof-stat.1.html").read_text()
    catalogue = (site / "docs/jfr-events/index.html").read_text()
    assert len(re.findall(r">jdk\.\w+</a>", catalogue)) > 150
    assert "public class Slow" in re.sub(r"<[^>]*>", "", (site / "examples/guides/Slow.java.html").read_text())


@pytest.mark.slow
def test_two_sites_of_one_tree_are_alike(site, build, tmp_path):
    said(ROOT / "tools/site/build", build, tmp_path / "again", timeout=BUILD_S)
    one, other = [{str(path.relative_to(top)): path.read_bytes() for path in top.rglob("*") if path.is_file()} for top in (site, tmp_path / "again")]
    assert sorted(one) == sorted(other) and [name for name in one if one[name] != other[name]] == []


@pytest.mark.slow
def test_pages_and_search_work_from_a_disk_without_a_network(site, modules):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        pytest.skip("no chromium here; tools/bootstrap test installs it")
    sys.path.append(str(ROOT / "tests/jdk"))
    import foreign
    read = json.loads(said(foreign.node(), "-e", DRIVER, foreign.npm("playwright-core", PLAYWRIGHT), chromium, site))
    assert read["complaints"] == []
    assert any("jfr-events/" in address and "jdkfileread" in address for address in read["found"]), read
    assert read["title"].endswith(" - hprof")
