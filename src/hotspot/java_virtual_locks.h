/*
 * java_virtual_locks.h - the monitors of virtual threads that are not mounted at the moment.
 *
 * Since JDK 24 (JEP 491) a virtual thread is unmounted while it is blocked at a monitor, waits in
 * Object.wait(), or holds monitors. A field that the VM adds to java.lang.VirtualThread names the
 * monitor that the thread waits for. Monitors that the thread holds, and that no other thread has
 * asked for, lie in front of its frames in the heap. Monitors that other threads have asked for are
 * in the VM's list, with the id of the holder.
 * Source: HotSpot javaClasses.hpp (java_lang_VirtualThread), objectMonitor.hpp (ObjectWaiter),
 * stackChunkOop.hpp, lockStack.hpp; JDK 24 to 26 agree.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct oops;

/**
 * The ObjectMonitor at which an unmounted virtual thread (java.lang.VirtualThread) is blocked, or
 * for which it waits. 0: none, or not known.
 */
uint64_t java_virtual_locks_awaited(struct oops *o, uint64_t thread);

/** Read the objects on the lock stack of such a thread, at most `max`. Returns their number. */
uint32_t java_virtual_locks_held(struct oops *o, uint64_t thread, uint64_t *objects, uint32_t max);
