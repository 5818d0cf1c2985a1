/*
 * top_view.h - `hprof top` on a terminal: shows the newest page, and takes keys that change what is
 * shown.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct top_watch;

/** Runs until the user ends it or the JVM ends. Returns an exit status, after saying why it is not
 * 0. */
int top_view_run(struct top_watch *w);
