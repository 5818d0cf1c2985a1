/*
 * mem_self_load_x86_64.c - see mem_self_load.h, x86-64.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/mem_self_load.h"
#include <ucontext.h>

uint64_t *mem_self_load_pc(void *ucontext)
{
    return (uint64_t *)&((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP];
}
