"""links - reads a finished site as a browser would, and says what leads nowhere and what would be loaded from elsewhere.

SPDX-License-Identifier: Apache-2.0
"""
import html.parser
import os
import pathlib
import re
import urllib.parse

ELSEWHERE = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.I)
# Names of XML's languages are written as addresses, and nobody asks for them.
NAMES_OF_LANGUAGES = "http://www.w3.org/"
LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "audio": "src", "video": "src", "embed": "src", "object": "data", "link": "href"}


class Page(html.parser.HTMLParser):
    """The anchors of a page, where it leads, and what it loads."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.anchors, self.leads, self.loads = set(), [], []
        self.in_style = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.in_style = tag == "style"
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href") is not None:
            self.leads.append(values["href"])
        if values.get(LOADS.get(tag, "")) is not None and values.get("rel") not in ("next", "prev", "canonical"):
            self.loads.append(values[LOADS[tag]])
        self.loads += addresses_of_style(values.get("style") or "")

    def handle_endtag(self, tag):
        self.in_style = False

    def handle_data(self, data):
        if self.in_style:
            self.loads += addresses_of_style(data)


def addresses_of_style(text):
    """What a style sheet loads; pictures that are in it are not loaded."""
    found = re.findall(r"url\(\s*['\"]?([^'\")]*)", text) + re.findall(r"@import\s+['\"]([^'\"]*)", text)
    return [address for address in found if not address.startswith(("data:", "#"))]


def read_pages(site):
    site = pathlib.Path(site)
    return {str(path.relative_to(site)): Page(path.read_text(errors="replace")) for path in sorted(site.rglob("*.html"))}


def target_of(page, address):
    """(path below the site, anchor) of an address on a page."""
    path, _, anchor = address.partition("#")
    path = urllib.parse.unquote(path.partition("?")[0])
    return os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page, urllib.parse.unquote(anchor)


def check(site):
    """(what is wrong, addresses elsewhere that links name): a page and a sentence, a page and an address."""
    site, pages = pathlib.Path(site), read_pages(site)
    wrong, external = [], []
    for name, page in pages.items():
        for address in page.leads:
            if re.match(r"(?:https?:)?//|mailto:", address, re.I):
                external.append((name, address))
                continue
            path, anchor = target_of(name, address)
            if re.match(r"[a-z][a-z0-9+.-]*:", address, re.I) or path.startswith("..") or not (site / path).is_file():
                wrong.append((name, "the link %s leads nowhere" % address))
            elif anchor and path in pages and anchor not in pages[path].anchors and not (anchor == "__" or anchor.startswith("__codelineno")):
                wrong.append((name, "%s has no anchor %s" % (path, anchor)))
        for address in page.loads:
            path, _ = target_of(name, address)
            if ELSEWHERE.match(address):
                wrong.append((name, "%s would be loaded from elsewhere" % address))
            elif not address.startswith("data:") and not (site / path).is_file():
                wrong.append((name, "%s is not there" % address))
    for path in sorted(site.rglob("*.css")):
        for address in addresses_of_style(path.read_text()):
            if ELSEWHERE.match(address) or not (path.parent / address.partition("#")[0].partition("?")[0]).exists():
                wrong.append((str(path.relative_to(site)), "%s would be loaded" % address))
    for path in sorted(site.rglob("*.js")):
        # The words of the pages are in a script, too, as what is searched.
        if path.parent.name != "search":
            wrong += [(str(path.relative_to(site)), "%s could be loaded" % address)
                      for address in re.findall(r"[\"'`](https?://[^\"'`\s]+)", path.read_text()) if not address.startswith(NAMES_OF_LANGUAGES)]
    return wrong, external
