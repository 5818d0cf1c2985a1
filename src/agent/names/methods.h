/*
 * methods.h - numbers for injected methods, and the names that belong to the numbers.
 *
 * The table only grows; its memory is reserved address space that is used as numbers are added. A
 * method that is injected again gets its old number, even in a class of another loader. All
 * injectors of one VM share the numbers.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum { METHODS_MAX = 1 << 20 };

struct instrument_method;

struct methods_names {
    const char *class_name; /* java/lang/String */
    const char *name, *desc;
    const char *source; /* "" unknown */
};

/** Errors: 0, -ENOMEM. Context: any. */
int methods_init(void);
/** The number of the method; -1 if there are no more numbers. Context: any, any thread. */
int32_t methods_add(const struct instrument_method *m);
/** How many numbers there are. */
uint32_t methods_count(void);
/** The names that belong to a number. Context: signal. */
struct methods_names methods_names(uint32_t number);
