/*
 * times_inline.c - see times_inline.h.
 *
 * The limits are flags of the VM that its compilers read at each call that they compile. Methods
 * that are smaller have no probes and are inlined as before, and so are methods that the VM's own
 * classes force to be inlined. Source: HotSpot bytecodeInfo.cpp, c1_GraphBuilder.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_inline.h"
#include <stddef.h>
#include "vm/vm_flag.h"

/* A method with probes has ten bytes at least; exactly ten only if its number is below six. */
enum { BYTES = 9 };

static const char *const limits[] = {"MaxInlineSize", "FreqInlineSize", "C1MaxInlineSize"};

void times_inline_stop(void)
{
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        vm_flag_lower(limits[i], BYTES);
}

void times_inline_restore(void)
{
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        vm_flag_restore(limits[i]);
}
