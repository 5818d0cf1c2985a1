/*
 * elf_functions.h - which function of an ELF file holds an address.
 *
 * The list is read from the file's symbols at the first lookup, and points into the file's bytes.
 * If one address has several names, a lookup gives the shortest.
 * Context of everything here: any, not signal; one thread at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct elf_file;

struct elf_function {
    uint64_t start, size; /* addresses of the file */
    const char *name;
    uint32_t name_len;
};

/** The functions of a file. All zero: not read yet. */
struct elf_functions {
    struct elf_function *list; /* sorted by start */
    uint32_t count, room;
    bool is_read;
};

/** The function that holds `addr`; NULL: the file has no name for it, or there is no memory. */
const struct elf_function *elf_functions_at(struct elf_functions *f, const struct elf_file *file,
                                            uint64_t addr);
void elf_functions_done(struct elf_functions *f);
