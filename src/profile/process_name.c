/*
 * process_name.c - see process_name.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/process_name.h"
#include <stdio.h>
#include <stdlib.h>
#include "profile/process_set.h"
#include "profile/profile.h"

string_id process_name(struct profile *p, process_id id)
{
    const struct process_set *all = profile_processes(p);
    const struct process_set_row *row = process_set_at(all, id);
    const char *name = row->name ? profile_string_at(p, row->name)->bytes : "";
    uint32_t before = process_set_before(all, id);
    char *text = NULL;
    string_id made = 0;
    int len;
    if (!row->pid)
        return row->name ? row->name : profile_cstring(p, "unknown process");
    if (before)
        len = asprintf(&text, "%s%spid=%u.%u", name, *name ? " " : "", row->pid, before);
    else
        len = asprintf(&text, "%s%spid=%u", name, *name ? " " : "", row->pid);
    if (len >= 0)
        made = profile_cstring(p, text);
    free(text);
    return made;
}
