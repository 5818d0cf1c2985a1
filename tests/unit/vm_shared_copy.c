/*
 * vm_shared_copy.c - a library with a copy of vm_shared.c of its own; COPY is the letter of its
 * names. SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_shared.h"

#define NAME_OF(letter, word) copy_##letter##_##word
#define NAME(letter, word) NAME_OF(letter, word)
#define EXPORT __attribute__((visibility("default")))

EXPORT struct vm_shared *NAME(COPY, block)(void);
EXPORT int NAME(COPY, library)(void);

struct vm_shared *NAME(COPY, block)(void)
{
    return vm_shared_block();
}

int NAME(COPY, library)(void)
{
    return vm_shared_library();
}
