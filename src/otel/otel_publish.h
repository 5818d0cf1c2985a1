/*
 * otel_publish.h - publishes the process context of OpenTelemetry for the own process: the names of
 * the attributes that its threads publish. otel_process.h has the format, the source and the
 * reader.
 *
 * The resource that the context describes is empty: the SDK of a program knows it, not this
 * library. There may be only one context in a process, which is the caller's to see to.
 * Context of everything here: any, not signal; one thread at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct otel_publish {
    void *mapping; /* NULL: nothing is published */
    size_t bytes;
    bool has_file; /* its name in /proc/PID/maps is at least that of its file */
};

/**
 * Publish these names, which replace those of before. A name that was published keeps its index, so
 * names may only be added. Errors: 0; -ENOMEM; E_LIMIT: the names are too long for a page; -errno:
 * the kernel refuses the mapping, or its name. After an error nothing is published.
 */
int otel_publish_set(struct otel_publish *p, const char *const *names, uint32_t count);
/** Publish nothing any more. */
void otel_publish_done(struct otel_publish *p);
