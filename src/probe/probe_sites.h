/*
 * probe_sites.h - the probes of all files that a process has mapped, and functions of these files.
 *
 * A file is opened as the process has it mapped, through mem_live.h, and nothing else is opened. A
 * breakpoint within an instruction would kill the program, so a site may be used only if the file
 * is certainly what the process runs: the file's build-id is also in the process's memory, and the
 * byte at the site is an instruction of one byte that does nothing, or the site is the first
 * instruction of a function (probe_function.h).
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/arena.h"
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

enum probe_site_kind { PROBE_SITE_NOTE, PROBE_SITE_ENTRY, PROBE_SITE_RETURN };

struct probe_site {
    struct stapsdt_site at;
    uint32_t file; /* index of its file */
    enum probe_site_kind kind;
    const char *words; /* of a function: the words for its arguments, as in probe_known.def */
    const char *asked; /* of a function: the name that asked for it */
    bool is_usable;
    const char *why_not; /* it is not usable; may be NULL */
};

struct probe_sites {
    struct mem_live live;
    struct probe_file *files;
    uint32_t file_count;
    struct probe_site *rows; /* by file, provider, name and offset */
    uint32_t count;
    bool has_libjvm;
    struct arena texts; /* of functions */
};

/** Errors: 0; -errno as mem_live_open(); -ENOMEM. Owner: probe_sites_close(), also after an error.
 */
int probe_sites_open(pid_t pid, struct probe_sites *ret);
void probe_sites_close(struct probe_sites *s);
/** Add a site behind the others; probe_sites_sort() brings it to its place. Errors: 0, -ENOMEM. */
int probe_sites_add(struct probe_sites *s, const struct probe_site *site);
void probe_sites_sort(struct probe_sites *s);
/** The index of the file that is mapped at `map`, which is opened if it is not yet; E_NOT_FOUND: it
 * is no ELF file; -ENOMEM. */
int probe_sites_file(struct probe_sites *s, const struct image_map *map);
/** Whether no map above this one is of the same file. */
bool probe_sites_is_first(const struct probe_sites *s, const struct image_map *map);
/** The index of the first site with this name; UINT32_MAX: there is none. Sites of one name follow
 * each other. */
uint32_t probe_sites_find(const struct probe_sites *s, uint32_t file, const char *provider,
                          const char *name);
/** Whether both sites have the same file and name. */
bool probe_sites_are_same(const struct probe_site *a, const struct probe_site *b);
/** Whether the site has one of these names: PROVIDER:NAME or NAME, with * and ?, or the name with
 * which a function was asked for. No names: every site has. A leading "usdt:" is passed. */
bool probe_sites_is_named(const struct probe_site *site, const char *const *names, unsigned count);
