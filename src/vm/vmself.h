/*
 * vmself.h - what the agent asks of its own VM's tables, walker or not.
 *
 * Reads through process_vm_readv, so an address that is gone is an error, not a crash.
 * Source: HotSpot vmStructs.cpp. Context: any, not signal; one thread at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <jvmti.h>
#include <stdint.h>

/** The feature release of the JDK: 8, 11, ... Context: any. */
int vmself_release(jvmtiEnv *jvmti);

/** The kernel's id of the thread whose JavaThread is at `java_thread`; 0: not known. */
int32_t vmself_tid(uint64_t java_thread);

/** Where a field lies in a structure of the VM's: in *ret_offset. Returns 0 where the VM does not
 * say. */
int vmself_field(const char *type, const char *name, uint64_t *ret_offset);

/**
 * Turn a boolean flag of the VM on, as if it stood on the command line.
 * Errors: 0; E_NOT_FOUND the VM has no such flag or no tables.
 */
int vmself_turn_on(const char *flag);
/** Whether a boolean flag of the VM is on; 0 too when the VM has no such flag. */
bool vmself_is_on(const char *flag);
/** Turn it off, as vmself_turn_on(). */
int vmself_turn_off(const char *flag);
/** Set a flag that is a number as wide as an address (intx, uintx, size_t). Errors: the same. A
 * library that gives the old number back uses vm_flag.h. */
int vmself_set_number(const char *flag, uint64_t value);
/** What such a flag is. Errors: the same. */
int vmself_number(const char *flag, uint64_t *ret_value);
/** Set a flag that is text; `text` must live as long as the VM. Errors: the same. */
int vmself_set_text(const char *flag, const char *text);
