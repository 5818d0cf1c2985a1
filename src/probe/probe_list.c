/*
 * probe_list.c - see probe_list.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_list.h"
#include <stdio.h>
#include <string.h>
#include "base/plural.h"
#include "base/sink.h"
#include "elf/stapsdt_arg.h"
#include "format/json_out.h"
#include "probe/probe_known.h"
#include "probe/probe_sites.h"

enum { NAME_COLUMN = 44, FIELDS_MOST = 16 };

static unsigned args_of(const struct probe_sites *s, const struct probe_site *site)
{
    const char *at = site->at.args;
    struct stapsdt_arg arg;
    unsigned count = 0;
    while (stapsdt_arg_next(&at, s->files[site->file].elf.machine, &arg) != 0)
        count++;
    return count;
}

/* Write the names of the fields, for `args` descriptors. */
static void put_fields(struct sink *out, const char *words, unsigned args, bool is_json)
{
    unsigned taken = 0;
    for (unsigned i = 0; taken < args && i < FIELDS_MOST; i++) {
        const struct probe_known_field f = probe_known_field(words, i);
        sink_printf(out, is_json ? "%s\"%s\"" : "%s%s", i == 0 ? "" : is_json ? "," : " ", f.name);
        taken += f.is_text ? 2 : 1;
    }
}

static void put_text_member(struct sink *out, const char *key, const char *text)
{
    sink_printf(out, "\"%s\":", key);
    json_out_text(out, text, strlen(text));
}

static void put_json(struct sink *out, const struct probe_sites *s, const struct probe_site *site)
{
    const char *flag, *known = probe_known_words(site->at.provider, site->at.name, &flag);
    const char *words = site->words ? site->words : known;
    sink_u1(out, '{');
    put_text_member(out, "library", s->files[site->file].name);
    sink_u1(out, ',');
    put_text_member(out, "provider", site->at.provider);
    sink_u1(out, ',');
    put_text_member(out, "name", site->at.name);
    sink_printf(out, ",\"offset\":%llu,\"semaphore\":%llu,\"usable\":%s,\"fields\":[",
                (unsigned long long)site->at.offset, (unsigned long long)site->at.semaphore,
                site->is_usable ? "true" : "false");
    put_fields(out, words, args_of(s, site), true);
    sink_text(out, "],");
    put_text_member(out, "descriptors", site->at.args);
    if (flag) {
        sink_u1(out, ',');
        put_text_member(out, "needs", flag);
    }
    if (site->why_not) {
        sink_u1(out, ',');
        put_text_member(out, "refused", site->why_not);
    }
    sink_text(out, "}\n");
}

/* A line for `sites` sites of one name, the first of which is `site`. */
static void put_line(struct sink *out, const struct probe_sites *s, const struct probe_site *site,
                     uint32_t sites, uint32_t usable)
{
    const char *flag, *known = probe_known_words(site->at.provider, site->at.name, &flag);
    const char *words = site->words ? site->words : known;
    size_t width = strlen(site->at.provider) + 1 + strlen(site->at.name);
    sink_printf(out, "%s:%s%*s %5u  ", site->at.provider, site->at.name,
                width < NAME_COLUMN ? (int)(NAME_COLUMN - width) : 0, "", sites);
    put_fields(out, words, args_of(s, site), false);
    if (flag)
        sink_printf(out, "  (needs %s)", flag);
    if (usable < sites)
        sink_printf(out, "  (%u cannot be used%s%s)", sites - usable, site->why_not ? ": " : "",
                    site->why_not ? site->why_not : "");
    sink_u1(out, '\n');
}

uint32_t probe_list_write(struct sink *out, const struct probe_sites *s, const char *const *names,
                          unsigned count, bool is_json)
{
    uint32_t written = 0, file = UINT32_MAX;
    for (uint32_t i = 0; i < s->count;) {
        const struct probe_site *site = &s->rows[i];
        uint32_t end = i, usable = 0;
        for (; end < s->count && probe_sites_are_same(site, &s->rows[end]); end++)
            usable += s->rows[end].is_usable;
        bool is_wanted = probe_sites_is_named(site, names, count);
        if (is_wanted && !is_json && site->file != file) {
            file = site->file;
            sink_printf(out, "%s%s:%*s SITES  ARGUMENTS\n", written ? "\n" : "",
                        s->files[file].name,
                        (int)(strlen(s->files[file].name) < NAME_COLUMN - 1
                                  ? NAME_COLUMN - 1 - strlen(s->files[file].name)
                                  : 0),
                        "");
        }
        if (is_wanted && !is_json)
            put_line(out, s, site, end - i, usable);
        for (uint32_t row = i; is_wanted && is_json && row < end; row++)
            put_json(out, s, &s->rows[row]);
        written += is_wanted ? end - i : 0;
        i = end;
    }
    return written;
}
