/*
 * kallsyms.h - which function of the kernel holds an address, by the text of /proc/kallsyms.
 *
 * A line is an address, a blank, a letter, a blank, a name, and for a module's a tab and [module].
 * To whom the kernel does not show addresses it shows zeros: then there are no symbols.
 * Source: linux/kernel/kallsyms.c. Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum { KALLSYMS_NAME_MAX = 512 }; /* bytes of a name. Source: linux/kallsyms.h, KSYM_NAME_LEN */

struct kallsyms_symbol {
    uint64_t start;
    const char *name;   /* "" where it is no function */
    const char *module; /* NULL: the kernel itself */
};

struct kallsyms {
    struct kallsyms_symbol *list; /* by start; of several names for one place the last one counts */
    uint32_t count;
};

/**
 * Take the symbols out of a text, which is NUL-terminated, malloc'ed, changed, and kept for as long
 * as the symbols are: for ever. It is freed if there are none.
 */
void kallsyms_parse(char *text, struct kallsyms *ret);
/** As kallsyms_parse(), for the text of a file; there are no symbols where the file cannot be read.
 */
void kallsyms_read(const char *path, struct kallsyms *ret);
/** The function that holds `address`; NULL where no symbol says. */
const struct kallsyms_symbol *kallsyms_at(const struct kallsyms *k, uint64_t address);
