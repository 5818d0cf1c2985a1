/*
 * java_virtual_locks.h - the monitors of virtual threads that no thread carries at the moment.
 *
 * Since JDK 24 (JEP 491) a virtual thread is unmounted while it is blocked at a monitor, waits in
 * Object.wait(), or holds monitors. What it waits for is named by a field that the VM adds to
 * java.lang.VirtualThread; what it holds and nobody else has asked for lies in front of its frames
 * in the heap. Monitors that others have asked for are in the VM's list, with the thread's id.
 * Source: HotSpot javaClasses.hpp (java_lang_VirtualThread), objectMonitor.hpp (ObjectWaiter),
 * stackChunkOop.hpp, lockStack.hpp; JDK 24 to 26 agree.
 * Context of everything here: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct oops;

/**
 * The ObjectMonitor that an unmounted virtual thread (java.lang.VirtualThread) is blocked at or
 * waits for. 0: none, or not known.
 */
uint64_t java_virtual_locks_awaited(struct oops *o, uint64_t thread);

/** The objects on its lock stack, at most `max`; returns how many. */
uint32_t java_virtual_locks_held(struct oops *o, uint64_t thread, uint64_t *objects, uint32_t max);
