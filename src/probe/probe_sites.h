/*
 * probe_sites.h - the probes of all files that a process has mapped.
 *
 * A file is opened as the process has it mapped, through mem_live.h, and nothing else is opened. A
 * breakpoint within an instruction would kill the program, so a site may be used only if the file
 * is certainly what the process runs: the file's build-id is also in the process's memory, and the
 * byte at the site is an instruction of one byte that does nothing.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "elf/elf_file.h"
#include "elf/stapsdt.h"
#include "mem/mem_live.h"

enum { PROBE_SITES_PATH = 64 };

struct probe_file {
    struct elf_file elf;
    const char *name; /* last part of its path */
    bool is_certain;  /* the process's memory has the same build-id */
    /* where the kernel finds the file itself, whatever its name is now: /proc/PID/map_files/... */
    char path[PROBE_SITES_PATH];
};

struct probe_site {
    struct stapsdt_site at;
    uint32_t file; /* index of its file */
    bool is_usable;
};

struct probe_sites {
    struct mem_live live;
    struct probe_file *files;
    uint32_t file_count;
    struct probe_site *rows; /* by file, provider, name and offset */
    uint32_t count;
    bool has_libjvm;
};

/** Errors: 0; -errno as mem_live_open(); -ENOMEM. Owner: probe_sites_close(), also after an error.
 */
int probe_sites_open(pid_t pid, struct probe_sites *ret);
void probe_sites_close(struct probe_sites *s);
/** Whether the site has one of these names: PROVIDER:NAME or NAME, with * and ?. No names: every
 * site has. A leading "usdt:" is passed. */
bool probe_sites_is_named(const struct probe_site *site, const char *const *names, unsigned count);
