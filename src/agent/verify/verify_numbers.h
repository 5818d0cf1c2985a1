/*
 * verify_numbers.h - the numbers of injected methods in their calls of the verify tracker, and the
 * methods that they stand for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct instrument_method;

/** Make the table. Errors: 0; -ENOMEM. Context: any, before the first number is given. */
int verify_numbers_init(void);
/** The number of a method in its calls; -1: there are no more numbers. Context: any. */
int32_t verify_numbers_add(const struct instrument_method *m, uint64_t hash);
/** verify_frames_hash() of the method with this number. Context: signal. */
uint64_t verify_numbers_hash(uint32_t number);
/**
 * The class and name of the method, for example java/lang/String.length, cut at `size` - 1 bytes.
 * Context: any.
 */
void verify_numbers_name(uint32_t number, char *ret, size_t size);
