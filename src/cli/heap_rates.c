/*
 * heap_rates.c - see heap_rates.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/heap_rates.h"
#include <string.h>
#include "base/err.h"
#include "command/diag_say.h"
#include "command/say.h"
#include "heap/allocrates.h"
#include "profile/found.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "profile/sums.h"
#include "reading/load.h"
#include "safe/clock.h"

/* The values of an allocation: its series has the bytes, the value behind it counts objects. */
enum { OBJECTS_BEHIND = 1 };

static const char *text_of(struct profile *p, string_id id)
{
    return profile_string_at(p, id)->bytes;
}

static int add_site(struct profile *p, const struct sum *sum, uint32_t bytes,
                    struct allocrates *rates)
{
    char site[ALLOCRATES_SITE_ROOM] = "";
    const struct profile_trace *trace = profile_trace_at(p, sum->trace);
    bool wants_more = true;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < trace->depth && wants_more; i++) {
        const struct profile_frame *frame = profile_frame_at(p, trace->frames[i]);
        if (!frame_kind_is_java((enum frame_kind)frame->kind))
            continue; /* dumps have frames of Java alone */
        const struct profile_method *method = profile_method_at(p, frame->method);
        wants_more = allocrates_add_frame(site, depth++,
                                          text_of(p, profile_class_at(p, method->klass)->name),
                                          text_of(p, method->name));
    }
    return depth == 0 ? 0
                      : heapsummary_add(&rates->sites, strdup(site),
                                        sum->value[bytes + OBJECTS_BEHIND], sum->value[bytes], 0);
}

static int take(struct profile *p, const struct series *alloc, struct allocrates *rates)
{
    const struct sums *sums = profile_sums(p, alloc->kind);
    uint32_t bytes = alloc->value;
    const struct found *found = profile_found(p);
    int error = 0;
    for (uint32_t i = 1; i <= sums->rows.count && error == 0; i++) {
        const struct sum *sum = sums_at(sums, i);
        if (sum->value[bytes] == 0)
            continue; /* an object that lives, not an allocation */
        error = heapsummary_add(&rates->classes,
                                strdup(text_of(p, profile_class_at(p, sum->klass)->name)),
                                sum->value[bytes + OBJECTS_BEHIND], sum->value[bytes], 0);
        if (error == 0)
            error = add_site(p, sum, bytes, rates);
    }
    if (found->to_ns > found->from_ns)
        rates->seconds = (double)(found->to_ns - found->from_ns) / NS_PER_S;
    heapsummary_merge(&rates->classes);
    heapsummary_merge(&rates->sites);
    return error;
}

int heap_rates_read(const char *path, struct allocrates **ret_rates)
{
    struct load load;
    const struct series *alloc = series_named("alloc");
    struct allocrates *rates = allocrates_new(path);
    *ret_rates = NULL;
    if (!rates)
        return say("heap: %s", err_text(E_LIMIT)), E_LIMIT;
    int error = load_open_series(path, &(struct load_how){0}, alloc, diag_say(), &load);
    if (error == 0) {
        error = take(load.profile, alloc, rates);
        if (error < 0)
            say("heap: %s: %s", path, err_text(error));
        else if (rates->classes.count == 0)
            say("heap: %s: it has no allocations; record them with: hprof record -e alloc", path);
        error = error == 0 && rates->classes.count == 0 ? E_NOT_FOUND : error;
    }
    load_close(&load);
    if (error < 0) {
        allocrates_free(rates);
        return error;
    }
    *ret_rates = rates;
    return 0;
}
