/*
 * heapnode.h - the numbers by which the tables of a graph name objects.
 *
 * They have 32 bits, which is enough for 4,294,967,279 objects and halves the memory of all
 * tables. A build with HEAPNODE_WIDE has 64 bits.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

#ifdef HEAPNODE_WIDE
typedef uint64_t heapnode;
#define HEAPNODE_TOP UINT64_MAX
#else
typedef uint32_t heapnode;
#define HEAPNODE_TOP UINT32_MAX
#endif

#define HEAPNODE_NONE HEAPNODE_TOP       /* no object */
#define HEAPNODE_MANY (HEAPNODE_TOP - 1) /* more than one object refers to this one */
#define HEAPNODE_ROOT (HEAPNODE_TOP - 2) /* the virtual root */
#define HEAPNODE_MAX (HEAPNODE_TOP - 16) /* more objects are refused */
