/*
 * debug_listen.h - `hprof debug TARGET --listen ADDRESS`: a debugger looks at a core, or at a
 * process that is held.
 *
 * A process stands only while a debugger is connected, and for a bounded time; then it goes on, and
 * the debugger is told that the connection has ended.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct asking_line;

struct debug_listen {
    const char *place; /* the word of the command line: "127.0.0.1:5005" */
    bool may_stop;     /* --stop */
    bool wants_virtuals;
    uint64_t max_stop_ns; /* 0: no bound */
};

/** Listen, and serve debuggers until the user ends the command; for a process, until the first
 * debugger has gone. Returns an exit status. */
int debug_listen_run(const struct asking_line *line, const struct debug_listen *how);
