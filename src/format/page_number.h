/*
 * page_number.h - numbers as short text within a string of JSON. Most of the data of a page are
 * such numbers.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct sink;

/**
 * Writes a number in digits of base 90: '#' to '~' without '<' and '\\'. The first digit says how
 * many digits follow. Below 50 it is the number itself; after 50 .. 79 one more digit follows;
 * after 80 .. 87 two; after 88 five; after 89 ten, which is enough for 64 bits.
 */
void page_number_put(struct sink *s, uint64_t number);
/** The digit for a number below 90. */
uint8_t page_number_digit(uint32_t number);
