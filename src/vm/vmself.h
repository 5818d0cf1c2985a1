/*
 * vmself.h - questions to the tables of the agent's own VM, with any walker.
 *
 * The functions read through the kernel (own_memory.h), so a bad address is an error and not a
 * crash. Source: HotSpot vmStructs.cpp. Context: any, not signal; one thread at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/** The feature release of the JDK: 8, 11, ... Context: any. */
int vmself_release(jvmtiEnv *jvmti);

/** The kernel's id of the thread whose JavaThread is at `java_thread`; 0: not known. */
int32_t vmself_tid(uint64_t java_thread);

/** Get the offset of a field in a structure of the VM. Returns 0 if the VM does not have it in its
 * tables. */
int vmself_field(const char *type, const char *name, uint64_t *ret_offset);

/**
 * Turn a boolean flag of the VM on, as on the command line.
 * Errors:  0; E_NOT_FOUND: the VM has no such flag or no tables.
 */
int vmself_turn_on(const char *flag);
/** Whether a boolean flag of the VM is on; also 0 if the VM has no such flag. */
bool vmself_is_on(const char *flag);
/** Turn a boolean flag off. Errors: as vmself_turn_on(). */
int vmself_turn_off(const char *flag);
/** Set a flag that is a number as wide as an address (intx, uintx, size_t). Errors: as
 * vmself_turn_on(). A library that gives the old number back uses vm_flag.h. */
int vmself_set_number(const char *flag, uint64_t value);
/** Get the value of such a flag. Errors: as vmself_turn_on(). */
int vmself_number(const char *flag, uint64_t *ret_value);
/** Set a flag that is a text; `text` must live as long as the VM. Errors: as vmself_turn_on(). */
int vmself_set_text(const char *flag, const char *text);
