// worker.js - a Worker for pages that are opened from a disk, where browsers allow none: the script runs in a hidden frame of the same
// page. It knows what the search of the site needs: messages in both directions.
// SPDX-License-Identifier: Apache-2.0
if (location.protocol === "file:") window.Worker = class extends EventTarget {
  constructor(url) {
    super()
    const frame = document.createElement("iframe")
    frame.hidden = true
    document.body.append(frame)
    const inside = frame.contentWindow, script = inside.document.createElement("script")
    inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
    this.inside = new Promise(resolve => { script.onload = () => resolve(inside) })
    script.src = new URL(url, location)
    inside.document.head.append(script)
  }
  postMessage(data) {
    this.inside.then(inside => inside.dispatchEvent(new inside.MessageEvent("message", { data })))
  }
}
