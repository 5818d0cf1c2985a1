/*
 * imports_list.c - see imports_list.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "imports/imports_list.h"
#include <errno.h>
#include <link.h>
#include <stdlib.h>

static int see_changes(struct dl_phdr_info *info, size_t size, void *arg)
{
    *(unsigned long long *)arg = info->dlpi_adds + info->dlpi_subs;
    return 1;
}

/* Called with the linker's lock held: only copies. */
static int see_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct imports_list *list = arg;
    see_changes(info, size, &list->changes);
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 64;
        struct imports_library *of = realloc(list->of, room * sizeof(*of));
        if (!of) {
            list->is_incomplete = true;
            return 1;
        }
        list->of = of;
        list->room = room;
    }
    imports_library_read(info, &list->of[list->count]);
    list->is_incomplete |= !list->of[list->count].path;
    list->count++;
    return 0;
}

int imports_list_read(struct imports_list *ret)
{
    *ret = (struct imports_list){0};
    dl_iterate_phdr(see_library, ret);
    if (!ret->is_incomplete)
        return 0;
    imports_list_done(ret);
    return -ENOMEM;
}

void imports_list_done(struct imports_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->of[i].path);
    free(list->of);
}

unsigned long long imports_list_changes(void)
{
    unsigned long long changes = 0;
    dl_iterate_phdr(see_changes, &changes);
    return changes;
}
