/*
 * allocsite.h - finds the instructions of a method that leave a new object on the stack.
 *
 * Arrays have their own instructions. Other objects pass the constructor Object.<init>. The few
 * objects that do neither come from a few methods of the JDK; calls of these methods are found by
 * name: see allocsite.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct bytecode;
struct cpool;

/** Set BYTECODE_MAKES on these instructions. Returns how many there are. Call
 * bytecode_list_events() after it. */
uint32_t allocsite_mark(const struct cpool *pool, struct bytecode *c);
