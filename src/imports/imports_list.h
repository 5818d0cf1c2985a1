/*
 * imports_list.h - a copy of the dynamic linker's list of loaded libraries.
 *
 * The list is copied in the linker's callback, which holds the linker's lock; all work is done
 * afterwards, on the copy. A library of the copy may be gone by then (imports_library_pin()).
 * Context of everything here: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "imports/imports_library.h"

struct imports_list {
    struct imports_library *of;
    size_t count;
    unsigned long long changes; /* imports_list_changes() at the moment of the copy */
    /* The fields below belong to imports_list.c. */
    size_t room;
    bool is_incomplete; /* there was no memory */
};

/** Copy the list. Errors: 0; -ENOMEM, and then there is nothing to give back. Owner:
 * imports_list_done(). */
int imports_list_read(struct imports_list *ret);
void imports_list_done(struct imports_list *list);
/** How many libraries have come and gone so far. Cheap. */
unsigned long long imports_list_changes(void);
