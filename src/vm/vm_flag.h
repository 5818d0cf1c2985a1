/*
 * vm_flag.h - numbers among the VM's flags that are lowered while a library measures.
 *
 * Several libraries may lower one flag: the least of what they ask for holds, and the flag is what
 * it was when the last of them has given it back (vm_shared.h). Source of where flags lie: the VM's
 * own tables (vmself.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/**
 * Lower the flag, a number as wide as an address, to `value` if it is above; a library asks for one
 * value of a flag at a time. Errors: 0; E_NOT_FOUND the VM has no such flag or no tables; E_LIMIT
 * too many flags or libraries: then nothing has changed. Context: any, not signal.
 */
int vm_flag_lower(const char *flag, uint64_t value);
/** What this library asked for does not hold any more. Nothing where it asked for nothing. */
void vm_flag_restore(const char *flag);
