/*
 * eh_frame.h - the call frame information of an ELF file as rows for safe/cfi.h.
 *
 * A tool that walks once asks for the row of one address, which is found through the file's sorted
 * index. A walker in a signal handler gets all rows as one sorted table. A damaged record gives no
 * row.
 * Source: Linux Standard Base 5.0 (.eh_frame, .eh_frame_hdr), DWARF 5 section 6.4.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "elf/elf_file.h"
#include "safe/cfi.h"

struct eh_frame {
    const struct elf_file *file;
    uint64_t addr, len; /* .eh_frame, in the file's addresses */
    const unsigned char *bytes;
    uint64_t index_addr;        /* .eh_frame_hdr; 0: none */
    const unsigned char *index; /* rows: two signed numbers of 4 bytes, relative to index_addr */
    uint32_t index_count;
};

/** Find the sections. `f` must stay open. Errors: 0; E_NOT_FOUND the file has none. */
int eh_frame_open(const struct elf_file *f, struct eh_frame *ret_frames);

/** Find the row for one address of the file (for a return address: the address less 1). Returns 1,
 * or 0 if there is none. */
int eh_frame_find(const struct eh_frame *e, uint64_t addr, struct cfi_row *ret_row);

/** The start of the function that holds `addr`, for files without symbols. Returns 1, or 0 if the
 * index does not have the function. */
int eh_frame_function(const struct eh_frame *e, uint64_t addr, uint64_t *ret_start);

/**
 * Make all rows, sorted, with CFI_CFA_UNKNOWN rows in the gaps. `row.pc` is relative to the address
 * `base` of the file. Errors: 0; -ENOMEM. Owner: free(*ret_rows).
 */
int eh_frame_rows(const struct eh_frame *e, uint64_t base, struct cfi_row **ret_rows,
                  uint32_t *ret_count);
