/*
 * top_view.h - `hprof top` on a terminal: the newest page, and keys that say what is in it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct top_watch;

/** Until its user has enough of it, or the JVM ends. Returns an exit status, after saying why it is
 * not 0. */
int top_view_run(struct top_watch *w);
