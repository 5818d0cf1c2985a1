/*
 * hotspot_self.h - the HotSpot VM of this process, ready to be walked by signal handlers.
 *
 * What hotspot.h opens can be read at leisure. Walks from a handler need more: a guard against
 * faults that stands in front of the VM's, a layout that was checked, the facts of stack chunks,
 * and how C code of this process is left. Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct hotspot;
struct unwind;

/** How C code of this process is left: what walks of its `memory` ask. */
extern struct unwind hotspot_self_unwind;

/**
 * Open the VM of this process, for walks and names.
 *
 * Finds the loaded libjvm.so, reads the layout, and puts the fault guard of mem_self.h in front of
 * the VM's signal handlers (or uses the VM's SafeFetch when the VM checks its handlers,
 * -Xcheck:jni). Call it when the VM is initialised (JVM TI: VMInit or later).
 * Errors: 0; E_FACT_MISSING with *ret_missing naming it (static text), also when the self-check
 *         fails; E_NOT_FOUND no libjvm.so; -errno.
 * Owner:  hotspot_close(); the layout must outlive the last walk.
 */
int hotspot_self_open(struct hotspot **ret_hotspot, const char **ret_missing);
