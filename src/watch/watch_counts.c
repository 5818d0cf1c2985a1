/*
 * watch_counts.c - see watch_counts.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_counts.h"
#include "metrics/metric.h"
#include "watch/watch_spool.h"
#include "watch/watch_table.h"

static const char *state_of(const struct watch_jvm *j)
{
    return !j->wants                        ? "skipped"
           : j->last == WATCH_VISIT_RECORDS ? "recorded"
           : j->last == WATCH_VISIT_OTHERS  ? "others"
           : j->failures > 0                ? "failed"
                                            : "waiting";
}

static void put_jvms(struct metric_set *set, const struct watch_table *table)
{
    static const char *const states[] = {"recorded", "waiting", "failed", "others", "skipped"};
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        double count = 0;
        for (uint32_t at = 0; at < table->count; at++)
            count += state_of(table->rows[at]) == states[i];
        metric_set_labelled(set, METRIC_WATCH_JVMS, count, "hprof.watch.state", states[i]);
    }
}

void watch_counts_put(struct metric_set *set, const struct watch_counts *c,
                      const struct watch_spool *spool, const struct watch_table *table)
{
    const struct {
        const char *name;
        uint64_t count;
    } ends[] = {{"taken", c->taken},     {"sent", c->sent},
                {"refused", c->refused}, {"dropped", spool->dropped_files},
                {"odd", c->odd},         {"missing", c->missing}};
    put_jvms(set, table);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        metric_set_labelled(set, METRIC_WATCH_FILES, (double)ends[i].count, "hprof.watch.file",
                            ends[i].name);
    metric_set_value(set, METRIC_WATCH_RECORDINGS, (double)c->recordings);
    metric_set_value(set, METRIC_WATCH_UNSEEN, (double)c->unseen);
    metric_set_value(set, METRIC_WATCH_REQUESTS, (double)c->requests);
    metric_set_value(set, METRIC_WATCH_BYTES, (double)c->bytes);
    metric_set_labelled(set, METRIC_WATCH_SAMPLES, (double)c->samples, "hprof.watch.file", "sent");
    metric_set_labelled(set, METRIC_WATCH_SAMPLES, (double)c->samples_lost, "hprof.watch.file",
                        "refused");
    metric_set_value(set, METRIC_WATCH_SPOOL_FILES, spool->count);
    metric_set_value(set, METRIC_WATCH_SPOOL_USED, (double)spool->bytes);
    metric_set_value(set, METRIC_WATCH_SPOOL_LIMIT, (double)spool->limit_bytes);
    metric_set_value(set, METRIC_WATCH_SPOOL_DROPPED, (double)spool->dropped_bytes);
    metric_set_labelled(set, METRIC_WATCH_SHARE, c->own_share, "hprof.watch.part", "own");
    metric_set_labelled(set, METRIC_WATCH_SHARE, c->agents_share, "hprof.watch.part", "agents");
    metric_set_value(set, METRIC_WATCH_BUDGET, c->budget);
}
