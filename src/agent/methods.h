/*
 * methods.h - the numbers that stand for injected methods, and the names behind them.
 *
 * Only grows; its memory is address space that is used as the numbers come. A method that is
 * injected again has its number again, whatever loader its class is of. Numbers of one VM, for
 * whoever injects. SPDX-License-Identifier: Apache-2.0
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
/** The number of the method, or -1: there are no more. Context: any, any thread. */
int32_t methods_add(const struct instrument_method *m);
/** How many numbers there are. */
uint32_t methods_count(void);
/** What stands behind a number. Context: signal. */
struct methods_names methods_names(uint32_t number);
