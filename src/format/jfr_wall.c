/*
 * jfr_wall.c - see jfr_wall.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_wall.h"
#include <string.h>
#include "jfr/jfr_value.h"

enum { WORD = 48 };

static void word_of(const struct jfr_chunk *c, const struct jfr_value *event, const char *field,
                    char word[WORD])
{
    struct jfr_value value;
    word[0] = '\0';
    if (jfr_value_named(c, event, field, &value))
        jfr_value_utf8(&value, word, WORD);
}

void jfr_wall_setting(struct jfr_wall *w, const struct jfr_chunk *c, const struct jfr_type *type,
                      const struct jfr_record *record)
{
    const struct jfr_value event = jfr_value_event(type, record);
    char name[WORD], value[WORD];
    word_of(c, &event, "name", name);
    word_of(c, &event, "value", value);
    w->is_all |= strcmp(name, "event") == 0 && strcmp(value, "wall") == 0;
    w->has_any |= strcmp(name, "wall") == 0;
}

bool jfr_wall_is(const struct jfr_wall *w, const struct jfr_chunk *c, const struct jfr_value *event)
{
    char state[WORD];
    if (w->is_all)
        return true;
    word_of(c, event, "state", state);
    return strcmp(state, "STATE_SLEEPING") == 0 ||
           (w->has_any && strcmp(state, "STATE_RUNNABLE") == 0);
}
