/*
 * elf_note.h - the notes of an ELF file, one after the other.
 *
 * The notes of all PT_NOTE segments come in the order of the file; a damaged note ends its segment.
 * Notes beyond the end of the file (a core that was cut) are left out.
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
        *owner; /* "CORE", "GNU"; at most owner_len bytes; it may have no 0 at its end at all */
    uint32_t owner_len;
    const unsigned char *data;
    uint32_t len;
};

/** The place of a reader. All zero: in front of the first note. */
struct elf_note_at {
    unsigned segment;
    uint64_t offset;
};

/** Read the next note. Returns 1, or 0 if there is none. The note points into the file. */
int elf_note_next(const struct elf_file *f, struct elf_note_at *at, struct elf_note *ret_note);

/**
 * Read the note at `at` in the `size` bytes of a segment of notes; *ret_next is where the next note
 * begins. Returns 1, or 0 if there is none. The note points into the bytes.
 */
int elf_note_read(const unsigned char *bytes, uint64_t size, uint64_t at, struct elf_note *ret_note,
                  uint64_t *ret_next);

/** Whether the note has this owner ("CORE") and type. */
bool elf_note_is(const struct elf_note *note, const char *owner, uint32_t type);
