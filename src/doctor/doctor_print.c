/*
 * doctor_print.c - see doctor_print.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "doctor/doctor_print.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/plural.h"
#include "base/sink.h"
#include "doctor/doctor_rule.h"
#include "format/json_out.h"

enum { ROOM = 512 };

static const char *const units[] = {[DOCTOR_COUNT] = "",
                                    [DOCTOR_PERCENT] = " %",
                                    [DOCTOR_SECONDS] = " s",
                                    [DOCTOR_PER_SECOND] = " a second"};

static void put_value(struct sink *out, double value, enum doctor_unit unit)
{
    sink_printf(out, unit == DOCTOR_COUNT ? "%.0f%s" : "%.1f%s", value, units[unit]);
}

/* The next command, with the number of the process in place of PID. */
static void next_command(const struct doctor_rule *rule, const struct doctor_facts *f,
                         char text[ROOM])
{
    const char *at = rule->next, *found;
    size_t len = 0;
    text[0] = '\0';
    while (f->pid > 0 && (found = strstr(at, "PID")) != NULL && len < ROOM - 1) {
        len +=
            (size_t)snprintf(text + len, ROOM - len, "%.*s%d", (int)(found - at), at, (int)f->pid);
        at = found + 3;
    }
    if (len < ROOM)
        snprintf(text + len, ROOM - len, "%s", at);
}

void doctor_print_text(struct sink *out, const struct doctor_facts *f,
                       const struct doctor_findings *found, bool is_whole)
{
    char next[ROOM];
    if (f->pid > 0)
        sink_printf(out, "%d ", (int)f->pid);
    sink_text(out, f->target);
    if (f->version[0] != '\0')
        sink_printf(out, ", JDK %s", f->version);
    if (f->seconds > 0)
        sink_printf(out, ", looked at for %.1f s", f->seconds);
    sink_printf(out, ": %s, %u of %d rules judged\n",
                found->worst >= DOCTOR_WARNING ? doctor_rule_severities[found->worst]
                : found->judged > 0            ? "healthy"
                                               : "nothing is known",
                found->judged, DOCTOR_RULES);
    for (uint32_t i = 0; i < found->count; i++) {
        const struct doctor_finding *one = &found->all[i];
        const struct doctor_rule *rule = &doctor_rule_all[one->rule];
        sink_printf(out, "\n%s: %s: ", doctor_rule_severities[one->severity], rule->name);
        put_value(out, one->value, rule->unit);
        if (rule->unit != DOCTOR_COUNT || rule->at[one->severity] > 1) {
            sink_text(out, " (from ");
            put_value(out, rule->at[one->severity], rule->unit);
            sink_text(out, " on)");
        }
        sink_printf(out, "\n    %s\n", rule->cause);
        if (one->text[0] != '\0')
            sink_printf(out, "    Seen: %s\n", one->text);
        next_command(rule, f, next);
        sink_printf(out, "    Next: %s\n", next);
    }
    if (is_whole && found->judged < DOCTOR_RULES)
        sink_text(out, "\nNot judged, because the facts are not known:");
    for (int i = 0; is_whole && i < DOCTOR_RULES; i++)
        if (found->is_unknown[i])
            sink_printf(out, " %s", doctor_rule_all[i].name);
    if (is_whole && found->judged < DOCTOR_RULES)
        sink_text(out, "\n");
}

static void put_member(struct sink *out, const char *before, const char *text)
{
    sink_text(out, before);
    json_out_text(out, text, strlen(text));
}

void doctor_print_json(struct sink *out, const struct doctor_facts *f,
                       const struct doctor_findings *found)
{
    static const char *const words[] = {[DOCTOR_COUNT] = "count",
                                        [DOCTOR_PERCENT] = "percent",
                                        [DOCTOR_SECONDS] = "seconds",
                                        [DOCTOR_PER_SECOND] = "per_second"};
    const char *parting = "\n";
    char next[ROOM];
    sink_printf(out, "{\"severity\":\"%s\",\"judged\":%u,\"findings\":[",
                doctor_rule_severities[found->worst], found->judged);
    for (uint32_t i = 0; i < found->count; i++) {
        const struct doctor_finding *one = &found->all[i];
        const struct doctor_rule *rule = &doctor_rule_all[one->rule];
        sink_printf(out, "%s{\"rule\":\"%s\",\"severity\":\"%s\",\"value\":%.15g,\"unit\":\"%s\"",
                    i > 0 ? ",\n" : "\n", rule->name, doctor_rule_severities[one->severity],
                    one->value, words[rule->unit]);
        sink_printf(out, ",\"threshold\":%.15g", rule->at[one->severity]);
        put_member(out, ",\"cause\":", rule->cause);
        put_member(out, ",\"seen\":", one->text);
        next_command(rule, f, next);
        put_member(out, ",\"next\":", next);
        sink_text(out, "}");
    }
    sink_text(out, "],\n\"unknown\":[");
    for (int i = 0; i < DOCTOR_RULES; i++) {
        if (!found->is_unknown[i])
            continue;
        put_member(out, parting, doctor_rule_all[i].name);
        parting = ",";
    }
    sink_text(out, "],\n");
    doctor_fact_write(out, f);
    sink_text(out, "}\n");
}
