/*
 * allocsite.h - the instructions of a method that leave a new object on the stack.
 *
 * Arrays have instructions of their own; objects pass Object.<init>. What passes neither comes from
 * a few methods of the JDK, and the calls of those are found by their names: see allocsite.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct bytecode;
struct cpool;

/** Set BYTECODE_MAKES on them; how many there are. bytecode_list_events() is to follow. */
uint32_t allocsite_mark(const struct cpool *pool, struct bytecode *c);
