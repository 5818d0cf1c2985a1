/*
 * gate.h - an entrance for the program's threads that can be closed and then is known to be empty.
 *
 * Calls from injected code, from functions of JNI and from the allocation sampler are not among the
 * events that vm/vm_event.h waits for, so they pass a gate. Each passage costs two additions to a
 * counter; the counters lie in cache lines of their own.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/stripe.h"

struct gate {
    _Atomic bool is_open;
    struct {
        _Alignas(STRIPE_BYTES) _Atomic uint32_t inside;
    } stripes[STRIPES];
};

/** Let threads in. Context: any. */
void gate_open(struct gate *g);
/** Close the gate and wait for the threads inside. Returns 1; 0: not empty after `ms`. */
int gate_close(struct gate *g, int ms);
/** Enter; gate_leave() takes the result. NULL: the gate is closed. Context: any. */
_Atomic uint32_t *gate_enter(struct gate *g);
void gate_leave(_Atomic uint32_t *inside);
