#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""page.py - a flame graph page of half a million frames in a browser: until it is drawn, and until a zoom, a search or another view is.

Stacks are drawn by a seed; no two frames have one name. Chromium, driven by npm's playwright-core, shows the page in a window of 1600 x 900; times
are the page's own, from the beginning of its loading, or from a click, to the frame of the browser behind it; CPU time is that of the page's main thread
until then, which other programs do not make longer. The median of the rounds counts.

usage: page.py [--frames N] [--rounds N] [--seed N] [--hprof PATH] [--keep FOLDER]
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/jdk"))
import foreign  # noqa: E402
from test_page import PLAYWRIGHT  # noqa: E402

DRIVER = """
const { chromium } = require(process.argv[1]);
(async () => {
  const browser = await chromium.launch({ executablePath: process.argv[2], args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const cpu = async () => 1000 * (await session.send('Performance.getMetrics')).metrics.find(m => m.name === 'TaskDuration').value;
  const drawn = () => page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done))));
  const found = {};
  const note = (name, wall, used) => { if (!found[name] || wall > found[name][0]) found[name] = [wall, used]; };
  const step = async (name, act, with_) => {
    const before = await cpu();
    const wall = await page.evaluate(`(async () => { const begin = performance.now(); await (${act})(${JSON.stringify(with_)});
      await new Promise(done => requestAnimationFrame(() => setTimeout(done))); return performance.now() - begin; })()`);
    if (name) note(name, wall, await cpu() - before);
  };
  const key = k => document.dispatchEvent(new KeyboardEvent('keydown', { key: k, bubbles: true }));
  await page.goto('file://' + process.argv[3]);
  await drawn();
  note('first picture', await page.evaluate(() => performance.now()), await cpu());
  for (let i = 0; i < 9; i++) {
    await step('zoom, the longest of nine', i => {
      const c = document.querySelector('#main canvas'), r = c.getBoundingClientRect();
      c.dispatchEvent(new MouseEvent('click', { clientX: r.left + r.width * (i + 1) / 10, clientY: r.bottom - 27 - 18 * i, bubbles: true }));
    }, i);
    await step('', key, 'Backspace');
  }
  await step('search', async text => {
    const s = document.querySelector('#search'); s.value = text; s.dispatchEvent(new Event('input', { bubbles: true }));
    while (!document.querySelector('#matched').textContent) await new Promise(done => setTimeout(done, 2));
  }, 'method99');
  await step('', key, 'Escape');
  await step('callees first', key, 'r');
  await step('', key, 'r');
  await step('list of methods', key, 'm');
  await step('call tree', key, 't');
  console.log(JSON.stringify(found));
  await browser.close();
})().catch(e => { console.error(e); process.exit(1); });
"""


def write_stacks(path, frames, draw):
    made, stack = 0, []
    with open(path, "w", encoding="utf-8") as out:
        while made < frames:
            stack = stack[:draw.randint(0, min(len(stack), 120))]
            for _ in range(draw.randint(1, 30)):
                made += 1
                stack.append("com/example/pkg%d/Class%d.method%d_[j]" % (made % 300, made % 9000, made))
            out.write(";".join(stack) + " %d\n" % draw.randint(1, 100))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--frames", type=int, default=500000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hprof", default=os.path.join(ROOT, "build/hprof"))
    parser.add_argument("--keep")
    args = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    package = foreign.npm("playwright-core", PLAYWRIGHT)
    folder = args.keep or tempfile.mkdtemp()
    stacks, page = os.path.join(folder, "x.folded"), os.path.join(folder, "x.html")
    write_stacks(stacks, args.frames, random.Random(args.seed))
    subprocess.run([args.hprof, "report", "-o", page, stacks], check=True)
    with open(page, encoding="utf-8") as text:
        whole = text.read()
    data = whole.split('id="data">')[1].split("</script>")[0]
    rounds = [json.loads(subprocess.run(["node", "-e", DRIVER, str(package), chromium, page], check=True, stdout=subprocess.PIPE).stdout)
              for _ in range(args.rounds)]
    print("%d frames, seed %d: a page of %.1f MB, %.1f kB beside the data" %
          (args.frames, args.seed, len(whole) / 1e6, (len(whole) - len(data)) / 1e3))
    print("| until drawn | CPU | ms | ms of each round |\n| --- | --- | --- | --- |")
    for name in rounds[0]:
        wall, used = ([found[name][at] for found in rounds] for at in (0, 1))
        print("| %s | %.0f ms | %.0f | %s |" % (name, statistics.median(used), statistics.median(wall), " ".join("%.0f" % ms for ms in wall)))
    if not args.keep:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
