/*
 * elf_note.h - the notes of an ELF file, one after the other.
 *
 * Notes of all PT_NOTE segments in the order of the file; a damaged one ends its segment. What lies
 * beyond the end of the file (a core that was cut) is left out.
 * Source: ELF gABI chapter 5 (note section).
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "elf/elf_file.h"

struct elf_note {
    uint32_t type;
    const char
        *owner; /* "CORE", "GNU"; not longer than owner_len, with no 0 after it for certain */
    uint32_t owner_len;
    const unsigned char *data;
    uint32_t len;
};

/** Where a reader stands. All zero: before the first note. */
struct elf_note_at {
    unsigned segment;
    uint64_t offset;
};

/** The next note. 1, or 0: there is none. It points into the file. */
int elf_note_next(const struct elf_file *f, struct elf_note_at *at, struct elf_note *ret_note);

/**
 * The note at `at` of the `size` bytes of a segment of notes, and where the next one begins. 1, or
 * 0: there is none. It points into the bytes.
 */
int elf_note_read(const unsigned char *bytes, uint64_t size, uint64_t at, struct elf_note *ret_note,
                  uint64_t *ret_next);

/** Whether the note is of this owner ("CORE") and type. */
bool elf_note_is(const struct elf_note *note, const char *owner, uint32_t type);
