/*
 * times_inline.h - keeps the JIT compilers from inlining methods that have probes.
 *
 * A method that is inlined brings two calls of the tracker with it: to compile these costs C2 more
 * time than the call that inlining saves. docs/times-how.md. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Lower the VM's limits below the size of the smallest method with probes. Context: java. */
void times_inline_stop(void);
/** The limits are again what they were before times_inline_stop(). Context: java. */
void times_inline_restore(void);
