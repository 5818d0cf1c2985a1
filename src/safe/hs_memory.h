/*
 * hs_memory.h - the memory of one VM, and what a walk may use to read its stacks.
 *
 * A walker knows no memory of its own: the own process, another one and a core file are three of
 * these, and a program may have all of them. Nothing that a walk finds out lies elsewhere.
 * Context of everything here: signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_layout.h"
#include "safe/mem.h"

struct hs_calls;
struct unwind;

struct hs_memory {
    struct mem *mem;
    const struct hs_layout *layout;
    struct hs_calls *calls; /* what walks found out about call sites; NULL: it is not kept */
    struct unwind *unwind;  /* how C and C++ code is left; NULL: it cannot be */
};
