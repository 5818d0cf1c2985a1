/*
 * errorlog_print.h - prints what a fatal error log says: what happened, who, where and with which
 * memory in three sentences, the cause, the lines that show it, and what to do.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct errorlog;
struct sink;

/** What a core beside the log adds. */
struct errorlog_core {
    const char *path; /* NULL: there is no core */
    int signal;       /* that ended the process */
    uint64_t pid;
    bool is_same;    /* the core is of the process that wrote the log */
    bool has_thread; /* the thread of the log is in the core: */
    uint64_t tid;
    uint64_t pc, sp, fp; /* of this thread at its end: in the VM's handler, not at the crash */
    char name[16];
};

/** `core` has no path if there is no core. `path` is the name of the log. */
void errorlog_print_text(struct sink *out, const char *path, const struct errorlog *log,
                         const struct errorlog_core *core);
void errorlog_print_json(struct sink *out, const char *path, const struct errorlog *log,
                         const struct errorlog_core *core);
