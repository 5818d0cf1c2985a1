/*
 * export_stop.c - see export_stop.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "export/export_stop.h"
#include <signal.h>
#include "query/query_limit.h"

static volatile sig_atomic_t is_asked;

void export_stop(void)
{
    is_asked = 1;
    query_limit_interrupt();
}

bool export_stop_is_asked(void)
{
    return is_asked;
}
