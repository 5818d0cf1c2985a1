/*
 * times_inline.c - see times_inline.h.
 *
 * The limits are flags of the VM that its compilers read each time they look at a call. Smaller
 * methods, which have no probes, and methods that the VM's own classes want inlined, are inlined as
 * before. Source: HotSpot bytecodeInfo.cpp, c1_GraphBuilder.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_inline.h"
#include <stddef.h>
#include <stdint.h>
#include "vm/vmself.h"

/* With probes a method has ten bytes at least, and these only if its number is below six. */
enum { BYTES = 9 };

static struct {
    const char *flag;
    uint64_t old;
    int is_lower; /* than it was */
} limits[] = {{"MaxInlineSize", 0, 0}, {"FreqInlineSize", 0, 0}, {"C1MaxInlineSize", 0, 0}};

void times_inline_stop(void)
{
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        if (!limits[i].is_lower)
            limits[i].is_lower = vmself_lower_number(limits[i].flag, BYTES, &limits[i].old) > 0;
}

void times_inline_restore(void)
{
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        if (limits[i].is_lower && vmself_set_number(limits[i].flag, limits[i].old) == 0)
            limits[i].is_lower = 0;
}
