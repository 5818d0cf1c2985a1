/*
 * layout.h - fills struct hs_layout for one VM, and says which fact is missing.
 *
 * Fails closed: a VM that lacks a fact, or whose facts contradict each other, gives E_FACT_MISSING
 * and the name of the fact; nobody guesses.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_layout.h"

struct elf_file;
struct mem;

/** What the caller wants to do; bits. */
enum layout_group {
    LAYOUT_walk = 1,
    LAYOUT_names = 2,
    LAYOUT_threads = 4,
    LAYOUT_vthreads = 8,
};

/**
 * Read the layout of the VM in `m`.
 *
 * `libjvm` is its library's file, `bias` what to add to the file's addresses.
 * Errors: 0; E_FACT_MISSING with *ret_missing naming the fact (static text) that a group of
 *         `groups` needs; E_VM_STATE the tables make no sense, or the VM is just starting and has
 *         not filled in what they lead to; -ENOMEM.
 */
int layout_load(struct mem *m, const struct elf_file *libjvm, uint64_t bias, unsigned groups,
                struct hs_layout *ret_layout, const char **ret_missing);

/** The groups of `groups` that `l` can serve. */
unsigned layout_groups(const struct hs_layout *l);
