/*
 * jfr_when.c - see jfr_when.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_when.h"
#include <ctype.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "base/window.h"
#include "format/format.h"
#include "jfr/jfr_chunk.h"
#include "jfr/jfr_nanotime.h"
#include "jfr/jfr_setting.h"
#include "jfr/jfr_value.h"

enum { WORD = 48 };

int jfr_when_begin(struct reader_in *in, const struct jfr_chunk *c)
{
    return in->window ? jfr_nanotime_resolve(in->window, c) : 0;
}

bool jfr_when_has(const struct reader_in *in, const struct jfr_chunk *c,
                  const struct jfr_value *event, uint64_t *ret_ns)
{
    struct jfr_value start;
    int64_t ns = 0;
    *ret_ns = 0;
    if (!in->window && !in->want.with_times)
        return true;
    if (jfr_value_named(c, event, "startTime", &start))
        ns = jfr_chunk_time_ns(c, start.number);
    *ret_ns = ns > 0 ? (uint64_t)ns : 0;
    return !in->window || window_has(in->window, ns);
}

/* Whether `word` is one of the words of `list`, which are separated by `part`. */
static bool is_in(const char *list, char part, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = list; at; at = strchr(at, part)) {
        at += *at == part;
        if (strncmp(at, word, len) == 0 && (at[len] == part || at[len] == '\0'))
            return true;
    }
    return false;
}

/* Makes "sleeping" from "STATE_SLEEPING". async-profiler and hprof write STATE_DEFAULT for a thread
 * that ran: this becomes "runnable". */
static void state_of(const struct jfr_chunk *c, const struct jfr_value *event, char word[WORD])
{
    static const char prefix[] = "state_";
    struct jfr_value state;
    *word = '\0';
    if (jfr_value_named(c, event, "state", &state))
        jfr_value_utf8(&state, word, WORD);
    for (char *at = word; *at != '\0'; at++)
        *at = *at == ' ' ? '_' : (char)tolower((unsigned char)*at);
    if (strncmp(word, prefix, sizeof(prefix) - 1) == 0)
        memmove(word, word + sizeof(prefix) - 1, strlen(word) - (sizeof(prefix) - 1) + 1);
    if (strcmp(word, "default") == 0)
        snprintf(word, WORD, "runnable");
}

bool jfr_when_has_state(struct reader_in *in, const struct jfr_chunk *c,
                        const struct jfr_value *event, const char *state)
{
    size_t used = strlen(in->states_met);
    char word[WORD];
    if (!in->want.states)
        return true;
    if (state)
        snprintf(word, sizeof(word), "%s", state);
    else
        state_of(c, event, word);
    if (*word != '\0' && !is_in(in->states_met, ' ', word) &&
        used + 1 + strlen(word) < sizeof(in->states_met))
        snprintf(in->states_met + used, sizeof(in->states_met) - used, " %s", word);
    bool has = is_in(in->want.states, ',', word);
    in->has_met_state |= has;
    return has;
}

/* Whether the interval of async-profiler's event with this name is CPU time in ns. */
static bool is_cpu_event(const char *name)
{
    return strcmp(name, "cpu") == 0 || strcmp(name, "itimer") == 0 || strcmp(name, "ctimer") == 0;
}

/* The JDK writes a period, "20 ms", for the type of the sample events. async-profiler writes an
 * interval, "1000000", in the unit of what it counts. */
uint64_t jfr_when_period(const struct jfr_chunk *c, const struct jfr_type *type,
                         const struct jfr_record *record, bool *is_cpu)
{
    struct jfr_setting setting;
    char text[WORD];
    uint64_t ns = 0;
    if (!jfr_setting_read(c, type, record, &setting))
        return 0;
    jfr_value_utf8(&setting.name, text, sizeof(text));
    bool is_event = strcmp(text, "event") == 0, is_interval = strcmp(text, "interval") == 0;
    bool is_sampling = setting.about && strcmp(setting.about->name, "jdk.ExecutionSample") == 0;
    bool is_period = is_sampling && strcmp(text, "period") == 0;

    jfr_value_utf8(&setting.value, text, sizeof(text));
    if (is_event)
        *is_cpu = is_cpu_event(text);
    if (is_interval && is_sampling && *is_cpu)
        return strtoull(text, NULL, 10);
    if (!is_period)
        return 0;
    char *blank = strchr(text, ' ');
    if (blank)
        memmove(blank, blank + 1, strlen(blank));
    return units_parse_duration(text, 1, &ns) == 0 ? ns : 0;
}
