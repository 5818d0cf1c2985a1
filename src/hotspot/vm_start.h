/*
 * vm_start.h - the command line of a VM in any memory, and the VM's version.
 *
 * The VM copies its command line before it parses it. The texts are therefore there from the VM's
 * first moments on, and do not change. Source: HotSpot arguments.hpp, abstract_vm_version.hpp,
 * vmStructs.cpp.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct target;

/** These texts are cut to this many bytes: the longest argument that Linux takes. */
enum { VM_START_TEXT = 128 << 10 };

enum vm_start_list {
    VM_START_FLAGS, /* arguments from a file, -XX:Flags= */
    VM_START_ARGS,  /* arguments of the command line, of JAVA_TOOL_OPTIONS and similar variables */
};

/** Copy the VM's version as its error log has it, 0-terminated. Returns its length, or -1. */
int vm_start_version(const struct target *t, char *dst, size_t size);
/** Copy the main class or jar with its arguments. Returns the same as vm_start_version(). */
int vm_start_command(const struct target *t, char *dst, size_t size);
/** The number of texts in a list. */
uint32_t vm_start_count(const struct target *t, enum vm_start_list list);
/** Copy one text of a list. Returns the same as vm_start_version(). */
int vm_start_item(const struct target *t, enum vm_start_list list, uint32_t index, char *dst,
                  size_t size);
