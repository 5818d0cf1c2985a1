/*
 * scope_published.h - follows the libraries of the process that publish thread contexts by
 * OpenTelemetry's standard (safe/otel_thread.h), while a recording runs that has contexts.
 *
 * A library that is loaded later is seen within a second. A library that publishes stays loaded
 * until the last recording ends. If the process has several such libraries, the first one that has
 * a valid record in a thread counts. The names of attributes are in the context of the process
 * (otel/otel_process.h), which is read again within a second when it has changed.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { SCOPE_PUBLISHED_NAME = 64 }; /* bytes of a name with its NUL; longer ones are left out */

/**
 * Look for libraries if some have come or gone since the last look. Context: java, without the
 * agent's lock: the linker's lock is taken, and a library that is being loaded may wait for the
 * agent.
 */
void scope_published_look(void);
/** Do not read the process context whose header is at this address: it is our own. 0: there is
 * none. Context: any. */
void scope_published_leave_out(uint64_t header);
/** No handler reads records any more; forget the libraries. Context as above, but with the lock of
 * life. */
void scope_published_end(void);
/** Whether a library publishes thread contexts. Context: any. */
bool scope_published_is_there(void);
/**
 * Copy the name of an attribute that threads publish, by its index in the context of the process.
 * Returns false: the index has no name, or has one for less than a second. Context: any.
 */
bool scope_published_name(uint8_t index, char ret[SCOPE_PUBLISHED_NAME]);
