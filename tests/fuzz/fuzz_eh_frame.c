/*
 * fuzz_eh_frame.c - ELF files: symbols, notes, call frame information.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"
#include "elf/eh_frame.h"
#include "elf/elf_note.h"
#include <stdlib.h>

static int visit(void *arg, const char *name, uint64_t value, uint64_t size)
{
    uint64_t *sum = arg;
    *sum += value + size + (uint64_t)name[0];
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct elf_file file;
    struct eh_frame frames;
    struct elf_note note;
    struct elf_note_at at = {0, 0};
    const unsigned char *id;
    uint64_t sum = 0;
    if (elf_file_of_bytes(bytes, len, &file) < 0)
        return 0;
    elf_file_each_function(&file, visit, &sum);
    elf_file_build_id(&file, &id);
    while (elf_note_next(&file, &at, &note)) {
        for (uint32_t i = 0; i < note.len; i++)
            sum += note.data[i];
    }
    if (eh_frame_open(&file, &frames) == 0) {
        struct cfi_row *rows, row;
        uint32_t count;
        if (eh_frame_rows(&frames, elf_file_base(&file), &rows, &count) == 0) {
            for (uint32_t i = 0; i < count && i < 200; i++)
                eh_frame_find(&frames, elf_file_base(&file) + rows[i].pc, &row);
            free(rows);
        }
    }
    return 0;
}
