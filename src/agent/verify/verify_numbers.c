/*
 * verify_numbers.c - see verify_numbers.h.
 *
 * Handlers read the table of hashes. Its pages are mapped once, before any method is changed, and
 * never freed. An entry is written before code with its number runs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify/verify_numbers.h"
#include <errno.h>
#include <stdio.h>
#include "agent/names/methods.h"
#include "base/pages.h"

static uint64_t *hashes; /* by the number of the method */

int verify_numbers_init(void)
{
    if (!hashes)
        hashes = pages_map(METHODS_MAX * sizeof(*hashes));
    return methods_init() == 0 && hashes ? 0 : -ENOMEM;
}

int32_t verify_numbers_add(const struct instrument_method *m, uint64_t hash)
{
    int32_t number = methods_add(m);
    if (number >= 0)
        hashes[number] = hash;
    return number;
}

uint64_t verify_numbers_hash(uint32_t number)
{
    return hashes[number];
}

void verify_numbers_name(uint32_t number, char *ret, size_t size)
{
    struct methods_names n = methods_names(number);
    snprintf(ret, size, "%s.%s", n.class_name, n.name);
}
