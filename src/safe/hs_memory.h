/*
 * hs_memory.h - the memory of one VM, and what a walk may use to read the VM's stacks.
 *
 * A walker has no memory of its own. The own process, another process and a core file are three
 * such memories, and one program may have all three. Whatever a walk finds out is kept in this
 * struct and nowhere else.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_layout.h"
#include "safe/mem.h"

struct hs_calls;
struct unwind;

struct hs_memory {
    struct mem *mem;
    const struct hs_layout *layout;
    struct hs_calls *calls; /* what walks found out about call sites; NULL: nothing is kept */
    struct unwind *unwind;  /* how to leave C and C++ code; NULL: such code cannot be left */
};
