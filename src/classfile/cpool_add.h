/*
 * cpool_add.h - adds entries at the end of a constant pool.
 *
 * Each function returns the new index; 0: the pool is full (65535 is the largest count) or there is
 * no memory. An added entry that nothing uses is legal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "classfile/cpool.h"

uint16_t cpool_add_utf8(struct cpool *p, const char *bytes, size_t len);
uint16_t cpool_add_integer(struct cpool *p, int32_t value);
uint16_t cpool_add_methodref(struct cpool *p, uint16_t class_index, const char *name,
                             const char *desc);
/** The index of the Class entry with this name: an existing entry, or a new one. */
uint16_t cpool_add_class(struct cpool *p, const char *name, size_t len);
