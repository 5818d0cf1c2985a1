/*
 * elf_functions.c - see elf_functions.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elf/elf_functions.h"
#include <stdlib.h>
#include <string.h>
#include "elf/elf_file.h"
#include "safe/search.h"

static int add(void *arg, const char *name, uint64_t value, uint64_t size)
{
    struct elf_functions *f = arg;
    if (!name[0])
        return 0;
    if (f->count == f->room) {
        uint32_t room = f->room ? f->room * 2 : 256;
        struct elf_function *list = reallocarray(f->list, room, sizeof(*list));
        if (!list)
            return 1;
        f->list = list;
        f->room = room;
    }
    f->list[f->count++] = (struct elf_function){value, size, name, (uint32_t)strlen(name)};
    return 0;
}

/* If one address has several names, the shortest comes last: a search ends there. */
static int by_start(const void *left, const void *right)
{
    const struct elf_function *l = left, *r = right;
    if (l->start != r->start)
        return l->start < r->start ? -1 : 1;
    if (l->name_len != r->name_len)
        return l->name_len > r->name_len ? -1 : 1;
    return strcmp(l->name, r->name);
}

const struct elf_function *elf_functions_at(struct elf_functions *f, const struct elf_file *file,
                                            uint64_t addr)
{
    if (!f->is_read) {
        f->is_read = true;
        elf_file_each_function(file, add, f);
        if (f->count > 0)
            qsort(f->list, f->count, sizeof(*f->list), by_start);
    }
    uint32_t upto = SEARCH_UPTO(f->list, f->count, start, addr);
    if (upto == 0 || addr - f->list[upto - 1].start >= f->list[upto - 1].size)
        return NULL;
    return &f->list[upto - 1];
}

void elf_functions_done(struct elf_functions *f)
{
    free(f->list);
    *f = (struct elf_functions){0};
}
