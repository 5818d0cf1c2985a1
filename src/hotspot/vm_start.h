/*
 * vm_start.h - what a VM in any memory was started with, and which one it is.
 *
 * The VM copies its command line before it parses it, so this is there from its first moments on,
 * and does not change. Source: HotSpot arguments.hpp, abstract_vm_version.hpp, vmStructs.cpp.
 * Context of everything here: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct target;

/** A text of these is cut to this many bytes: the longest argument that Linux takes. */
enum { VM_START_TEXT = 128 << 10 };

enum vm_start_list {
    VM_START_FLAGS, /* of a file, -XX:Flags= */
    VM_START_ARGS,  /* of the command line and of JAVA_TOOL_OPTIONS and its like */
};

/** Which VM it is, as its error log says; 0-terminated. Its length, -1 not readable. */
int vm_start_version(const struct target *t, char *dst, size_t size);
/** The main class or jar with its arguments. As above. */
int vm_start_command(const struct target *t, char *dst, size_t size);
/** How many texts such a list has. */
uint32_t vm_start_count(const struct target *t, enum vm_start_list list);
/** One of them. As above. */
int vm_start_item(const struct target *t, enum vm_start_list list, uint32_t index, char *dst,
                  size_t size);
