"""pages - lays out the pages of the site as Markdown: the documents of the tree, and what is made of other things.

Every page has the path that it has in the tree, so links between documents hold. A link to something that is no document leads to a
page of its own: a page of the manual becomes HTML by mandoc, another file is shown as it is, a folder is listed. The events of JFR
are those that `hprof jfr events` knows.
SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import posixpath
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAVIGATION = pathlib.Path(__file__).with_name("navigation")
EVENTS = "docs/jfr-events"
LINK = re.compile(r"(!?\[(?:[^\]\\]|\\.)*\])\(([^)\s]+)\)")
MAN = re.compile(r"docs/man/[\w-]+\.\d$")
LANGUAGES = {".java": "java", ".c": "c", ".h": "c", ".py": "python", ".json": "json", ".xml": "xml", ".yml": "yaml"}
ONE_JVM = "Java Virtual Machine"    # half of all events: its second words are groups, too


class PageError(Exception):
    """What is wrong in the tree, for who runs the build."""


def run(*words):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise PageError("%s: exit status %d\n%s" % (" ".join(map(str, words)), done.returncode, done.stderr.decode(errors="replace")))
    return done.stdout.decode()


# ---- the navigation

def navigation():
    """The groups of the file `navigation`: paths, and {"group": [...]}."""
    top = []
    open_groups = [(-1, top)]
    for number, line in enumerate(NAVIGATION.read_text().splitlines(), 1):
        name = line.strip()
        if not name or name.startswith("#"):
            continue
        depth = (len(line) - len(line.lstrip())) // 2
        while open_groups[-1][0] >= depth:
            open_groups.pop()
        if open_groups[-1][0] != depth - 1:
            raise PageError("navigation, line %d: indented too far" % number)
        if "." in name or name == "EVENTS":
            open_groups[-1][1].append(name)
        else:
            group = []
            open_groups[-1][1].append({name: group})
            open_groups.append((depth, group))
    return top


def named(rows):
    for row in rows:
        if isinstance(row, str):
            yield row
        else:
            for group in row.values():
                yield from named(group)


def tree_path(name):
    return "docs/" + name if name.startswith("man/") else name


def documents():
    """The paths of all documents that are pages: those of docs/, and those that a person meets first."""
    found = [str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")]
    found += [str(path.relative_to(ROOT)) for path in (ROOT / "docs/man").glob("*.[1-9]")]
    return sorted(found + ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md"])


def check_navigation():
    """Every page is named once, and every name is a page."""
    names = [tree_path(name) for name in named(navigation()) if name != "EVENTS"]
    wrong = ["%s is named, but not there" % name for name in sorted(set(names) - set(documents()))]
    wrong += ["%s has no place" % path for path in sorted(set(documents()) - set(names))]
    wrong += ["%s is named twice" % name for name in sorted(set(names)) if names.count(name) > 1]
    if wrong:
        raise PageError("navigation: " + "; ".join(wrong))


# ---- documents

def as_markdown(text):
    """What places that show Markdown take, in the words of the site's reader of Markdown."""
    lines, fenced = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            line, fenced = re.sub(r"^```(\w*).*", r"```\1", line), not fenced
        elif not fenced:
            if line.startswith("|"):
                line = re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), line)
            # A list may stand directly below a sentence.
            if re.match(r"(?:[-*]|\d+\.) ", line) and lines and re.match(r"[^\s|#>-]", lines[-1]) and not re.match(r"(?:[-*]|\d+\.) ", lines[-1]):
                lines.append("")
        lines.append(line)
    return "\n".join(lines) + "\n"


