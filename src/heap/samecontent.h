/*
 * samecontent.h - finds things that are there several times, by a hash of 64 bits.
 *
 * Most things are there once. So all hashes are seen first and leave two bits each in a filter;
 * then only those that may be there again get a row. Hashes of different things may be equal with a
 * probability that nobody meets in practice; who made the heap may choose them so, and only makes
 * counts wrong.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "heap/graph.h"

struct heaproom;

/** Things with the same content. */
struct samecontent_row {
    uint64_t hash;
    uint64_t count, bytes; /* how many, and the sum of their sizes */
    uint64_t each_bytes;   /* size of the first one */
    graph_object first;
};

struct samecontent {
    struct heaproom *room;
    uint64_t *filter; /* two bits for a hash: seen, and seen again */
    uint64_t filter_bits;
    struct samecontent_row *rows; /* an open table; count 0: free */
    uint64_t room_rows, used;
};

/** For about `expected` things. Errors: 0; E_LIMIT. Owner: samecontent_done(), also after an
 * error. */
int samecontent_init(struct samecontent *s, struct heaproom *room, uint64_t expected);
void samecontent_done(struct samecontent *s);
/** The first pass: sees the hash of one thing. */
void samecontent_see(struct samecontent *s, uint64_t hash);
/** The second pass: whether there may be another thing with this hash. */
bool samecontent_may_repeat(const struct samecontent *s, uint64_t hash);
/**
 * The second pass: counts a thing. Returns how many things with this hash were counted before;
 * UINT64_MAX: there is no other one. Errors: *ret_error is E_LIMIT then.
 */
uint64_t samecontent_count(struct samecontent *s, uint64_t hash, graph_object object,
                           uint64_t bytes, int *ret_error);
/** Moves the rows of things that are there twice or more to the front, those that waste most first.
 * Returns how many rows there are. Nothing can be counted after that. */
uint64_t samecontent_sort(struct samecontent *s);
/** What is wasted by the things of a row: all but one of them. */
static inline uint64_t samecontent_wasted(const struct samecontent_row *row)
{
    return row->bytes - row->each_bytes;
}

/** A hash of bytes that come in pieces; all pieces but the last one have a multiple of 8 bytes. */
uint64_t samecontent_hash(uint64_t hash, const unsigned char *bytes, size_t len);
