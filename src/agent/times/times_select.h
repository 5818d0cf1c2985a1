/*
 * times_select.h - which methods cpu=times counts, and how their classes are changed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "vm/injector.h"

struct instrument_method;
struct options_times;

/** The settings of a run. */
struct times_select {
    const struct options_times *options;
    int release;   /* of the JDK */
    bool is_apart; /* waits are told apart from work */
};

/** The user for injector_add(). Add it after times_select_set(). */
extern struct injector_user times_select_user;

/**
 * Set what is chosen from now on. Owner: the options stay the caller's. Context: any, while nothing
 * is injected.
 */
void times_select_set(struct times_select how);
/**
 * The number of a method whose calls are counted, with its node in the trees; -1: there is no room.
 * Context: any.
 */
int32_t times_select_add(const struct instrument_method *m);