class Stage:
    """The folder that the pages are written to. What is linked and no document is remembered, and made by others()."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.wanted = set()

    def write(self, path, text):
        to = self.folder / path
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text)

    def link(self, page, link):
        """The link as the site has it."""
        path, mark, anchor = link.partition("#")
        if not path or re.match(r"[a-z]+:", path) or path.endswith(".md"):
            return link
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        real = ROOT / target
        if not real.exists():
            raise PageError("%s: the link %s leads nowhere" % (page, link))
        self.wanted.add(target)
        if path.endswith((".png", ".svg")):
            return link
        if real.is_dir():
            return path.rstrip("/") + "/README.md"
        return path + ".md" + mark + anchor

    def document(self, path):
        parts = re.split(r"(?ms)(^```.*?^```$)", as_markdown((ROOT / path).read_text()))
        parts[::2] = [LINK.sub(lambda match: "%s(%s)" % (match[1], self.link(path, match[2])), part) for part in parts[::2]]
        # The front page has all the room: its column of the navigation would name the page alone.
        self.write(path, ("---\nhide: [navigation]\n---\n" if path == "README.md" else "") + "".join(parts))

    def others(self):
        """Makes the pages of what documents link to."""
        done = set()
        while self.wanted - done:
            for target in sorted(self.wanted - done):
                done.add(target)
                real = ROOT / target
                if target.endswith((".png", ".svg")):
                    to = self.folder / target
                    to.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(real, to)
                elif real.is_dir():
                    self.listing(target)
                elif not MAN.match(target):
                    language = LANGUAGES.get(real.suffix, "text")
                    self.write(target + ".md", "# %s\n\n````%s\n%s\n````\n" % (target, language, real.read_text().rstrip("\n")))

    def listing(self, folder):
        """The page of a folder that has none of its own."""
        if (ROOT / folder / "README.md").exists():
            return
        rows = []
        for path in sorted((ROOT / folder).iterdir()):
            name = str(path.relative_to(ROOT))
            if path.suffix == ".md":
                rows.append("| [%s](%s) | %s |" % (path.name[:-3], path.name, re.search(r"(?m)^# (.*)", path.read_text())[1]))
            elif MAN.match(name):
                rows.append("| [%s](%s.md) | %s |" % (man_title(path), path.name, man_about(path)))
            elif path.is_file() and path.name not in ("README", "meson.build"):
                self.wanted.add(name)
                rows.append("| [%s](%s.md) | |" % (path.name, path.name))
        readme = ROOT / folder / "README"
        about = "```text\n%s```\n\n" % readme.read_text() if readme.exists() else ""
        self.write(folder + "/README.md", "# %s\n\n%s| page | what it is |\n| --- | --- |\n%s\n" % (folder, about, "\n".join(rows)))


# ---- pages of the manual

def man_title(path):
    return "%s(%s)" % (path.stem, path.suffix[1:])


def man_about(path):
    return plain_man(re.search(r"(?ms)^\.SH NAME\n(.*?)(?=^\.SH)", path.read_text())[1]).partition(" - ")[2]


def plain_man(text):
    text = re.sub(r'(?m)^\.(B|I|BR|BI|IR|IB|RB|RI|SM|SB)\s+', "", text)
    return re.sub(r"\\f(?:\[\w*\]|\(..|.)", "", text).replace("\\-", "-").replace("\\&", "").replace("\n", " ").strip()


def man_page(path):
    """A page of the manual: its sections with headings of the site, and links to the pages that it names."""
    html = run("mandoc", "-T", "html", "-O", "fragment", path)
    pages = {man_title(each): each.name for each in path.parent.glob("*.[1-9]")}
    parts = ["# %s\n" % man_title(path)]
    for head, body in re.findall(r'(?s)<h[12] class="Sh"[^>]*>(.*?)</h[12]>(.*?)</section>(?=\s*(?:<section class="Sh">|</div>))', html):
        title = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", head)).strip()
        body = re.sub(r"<b>([\w-]+)</b>\((\d)\)", lambda match: man_link(match, pages), body)
        body = re.sub(r"<(/?)h[123] ", r"<\1h3 ", re.sub(r"</h[123]>", "</h3>", body))
        parts.append('## %s {#%s}\n\n<div class="manual">\n%s\n</div>\n' % (title, title.replace(" ", "_"), body.strip()))
    if len(parts) < 3:
        raise PageError("%s: mandoc's HTML has another form than is known" % path)
    return "\n".join(parts)


def man_link(match, pages):
    page = pages.get("%s(%s)" % match.groups())
    return '<a href="%s.html"><b>%s</b>(%s)</a>' % (page, *match.groups()) if page else match[0]


# ---- the catalogue of events

def catalogue(hprof):
    """What `hprof jfr events` knows of each event."""
    with tempfile.TemporaryDirectory() as work:
        page = pathlib.Path(work, "events.html")
        run(hprof, "jfr", "events", "-o", page)
        text = page.read_text()
    rows = json.loads(re.search(r'(?s)<script type="application/json" id="data">(.*?)</script>', text)[1])["events"]
    if len(rows) < 100:
        raise PageError("hprof jfr events: only %d events" % len(rows))
    return rows


def event_group(event):
    words = event["categories"].split("|")
    return "JVM: " + words[1] if words[0] == ONE_JVM and len(words) > 1 else "JVM" if words[0] == ONE_JVM else words[0]


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def event_text(event):
    marks = [word for word in ("experimental", "internal") if event[word]]
    lines = ["## %s\n" % event["name"], "**%s**%s\n" % (cell(event["label"] or event["name"]), ": " + cell(event["about"]) if event["about"] else ""),
             "Category: %s. JDK: %s.%s\n" % (event["categories"].replace("|", ", "), event["jdks"] or "all", " It is %s." % " and ".join(marks) if marks else "")]
    if event["fields"]:
        lines += ["| field | type or unit | what it says |", "| --- | --- | --- |"]
        for name, kind, label, about, jdks in event["fields"]:
            says = ". ".join(filter(None, [label, about])) + (" (%s)" % jdks if jdks else "")
            lines.append("| `%s` | %s | %s |" % (name, cell(kind), cell(says)))
        lines.append("")
    if event["settings"]:
        lines += ["| setting | default.jfc | profile.jfc | |", "| --- | --- | --- | --- |"]
        lines += ["| `%s` | %s | %s | %s |" % tuple(cell(word) for word in row) for row in event["settings"]]
        lines.append("")
    return "\n".join(lines)


def event_pages(hprof):
    """path -> (title, text): a page with all events, and one for each group of them."""
    groups = {}
    for event in catalogue(hprof):
        groups.setdefault(event_group(event), []).append(event)
    pages, index = {}, ["# Events of JFR\n", "The events that the JDKs 8, 11, 17, 21 and 25 to 28 record, by group. `hprof jfr events NAME` prints one of these entries, "
                        "`hprof jfr events FILE` what a recording has ([hprof-jfr(1)](../man/hprof-jfr.1.md)).\n"]
    for group, events in sorted(groups.items()):
        file = re.sub(r"\W+", "-", group.lower()) + ".md"
        pages["%s/%s" % (EVENTS, file)] = group, "# Events: %s\n\n%s" % (group, "\n".join(map(event_text, events)))
        index += ["## %s\n" % group, "| event | JDK | what it is |", "| --- | --- | --- |"]
        index += ["| [%s](%s#%s) | %s | %s |" % (event["name"], file, re.sub(r"[^\w -]", "", event["name"].lower()), event["jdks"] or "all",
                                               cell(event["about"] or event["label"])) for event in events]
        index.append("")
    return {EVENTS + "/README.md": ("All events", "\n".join(index)), **pages}


# ---- all

def site_navigation(rows, events):
    """The navigation in MkDocs' words. A group's own page opens it."""
    made = []
    for row in rows:
        if isinstance(row, dict):
            made += [{name: site_navigation(group, events)} for name, group in row.items()]
        elif row == "EVENTS":
            made.append({"Events of JFR": [{title: path} for path, (title, _) in events.items()]})
        elif row == "README.md":
            made.append({"hprof": row})
        else:
            made.append(tree_path(row) + ("" if row.endswith(".md") else ".md"))
    return made


def stage(folder, hprof):
    """Writes all pages; returns the navigation."""
    check_navigation()
    to = Stage(folder)
    for path in documents():
        if path.endswith(".md"):
            to.document(path)
        else:
            to.write(path + ".md", man_page(ROOT / path))
    events = event_pages(hprof)
    for path, (_, text) in events.items():
        to.write(path, text)
    to.others()
    return site_navigation(navigation(), events)
