/*
 * jfrchunk.h - what lies in JFR chunks, for tests of those who write them: by the format alone,
 * without the product's own reader. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JFRCHUNK_TYPES = 256 };

struct jfrchunk {
    uint64_t size, checkpoint, metadata, start_ns, duration_ns, start_ticks;
    uint32_t flags;
    uint32_t events[JFRCHUNK_TYPES]; /* by type; 0 and 1 are metadata and checkpoints */
    uint32_t checkpoints;            /* of the chain that the header begins */
};

/**
 * The chunk at the start of `bytes`. Fails the test where it is no whole one: events that do not
 * fill it, a chain of checkpoints that leads elsewhere, an empty pool.
 */
struct jfrchunk jfrchunk_read(const unsigned char *bytes, size_t len);
/** The place behind an integer at `at`, whose value is *ret. */
size_t jfrchunk_leb(const unsigned char *bytes, size_t at, uint64_t *ret);
/** Whether `text` lies somewhere in the bytes. */
bool jfrchunk_has(const unsigned char *bytes, size_t len, const char *text);
