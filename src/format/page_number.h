/*
 * page_number.h - numbers as short text within a string of JSON: what pages are full of.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct sink;

/**
 * In digits of base 90: '#' to '~' without '<' and '\\'. The first digit says how many follow:
 * below 50 it is the number; 50 .. 79 and one more; 80 .. 87 and two; 88 and five; 89 and ten,
 * which is more than 64 bits.
 */
void page_number_put(struct sink *s, uint64_t number);
/** A number below 90 in one digit. */
uint8_t page_number_digit(uint32_t number);
