/*
 * hotspot.c - see hotspot.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/hotspot.h"
#include "hotspot/layout.h"
#include "base/err.h"
#include "safe/mem_self.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* A JNIEnv is embedded in its JavaThread, which is smaller than this. */
enum { ENV_OFFSET_MAX = 8192 };

int hotspot_open(struct mem *m, struct elf_file *libjvm, uint64_t bias, unsigned groups,
                 struct hotspot **ret_hotspot, const char **ret_missing)
{
    struct hotspot *h = calloc(1, sizeof(*h));
    *ret_missing = "";
    if (!h) {
        elf_file_close(libjvm);
        return -ENOMEM;
    }
    h->mem = m;
    h->libjvm = *libjvm;
    h->bias = bias;
    h->memory = (struct hs_memory){.mem = m, .layout = &h->layout};
    int error = layout_load(m, libjvm, bias, groups, &h->layout, ret_missing);
    if (error < 0) {
        hotspot_close(h);
        return error;
    }
    *ret_hotspot = h;
    return 0;
}

void hotspot_close(struct hotspot *h)
{
    if (!h)
        return;
    elf_file_close(&h->libjvm);
    free(h);
}

struct found_library {
    uint64_t bias;
    char path[4096];
};

static int visit_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct found_library *found = arg;
    const char *name = strrchr(info->dlpi_name, '/');
    if (!name || strcmp(name, "/libjvm.so") != 0 || strlen(info->dlpi_name) >= sizeof(found->path))
        return 0;
    found->bias = info->dlpi_addr;
    memcpy(found->path, info->dlpi_name, strlen(info->dlpi_name) + 1);
    return 1;
}

/* Some sandboxes forbid process_vm_readv, and some emulators lack it. In these cases the signal
 * handler guards the reads from the start. Returns 0, or -errno. */
static int open_first_guard(void)
{
    static const uint64_t known = 1;
    uint64_t word;
    return mem_self_read_word((uint64_t)&known, &word) == 0 ? 0
                                                            : mem_self_open(MEM_SELF_HANDLER, 0);
}

static unsigned refused_groups;

void hotspot_refuse_own(unsigned groups)
{
    refused_groups = groups;
}

int hotspot_open_own(unsigned groups, struct hotspot **ret_hotspot, const char **ret_missing)
{
    struct found_library found;
    struct elf_file libjvm;
    *ret_missing = "";
    if (groups & refused_groups) {
        *ret_missing = "a fact that a test has taken away";
        return E_FACT_MISSING;
    }
    if (dl_iterate_phdr(visit_library, &found) == 0)
        return E_NOT_FOUND;
    int error = elf_file_open(found.path, &libjvm);
    if (error < 0)
        return error;
    if (open_first_guard() < 0) {
        elf_file_close(&libjvm);
        *ret_missing = "a guard against faults";
        return E_FACT_MISSING;
    }
    return hotspot_open(&mem_self, &libjvm, found.bias, groups, ret_hotspot, ret_missing);
}

uint64_t hotspot_env_offset(const struct hotspot *h, uint64_t env, uint64_t eetop)
{
    return env > eetop && env - eetop < ENV_OFFSET_MAX ? env - eetop : 0;
}
