/*
 * kallsyms.h - which function of the kernel holds an address, by the text of /proc/kallsyms.
 *
 * A line is an address, a blank, a letter, a blank, a name, and for a symbol of a module a tab and
 * [module]. If the kernel does not show addresses to this process, all addresses are zeros: then
 * there are no symbols.
 * Source: linux/kernel/kallsyms.c. Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum { KALLSYMS_NAME_MAX = 512 }; /* bytes of a name. Source: linux/kallsyms.h, KSYM_NAME_LEN */

struct kallsyms_symbol {
    uint64_t start;
    const char *name;   /* "": not a function */
    const char *module; /* NULL: the kernel itself */
};

struct kallsyms {
    struct kallsyms_symbol *list; /* by start; of several names for one place the last is used */
    uint32_t count;
};

/**
 * Take the symbols out of a text, which is NUL-terminated and malloc'ed. The text is changed, and
 * is kept as long as the symbols: for ever. If there are no symbols, it is freed.
 */
void kallsyms_parse(char *text, struct kallsyms *ret);
/** Do the same as kallsyms_parse() for the text of a file. If the file cannot be read, there are no
 * symbols. */
void kallsyms_read(const char *path, struct kallsyms *ret);
/** The function that holds `address`; NULL: no symbol says this. */
const struct kallsyms_symbol *kallsyms_at(const struct kallsyms *k, uint64_t address);
