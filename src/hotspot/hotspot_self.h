/*
 * hotspot_self.h - the HotSpot VM of this process, ready to be walked by signal handlers.
 *
 * hotspot.h opens a VM for ordinary reads. Walks from a handler need more: a guard against faults
 * that stands in front of the VM's handlers, a layout that was checked, the facts of stack chunks,
 * and the way out of C code of this process.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct hotspot;
struct unwind;

/** The way out of C code of this process; the struct hs_memory of this VM points to it. */
extern struct unwind hotspot_self_unwind;

/**
 * Open the VM of this process, for walks and names.
 *
 * Finds the loaded libjvm.so, reads the layout, and puts the fault guard of mem_self.h in front of
 * the VM's signal handlers. If the VM checks its handlers (-Xcheck:jni), the VM's SafeFetch is used
 * instead. Call this when the VM is initialised (JVM TI: VMInit or later).
 * Errors:  0; E_FACT_MISSING, and *ret_missing names the fact (static text), also if the self-check
 *          fails; E_NOT_FOUND no libjvm.so; -errno.
 * Owner:   hotspot_close(); the layout must outlive the last walk.
 */
int hotspot_self_open(struct hotspot **ret_hotspot, const char **ret_missing);
