/*
 * options_settings.c - see options_settings.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_settings.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "options/jfc.h"
#include "options/options_general.h"
#include "options/options_group.h"

static const char *const presets[OPTIONS_SETTING_PRESETS] = {"default", "profile"};

/* The setting at place `i` of all groups; *ret_place is its group's. NULL: there is none. */
static const struct options_setting *setting_at(int i, int *ret_place)
{
    for (int place = 0; options_group_all[place]; place++) {
        const struct options_setting *s = options_group_all[place]->settings;

        for (; s && s->event; s++) {
            if (i-- == 0) {
                *ret_place = place;
                return s;
            }
        }
    }
    return NULL;
}

static const struct options_setting *find(const char *event, const char *name, int *ret_place)
{
    const struct options_setting *s;

    for (int i = 0; (s = setting_at(i, ret_place)) != NULL; i++)
        if (strcmp(s->event, event) == 0 && strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

static const struct options_row *row_of(const struct options_setting *s, int place,
                                        bool *ret_general)
{
    const struct options_row *lists[] = {options_group_all[place]->rows, options_general_rows};

    for (int i = 0; i < 2; i++)
        for (const struct options_row *row = lists[i]; row && row->name; row++)
            if (strcmp(row->name, s->option) == 0) {
                *ret_general = i == 1;
                return row;
            }
    return NULL;
}

/* "20 ms" is "20ms" in an option. */
static void without_blanks(const char *value, char ret[OPTIONS_SETTINGS_VALUE])
{
    size_t n = 0;

    for (; *value && n + 1 < OPTIONS_SETTINGS_VALUE; value++)
        if (*value != ' ')
            ret[n++] = *value;
    ret[n] = '\0';
}

static int turn(struct options *o, const struct options_setting *s, int place, const char *value)
{
    if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
        return E_SYNTAX;
    options_group_turn(o->own, place, s->event, strcmp(value, "true") == 0);
    return 0;
}

/* Errors: 0, E_SYNTAX. */
static int apply(struct options *o, const struct options_setting *s, int place, const char *value)
{
    char text[OPTIONS_SETTINGS_VALUE], unused[OPTIONS_MESSAGE];
    const struct options_row *row;
    bool is_general = false;

    if (!s->option)
        return turn(o, s, place, value);
    without_blanks(value, text);
    row = row_of(s, place, &is_general);
    return options_row_set(row, is_general ? (void *)o : options_group_at(o->own, place), text,
                           unused, sizeof(unused));
}

/* Of an event that is on; what turns events on and off has come before. */
static int apply_if_on(struct options *o, const struct options_setting *s, int place,
                       const char *value)
{
    if (s->option && options_group_is_off(o, options_group_all[place], s->event))
        return 0;
    return apply(o, s, place, value);
}

/* ---- settings= */

static void load_preset(struct options *o, int preset)
{
    const struct options_setting *s;
    int place;

    for (int i = 0; (s = setting_at(i, &place)) != NULL; i++)
        if (s->presets[preset])
            apply_if_on(o, s, place, s->presets[preset]);
}

/* The file's text, with *ret_len; NULL: errno says why. */
static char *read_file(const char *path, size_t *ret_len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), error;
    char *text = fd >= 0 ? malloc(JFC_FILE_MAX + 1) : NULL;
    ssize_t part = text ? 1 : -1;

    *ret_len = 0;
    while (part > 0 && *ret_len <= JFC_FILE_MAX) {
        part = read(fd, text + *ret_len, JFC_FILE_MAX + 1 - *ret_len);
        *ret_len += part > 0 ? (size_t)part : 0;
    }
    error = *ret_len > JFC_FILE_MAX ? EFBIG : part < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    if (!error)
        return text;
    free(text);
    errno = error;
    return NULL;
}

/* One pass over a file: what turns events on and off, or everything else. */
struct pass {
    bool of_enabled;
    int known; /* events that engines have, and the file turns on */
};

static int load_text(struct options *o, struct jfc *j, struct pass *pass, char *ret_why,
                     size_t size)
{
    struct jfc_setting one;
    int more;

    while ((more = jfc_next(j, &one)) > 0) {
        int place;
        const struct options_setting *s = find(one.event, one.name, &place);

        if (!s || !s->option != pass->of_enabled)
            continue;
        if (apply_if_on(o, s, place, one.value) != 0) {
            snprintf(ret_why, size, "line %u: %.40s of %.60s cannot be '%.60s'", j->line, one.name,
                     one.event, one.value);
            return E_SYNTAX;
        }
        pass->known += pass->of_enabled && strcmp(one.value, "true") == 0;
    }
    if (more < 0)
        snprintf(ret_why, size, "line %u: %s", j->line, j->why);
    return more;
}

static int load_passes(struct options *o, const char *text, size_t len, char *ret_why, size_t size)
{
    struct pass pass = {.of_enabled = true};
    struct jfc j;
    int error;

    jfc_open(&j, text, len);
    error = load_text(o, &j, &pass, ret_why, size);
    pass.of_enabled = false;
    jfc_open(&j, text, len);
    if (!error)
        error = load_text(o, &j, &pass, ret_why, size);
    if (!error && pass.known == 0) {
        snprintf(ret_why, size, "it turns on no event that is measured here");
        error = E_SYNTAX;
    }
    return error;
}

int options_settings_load(struct options *o, const char *from, char *ret_why, size_t size)
{
    char why[OPTIONS_MESSAGE / 2];
    size_t len;
    char *text;
    int error;

    for (int i = 0; i < OPTIONS_SETTING_PRESETS; i++) {
        if (strcmp(from, presets[i]) == 0) {
            load_preset(o, i);
            return 0;
        }
    }
    text = read_file(from, &len);
    if (!text) {
        snprintf(ret_why, size, "settings=%.200s: %s; it is default, profile or a .jfc file", from,
                 strerror(errno));
        return E_SYNTAX;
    }
    error = load_passes(o, text, len, why, sizeof(why));
    free(text);
    if (error)
        snprintf(ret_why, size, "settings=%.200s: %s", from, why);
    return error;
}

/* ---- jdk.EVENT#NAME= */

/* What is known of the event, or which events there are. */
static void say_unknown(const char *event, const char *name, char *ret_why, size_t size)
{
    const struct options_setting *s;
    const char *last = "";
    int place, n = snprintf(ret_why, size, "%s#%s is no setting of what is measured here: use",
                            event, name);

    for (int i = 0; n > 0 && (size_t)n < size && (s = setting_at(i, &place)) != NULL; i++) {
        bool is_new = strcmp(last, s->event) != 0;

        n += snprintf(ret_why + n, size - (size_t)n, is_new ? " %s#%s" : "|%.0s%s", s->event,
                      s->name);
        last = s->event;
    }
}

int options_settings_set(struct options *o, const char *name, const char *value, char *ret_why,
                         size_t size)
{
    char event[OPTIONS_SETTINGS_NAME];
    size_t len = strcspn(name, "#");
    const struct options_setting *s;
    int place;

    snprintf(event, sizeof(event), "%.*s", (int)len, name);
    s = find(event, name + len + 1, &place);
    if (!s) {
        say_unknown(event, name + len + 1, ret_why, size);
        return E_SYNTAX;
    }
    if (apply(o, s, place, value) != 0) {
        snprintf(ret_why, size, "%s cannot be '%.100s'", name, value);
        return E_SYNTAX;
    }
    if (s->option)
        options_group_turn(o->own, place, s->event, true);
    return 0;
}

/* ---- what is in force */

bool options_settings_next(const struct options *o, int *at, struct options_settings_one *ret)
{
    int place;
    const struct options_setting *s = setting_at((*at)++, &place);
    const struct options_group *g = s ? options_group_all[place] : NULL;
    const struct options_row *row;
    bool is_general = false;

    if (!s)
        return false;
    *ret = (struct options_settings_one){.event = s->event, .name = s->name};
    if (!s->option) {
        bool is_on = options_group_wanted(o, g) && !options_group_is_off(o, g, s->event);

        snprintf(ret->value, sizeof(ret->value), "%s", is_on ? "true" : "false");
        return true;
    }
    row = row_of(s, place, &is_general);
    options_row_say(row, is_general ? (const void *)o : options_group_own(o, g), ret->value,
                    sizeof(ret->value));
    return true;
}
