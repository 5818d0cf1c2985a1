/*
 * layout.h - fill struct hs_layout for one VM, and say which fact is missing.
 *
 * If a VM lacks a fact, or if its facts contradict each other, the result is E_FACT_MISSING and the
 * name of the fact; nothing is guessed.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_layout.h"

struct elf_file;
struct mem;

/** The features for which the caller needs the layout; bits. */
enum layout_group {
    LAYOUT_walk = 1,
    LAYOUT_names = 2,
    LAYOUT_threads = 4,
    LAYOUT_vthreads = 8,
};

/**
 * Read the layout of the VM in `m`.
 *
 * `libjvm` is the file of the VM's library; `bias` is added to the addresses of the file.
 * Errors:  0; E_FACT_MISSING, and *ret_missing names the fact (static text) that a group of
 *          `groups` needs; E_VM_STATE the tables make no sense, or the VM is just starting and has
 *          not filled in the values yet; -ENOMEM.
 */
int layout_load(struct mem *m, const struct elf_file *libjvm, uint64_t bias, unsigned groups,
                struct hs_layout *ret_layout, const char **ret_missing);

/** The groups that `l` can serve. */
unsigned layout_groups(const struct hs_layout *l);
