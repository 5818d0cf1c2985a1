/*
 * diff_page.c - see diff_page.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/diff_page.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "report/convert.h"
#include "report/diff.h"
#include "command/say.h"
#include "report/shown.h"
#include "format/format.h"
#include "profile/carry.h"
#include "profile/found.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "profile/sums.h"

/* Puts the stacks of one profile into the model of the page. */
static int put_side(struct format_out *o, const struct convert *c, struct profile *p)
{
    const struct sums *sums = profile_sums(p, c->series->kind);
    struct shown shown;
    struct carry carry;
    int r = shown_init(&shown, p, &c->how);
    if (r == 0)
        r = carry_init(&carry, p, o->profile);
    else
        carry = (struct carry){0};
    carry.names_only = true;
    for (uint32_t i = 1; i <= sums->rows.count && r == 0; i++) {
        const struct sum *sum = sums_at(sums, i);
        trace_id trace = 0;
        struct event event = {.kind = c->series->kind};
        event.value[c->series->value] = sum->value[c->series->value];
        if (shown_trace(&shown, sum->trace, 0, &trace) > 0)
            event.trace = carry_trace(&carry, trace);
        event.klass = sum->klass ? carry_class(&carry, sum->klass) : 0;
        event.text = sum->text ? carry_string(&carry, sum->text) : 0;
        r = event.trace ? c->format->event(o, &event) : -ENOMEM;
    }
    carry_done(&carry);
    shown_done(&shown);
    return r;
}

static int put_page(struct format_out *o, const struct convert *c, void *of)
{
    struct profile *const *profiles = of;
    int r = c->format->begin(o);
    for (int side = 0; side < DIFF_SIDES && r == 0; side++) {
        o->is_before = side == DIFF_BEFORE;
        r = put_side(o, c, profiles[side]);
    }
    int ended = c->format->end(o);
    return r ? r : ended;
}

/* The facts on the page (program, VM, time) are those of the later profile. */
static void carry_facts(struct profile *to, struct profile *from)
{
    const struct found *has = profile_found(from);
    struct found *found = profile_found(to);
    string_id program = profile_program(from) ? profile_program(from) : has->program;
    if (program)
        found->program = profile_cstring(to, profile_string_at(from, program)->bytes);
    if (has->vm)
        found->vm = profile_cstring(to, profile_string_at(from, has->vm)->bytes);
    found->from_ns = has->from_ns;
    found->to_ns = has->to_ns;
}

static void put_verdict(const struct diff *d, char *to, size_t room)
{
    size_t changed = diff_changed(d);
    const char *beyond = d->has_intervals ? " beyond chance" : "";
    if (changed == 0)
        snprintf(to, room, "nothing changed%s", beyond);
    else
        snprintf(to, room, "%zu method%s changed%s", changed, changed > 1 ? "s" : "", beyond);
}

int diff_page_write(const struct convert *c, const struct diff *diff,
                    struct profile *const profiles[], const char *const files[])
{
    struct profile *both = profile_new(SIZE_MAX);
    char verdict[128];
    struct format_out o = {.profile = both,
                           .is_compared = true,
                           .is_absolute = diff->is_absolute,
                           .kind = c->series->kind,
                           .value = c->series->value,
                           .kinds = 1u << c->series->kind,
                           .source = convert_title(files[DIFF_AFTER]),
                           .source_before = convert_title(files[DIFF_BEFORE]),
                           .verdict = verdict};
    put_verdict(diff, verdict, sizeof(verdict));
    if (both)
        carry_facts(both, profiles[DIFF_AFTER]);
    int r = both ? convert_with(c, &o, put_page, (void *)profiles) : -ENOMEM;

    if (!both)
        say("diff: no memory");
    profile_free(both);
    return r;
}
