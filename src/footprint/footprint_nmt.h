/*
 * footprint_nmt.h - the VM's own account of its memory (native memory tracking), as its command
 * VM.native_memory prints it.
 *
 * Source: HotSpot services/memReporter.cpp. The text may be hostile.
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { FOOTPRINT_NMT_ROWS = 64, FOOTPRINT_NMT_NAME = 32 };

/** A category of the VM. Bytes. */
struct footprint_nmt_row {
    char name[FOOTPRINT_NMT_NAME];
    uint64_t reserved, committed; /* malloc() included */
    uint64_t malloc;              /* of that, what comes from malloc() */
};

struct footprint_nmt {
    struct footprint_nmt_row rows[FOOTPRINT_NMT_ROWS];
    uint32_t count;
};

/** Read the answer to "VM.native_memory summary scale=KB", which ends with a 0. Errors: 0;
 * E_NOT_FOUND: it has no categories, since the VM keeps no account. */
int footprint_nmt_parse(const char *text, struct footprint_nmt *ret);
