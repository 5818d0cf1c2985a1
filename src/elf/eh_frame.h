/*
 * eh_frame.h - the call frame information of an ELF file as rows for safe/cfi.h.
 *
 * One address at a time, found through the file's sorted index (for a tool that walks once), or all
 * of it as one sorted table (for a walker in a signal handler). A damaged record gives no row.
 * Source: Linux Standard Base 5.0 (.eh_frame, .eh_frame_hdr), DWARF 5 section 6.4.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "elf/elf_file.h"
#include "safe/cfi.h"

struct eh_frame {
    const struct elf_file *file;
    uint64_t addr, len; /* .eh_frame in the file's addresses */
    const unsigned char *bytes;
    uint64_t index_addr;        /* .eh_frame_hdr, 0 none */
    const unsigned char *index; /* its rows: two signed numbers of 4 bytes, from index_addr */
    uint32_t index_count;
};

/** Find the sections. `f` stays open. Errors: 0; E_NOT_FOUND the file has none. */
int eh_frame_open(const struct elf_file *f, struct eh_frame *ret_frames);

/** The row for one address of the file (a return address less 1). 1, or 0: there is none. */
int eh_frame_find(const struct eh_frame *e, uint64_t addr, struct cfi_row *ret_row);

/** The function that holds `addr`, if the index knows it: 1, or 0. For files without symbols. */
int eh_frame_function(const struct eh_frame *e, uint64_t addr, uint64_t *ret_start);

/**
 * All rows, sorted, with CFI_CFA_UNKNOWN rows in the gaps. `row.pc` counts from address `base` of
 * the file. Errors: 0; -ENOMEM. Owner: free(*ret_rows).
 */
int eh_frame_rows(const struct eh_frame *e, uint64_t base, struct cfi_row **ret_rows,
                  uint32_t *ret_count);
