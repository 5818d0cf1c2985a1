/*
 * gate.h - a way in for the program's threads that can be closed, and is known to be empty then.
 *
 * What injected code, functions of JNI and the allocation sampler call is not among the events that
 * vm/vm_event.h lets settle. Two additions to a counter of its own cache line for each way through.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdatomic.h>
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
/** Let none in any more, and wait for those inside. Returns 1; 0: not empty after `ms`. */
int gate_close(struct gate *g, int ms);
/** NULL: it is closed; else what gate_leave() takes. Context: any. */
_Atomic uint32_t *gate_enter(struct gate *g);
void gate_leave(_Atomic uint32_t *inside);
