/*
 * vm_flag.h - numbers among the VM's flags that are lowered while a library measures.
 *
 * Several libraries may lower one flag: the flag has the least value that any of them asks for, and
 * its old value after the last of them has given it back (vm_shared.h). Source of the flags'
 * addresses: the VM's own tables (vmself.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/**
 * Lower the flag, a number as wide as an address, to `value` if it is greater. A library asks for
 * one value of a flag at a time.
 * Errors:  0; E_NOT_FOUND: the VM has no such flag or no tables; E_LIMIT: too many flags or
 *          libraries, nothing has changed.
 * Context: any, not signal.
 */
int vm_flag_lower(const char *flag, uint64_t value);
/** Give the flag back: the value that this library asked for does not hold any more. Nothing
 * happens if it did not ask for one. */
void vm_flag_restore(const char *flag);
