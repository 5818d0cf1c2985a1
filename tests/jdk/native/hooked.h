/*
 * hooked.h - how many slots of imports lead to our library, for programs that include
 * imports/imports_library.c. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* Slots, in all libraries, that lead to a library whose name has `part`. */
struct hooked {
    const char *part;
    int count;
};

static void visit(void *arg, const struct imports_slot *slot)
{
    struct hooked *h = arg;
    Dl_info info;
    h->count += dladdr((void *)(uintptr_t)*slot->at, &info) != 0 && info.dli_fname &&
                strstr(info.dli_fname, h->part);
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct imports_library library;
    imports_library_read(info, &library);
    if (library.dynamic && !strstr(library.path, ((struct hooked *)arg)->part))
        imports_library_slots(&library, ~(uint64_t)0, visit, arg);
    free(library.path);
    return 0;
}

static int hooked(void)
{
    struct hooked h = {.part = "libhprof"};
    dl_iterate_phdr(look, &h);
    return h.count;
}
