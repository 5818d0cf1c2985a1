/*
 * probe_open.h - what has begun and not ended yet: the hits of probes that begin something wait
 * here for the hit that ends it.
 *
 * A begin and its end come on one thread. What a thread has begun is a stack for each pair of
 * probes: an end belongs to the youngest begin that has the same keys, which are arguments that
 * both probes have; pairs without keys nest. The key of a function is the place of its return
 * address, and what lies deeper than a return is gone: its own return was not seen.
 *
 * Hits come in the order of their times. Memory is bounded: a begin that finds no room is counted,
 * and so is whatever finds no partner.
 * Context of everything here: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    PROBE_OPEN_KEYS = 8,
    PROBE_OPEN_MOST = 1 << 16, /* begins that wait, of all threads */
    PROBE_OPEN_DEPTH = 1024,   /* of them, of one thread and pair */
};

/** How the begins and ends of a pair find each other. */
enum probe_open_by {
    PROBE_OPEN_NESTED,    /* the youngest begin of the thread */
    PROBE_OPEN_BY_KEYS,   /* the youngest one with equal keys */
    PROBE_OPEN_BY_RETURN, /* keys[0] is the place of the return address */
};

/** A hit that begins or ends something. */
struct probe_open_hit {
    uint32_t pair;
    enum probe_open_by by;
    pid_t tid;
    uint64_t time_ns;
    uint64_t keys[PROBE_OPEN_KEYS]; /* unused ones are 0 */
    uint64_t return_to;             /* a call: the return address; 0: unknown */
    void *kept;                     /* a begin: what the caller keeps of it; may be NULL */
    bool is_dropped;                /* a begin: it was not looked at */
};

/** What found no partner. */
struct probe_open_counts {
    uint64_t matched;
    uint64_t ends;    /* without a begin: it was before the probes were in place, or not seen */
    uint64_t waiting; /* begins that have no end yet; at the end of the run all that had none */
    uint64_t exited;  /* begins of threads that have ended */
    uint64_t skipped; /* begins whose end was not seen: something outer has ended */
    uint64_t full;    /* begins for which there was no room */
    uint64_t lost;    /* begins that were given up when hits were lost */
};

struct probe_open;

/** `release` frees what the caller keeps of a begin. NULL: no memory. Owner: probe_open_free(). */
struct probe_open *probe_open_new(void (*release)(void *kept));
void probe_open_free(struct probe_open *o);

/** Keep a begin. Takes hit->kept over. */
void probe_open_begin(struct probe_open *o, const struct probe_open_hit *hit);
/** Find the begin of an end. If there is one, *ret is that begin, whose `kept` is now the caller's,
 * and it waits no more. */
bool probe_open_end(struct probe_open *o, const struct probe_open_hit *hit,
                    struct probe_open_hit *ret);
/** The call of a thread whose return address is known and lies at `address`: the youngest whose
 * key that is. If the CPU calls without its stack (`is_above`), a function saves the address below
 * its key: the call whose key is the next one above. NULL: there is none. */
const struct probe_open_hit *probe_open_call(const struct probe_open *o, pid_t tid,
                                             uint64_t address, bool is_above);
/** The thread has ended: what it has begun is given up. */
void probe_open_exit(struct probe_open *o, pid_t tid);
/** Hits were lost, of which nobody knows whose they were: all that has begun is given up, as
 * ends would find the begins of others. */
void probe_open_forget(struct probe_open *o);
struct probe_open_counts probe_open_counts(const struct probe_open *o);
