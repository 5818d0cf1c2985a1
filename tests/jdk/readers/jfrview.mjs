// SPDX-License-Identifier: Apache-2.0
// What jfrview sees in a recording: a line for each sample, its frames from the first caller on. Arguments: the package's folder, the file.
import { readFileSync } from "node:fs";

const [folder, path] = process.argv.slice(2);
const { initSync, interpret_jfr } = await import(folder + "/jfrview.js");
initSync({ module: readFileSync(folder + "/jfrview_bg.wasm") });
for (const sample of interpret_jfr(readFileSync(path), true))
    console.log(sample.frames.map((frame) => frame.name).join(";"));
