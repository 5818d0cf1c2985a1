/*
 * query_load.c - see query_load.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_load.h"
#include <stdint.h>
#include "jfr/jfr_value.h"
#include "query/query_sample.h"
#include "query/query_scan.h"
#include "query/query_state.h"

int query_load_all(struct query *q)
{
    const struct query_scan_wants wants = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .with_constants = true};
    struct query_scan s;
    struct jfr_value v;
    int got = 0;
    if (q->is_loaded)
        return 0;
    query_scan_begin(&s, q, &wants);
    while ((got = query_scan_next(&s)) > 0) {
        query_scan_field(&s, s.bind->thread, &v);
        query_scan_thread(&s, &v);
        query_scan_field(&s, s.bind->stack, &v);
        if (v.shape == JFR_OBJECT)
            jfr_stacks_trace(query_scan_stacks(&s), &v);
    }
    query_scan_end(&s);
    if (got == 0)
        got = query_sample_load(q);
    q->is_loaded = got == 0;
    return got;
}

void query_load_note(struct query *q)
{
    q->is_loaded = true;
}
