/*
 * asgst_code.c - see asgst_code.h.
 *
 * Handlers may read a table at any time, so a table is never changed or freed: when libraries were
 * loaded, a new table takes its place. A process loads a few dozen libraries, so the old tables are
 * small.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_code.h"
#include "elf/loaded.h"
#include "hotspot/hotspot.h"
#include "hotspot/hotspot_self.h"
#include "safe/unwind.h"
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct search {
    const char *name;
    uint64_t bias;
    char *path; /* PATH_MAX bytes; NULL: the path is not wanted */
};

static int visit_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *s = arg;
    const char *slash = strrchr(info->dlpi_name, '/');
    size_t len = strlen(info->dlpi_name);
    if (!slash || strcmp(slash + 1, s->name) != 0 || len >= PATH_MAX)
        return 0;
    s->bias = info->dlpi_addr;
    if (s->path)
        memcpy(s->path, info->dlpi_name, len + 1);
    return 1;
}

int asgst_code_libjvm(char *ret_path, uint64_t *ret_bias)
{
    struct search s = {.name = "libjvm.so", .path = ret_path};
    if (dl_iterate_phdr(visit_library, &s) == 0)
        return 0;
    *ret_bias = s.bias;
    return 1;
}

bool asgst_code_is_mapped(const char *name)
{
    struct search s = {.name = name};
    return dl_iterate_phdr(visit_library, &s);
}

struct collected {
    struct unwind_code *code;
    uint32_t count, max;
};

static int visit_code(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct collected *c = arg;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        if (c->count < c->max)
            c->code->ranges[c->count] = (struct unwind_range){
                info->dlpi_addr + p->p_vaddr, info->dlpi_addr + p->p_vaddr + p->p_memsz};
        c->count++;
    }
    return 0;
}

static int visit_generation(struct dl_phdr_info *info, size_t size, void *arg)
{
    unsigned long long *generation = arg;
    *generation = size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs)
                      ? info->dlpi_adds + info->dlpi_subs
                      : 0;
    return 1;
}

/* Read the unwind rules of the loaded libraries. For a libjvm.so this takes some 10 MB and a tenth
 * of a second, so nothing happens until a walk has asked for the rules. */
static void refresh_map(void)
{
    static struct loaded known;
    struct loaded now;
    struct cfi_map *map;
    if (!unwind_is_wanted(&hotspot_self_unwind) || !loaded_look(&known, &now, &map))
        return;
    loaded_done(&known);
    known = now;
    unwind_publish(&hotspot_self_unwind, map);
}

static void refresh_code(void)
{
    static unsigned long long seen;
    unsigned long long generation = 0;
    struct collected c = {NULL, 0, 0};
    dl_iterate_phdr(visit_generation, &generation);
    if (generation == seen)
        return;
    dl_iterate_phdr(visit_code, &c);
    c.max = c.count + 8;
    c.count = 0;
    c.code = calloc(1, sizeof(*c.code) + c.max * sizeof(c.code->ranges[0]));
    if (!c.code)
        return;
    dl_iterate_phdr(visit_code, &c);
    c.code->count = c.count < c.max ? c.count : c.max;
    unwind_publish_code(&hotspot_self_unwind, c.code);
    seen = generation;
}

void asgst_code_refresh(void)
{
    refresh_code();
    refresh_map();
}
