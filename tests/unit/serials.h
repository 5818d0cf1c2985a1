/* serials.h - rows of a model by their numbers in HPROF files. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "format/hprof_serial.h"
#include "profile/profile.h"

/** The first trace that a file names by this number; 0: none. */
static inline trace_id serials_trace(const struct profile *p, uint32_t serial)
{
    for (trace_id id = 1; id <= profile_trace_count(p); id++)
        if (hprof_serial_trace(p, id) == serial)
            return id;
    return 0;
}
