/*
 * verify_numbers.h - the numbers by which injected methods call the tracker of a verify run, and
 * what stands behind each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct instrument_method;

/** Memory for them. Errors: 0; -ENOMEM. Context: any, before the first number is given. */
int verify_numbers_init(void);
/** The number that stands for a method in its calls, or -1: there are no more. Context: any. */
int32_t verify_numbers_add(const struct instrument_method *m, uint64_t hash);
/** What stands behind a number: verify_frames_hash() of the method. Context: signal. */
uint64_t verify_numbers_hash(uint32_t number);
/** The method's class and name, as in java/lang/String.length, cut at `size` - 1 bytes. Context:
 * any. */
void verify_numbers_name(uint32_t number, char *ret, size_t size);
