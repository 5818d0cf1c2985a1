/*
 * vm_flag.c - see vm_flag.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_flag.h"
#include <stdbool.h>
#include <string.h>
#include "base/err.h"
#include "vm/vm_shared.h"
#include "vm/vmself.h"

/* The row of the flag; if there is none and `is_new` is true, a free row. NULL: none. Needs the
 * lock. */
static struct vm_shared_flag *find_row(struct vm_shared *b, const char *flag, bool is_new)
{
    struct vm_shared_flag *free_row = NULL;
    for (int i = 0; i < VM_SHARED_FLAGS; i++) {
        struct vm_shared_flag *row = &b->flags[i];
        if (strcmp(row->name, flag) == 0)
            return row;
        if (!free_row && !row->name[0])
            free_row = row;
    }
    return is_new ? free_row : NULL;
}

/* The least value that a library asks for; the old value if that is less. */
static uint64_t least(const struct vm_shared_flag *row)
{
    uint64_t value = row->before;
    for (int i = 0; i < VM_SHARED_LIBRARIES; i++)
        if ((row->users >> i & 1) && row->asked[i] < value)
            value = row->asked[i];
    return value;
}

static int lower(struct vm_shared *b, int library, const char *flag, uint64_t value)
{
    struct vm_shared_flag *row = find_row(b, flag, 1);
    int error;
    if (!row || strlen(flag) >= sizeof(row->name))
        return E_LIMIT;
    if (!row->name[0]) {
        error = vmself_number(flag, &row->before);
        if (error)
            return error;
        memcpy(row->name, flag, strlen(flag) + 1);
    }
    row->asked[library] = value;
    row->users |= 1u << library;
    return vmself_set_number(flag, least(row));
}

int vm_flag_lower(const char *flag, uint64_t value)
{
    struct vm_shared *b = vm_shared_block();
    int library = vm_shared_library(), error;
    if (library < 0)
        return library;
    pthread_mutex_lock(&b->lock);
    error = lower(b, library, flag, value);
    pthread_mutex_unlock(&b->lock);
    return error;
}

void vm_flag_restore(const char *flag)
{
    struct vm_shared *b = vm_shared_block();
    int library = vm_shared_library();
    struct vm_shared_flag *row;
    if (library < 0)
        return;
    pthread_mutex_lock(&b->lock);
    row = find_row(b, flag, 0);
    if (row && (row->users >> library & 1)) {
        row->users &= ~(1u << library);
        vmself_set_number(flag, least(row));
        if (!row->users)
            row->name[0] = '\0';
    }
    pthread_mutex_unlock(&b->lock);
}
