/*
 * graph_keep.h - the layout of FILE.hidx, for graph_keep.c and for its tests.
 *
 * docs/format/heap-index.md describes the file. Numbers are in the order of bytes of the machine
 * that wrote it; the first one tells another order.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "heap/heaptable.h"

enum {
    GRAPH_KEEP_PAGE = 1 << HEAPTABLE_PAGE_SHIFT_MOST,
    GRAPH_KEEP_VERSION = 1,
    GRAPH_KEEP_PROBES = 64, /* blocks of the dump whose contents are compared */
};

#define GRAPH_KEEP_MAGIC UINT64_C(0x584449464f525048) /* "HPROFIDX", the lowest byte first */

enum graph_keep_section {
    GRAPH_KEEP_FACTS,
    GRAPH_KEEP_CLASSES,
    GRAPH_KEEP_PAGES,
    GRAPH_KEEP_BLOCKS,
    GRAPH_KEEP_ROOTS,
    GRAPH_KEEP_THREADS,
    GRAPH_KEEP_LARGE,
    GRAPH_KEEP_HOLDERS,
    GRAPH_KEEP_DOM,
    GRAPH_KEEP_SHALLOW,
    GRAPH_KEEP_SUMS,
    GRAPH_KEEP_SECTIONS,
};

struct graph_keep_place {
    uint32_t kind, row_bytes;
    uint64_t rows, page; /* `page` is its first page */
};

/** The dump that an index is of. */
struct graph_keep_identity {
    uint64_t device, inode, bytes, changed_ns, altered_ns;
    uint64_t probes[GRAPH_KEEP_PROBES];
    uint64_t options; /* those on which the results depend */
    uint64_t dump;    /* which one of the file; 0: the last one */
};

struct graph_keep_head {
    uint64_t magic;
    uint32_t version, node_bytes;
    struct graph_keep_identity of;
    struct graph_keep_place places[GRAPH_KEEP_SECTIONS];
    uint64_t pages, shift; /* of the file; of the map of addresses */
    uint64_t checks;       /* the checksum of the table of checksums */
    uint64_t check;        /* the checksum of what is in front of it */
};

_Static_assert(sizeof(struct graph_keep_head) <= GRAPH_KEEP_PAGE, "the head is one page");
