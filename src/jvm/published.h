/*
 * published.h - what a live process says of itself by OpenTelemetry's process context
 * (otel/otel_process.h).
 *
 * The list of mappings is looked through first, so a process without a context costs one file of
 * /proc. Its memory is read as mem_live.h describes, without stopping it.
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sys/types.h>
#include "otel/otel_process.h"

/**
 * Read the context of a process. `task` is that of struct process. Errors: 0; E_NOT_FOUND: it has
 * none; -ESRCH; -EACCES, -EPERM: we may not look; those of otel_process_find(). Owner:
 * otel_process_done(); not needed after an error.
 */
int published_read(pid_t task, struct otel_process *ret);
