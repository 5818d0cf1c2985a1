/*
 * probe_pair.h - which of the probes that somebody asked for begin something, and which end it.
 *
 * A pair is two probes: X__begin and X__end by the words of probe_pair.def, the entry and the
 * return of one function, or two that the user has named.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "probe/probe_open.h"

struct probe_sites;

enum { PROBE_PAIR_NAME = 192, PROBE_PAIR_MOST = 4096, PROBE_PAIR_NAMED = 16 };

/** Two names, as probe_sites_is_named() takes them. */
struct probe_pair_names {
    const char *begin, *end;
};

/** Which pairs are asked for. */
struct probe_pair_wish {
    bool by_names;  /* all that the names tell */
    bool has_calls; /* with the calls of each function whose returns are looked at, unseen */
    struct probe_pair_names named[PROBE_PAIR_NAMED];
    uint32_t named_count;
};

struct probe_pair {
    char name[PROBE_PAIR_NAME]; /* "hotspot:gc__begin..end" */
    uint32_t begin, end;        /* a site of each */
    enum probe_open_by by;
    unsigned fields; /* that are the same in both; 0 unless PROBE_OPEN_BY_KEYS */
    bool is_hidden;  /* nobody asked for it: it tells where calls return to */
};

struct probe_pairs {
    struct probe_pair *rows;
    uint32_t count;
    uint32_t *begins, *ends; /* of each site: index of its pair and 1; 0: none */
    bool *is_unseen;         /* of each site: nobody asked for it; a hidden pair has it */
};

/**
 * Find the pairs among the sites that are chosen, and choose the partners of those of which one
 * half was chosen. `chosen`: for each site.
 * Errors:  0; E_NOT_FOUND: by_names, and there is none, or *ret_wrong is a name that names no
 *          usable probe; E_RANGE: *ret_wrong names several; E_LIMIT: more than PROBE_PAIR_MOST;
 *          -ENOMEM. Owner: probe_pair_done(), also after an error.
 */
int probe_pair_find(const struct probe_sites *s, const struct probe_pair_wish *wish, bool *chosen,
                    struct probe_pairs *ret, const char **ret_wrong);
/** Whether the hits of a site are shown as they are, and not with a partner. */
bool probe_pair_is_alone(const struct probe_pairs *p, uint32_t site);
void probe_pair_done(struct probe_pairs *p);
/** Where the comma stands that parts the names of a pair; commas in parentheses are passed. NULL:
 * there is none, or a name is empty, or there is a second comma. */
const char *probe_pair_comma(const char *text);
/** The name of a pair of the probes begin and end, "P:x__begin" and "P:x__end". */
void probe_pair_name(char to[PROBE_PAIR_NAME], const char *begin, const char *end);
