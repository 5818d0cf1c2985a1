/*
 * times_inline.h - keeps the JIT compilers from inlining methods that have probes.
 *
 * An inlined method brings two calls of the tracker into its caller. Compiling these takes C2 more
 * time than inlining saves. docs/times-how.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Lower the VM's limits below the size of the smallest method with probes. Context: java. */
void times_inline_stop(void);
/** Set the limits back to their values before times_inline_stop(). Context: java. */
void times_inline_restore(void);
