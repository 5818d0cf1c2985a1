/*
 * options_settings.c - see options_settings.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_settings.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "options/jfc.h"
#include "options/options_group.h"

static const char *const presets[OPTIONS_SETTING_PRESETS] = {"default", "profile"};

const char *options_settings_preset(unsigned i)
{
    return i < OPTIONS_SETTING_PRESETS ? presets[i] : NULL;
}

/* The setting with index `i` in all groups; *ret_place is the index of its group. NULL: there is
 * none. */
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

static int turn(struct options *o, const struct options_setting *s, int place, const char *value)
{
    bool is_on;
    if (jfc_value_enabled(value, &is_on) != 0)
        return E_SYNTAX;
    options_group_turn(o->own, place, s->event, is_on);
    return JFC_VALUE_IS;
}

/* Applies a setting. Returns an enum jfc_value. Errors: E_SYNTAX. */
static int apply(struct options *o, const struct options_setting *s, int place, const char *value)
{
    char text[JFC_VALUE_TEXT], unused[OPTIONS_MESSAGE];
    const struct options_row *row;
    bool is_general = false;
    int what;
    if (!s->option)
        return turn(o, s, place, value);
    row = row_of(s, place, &is_general);
    what = s->is_throttle ? jfc_value_throttle(row, value, sysconf(_SC_NPROCESSORS_ONLN), text)
                          : jfc_value_for(row, value, text);
    if (what != JFC_VALUE_IS)
        return what;
    return options_row_set(row, is_general ? (void *)o : options_group_at(o->own, place), text,
                           unused, sizeof(unused));
}

/* Applies a setting, but only if its event is on. The settings that turn events on and off have
 * been applied before. */
static int apply_if_on(struct options *o, const struct options_setting *s, int place,
                       const char *value)
{
    int what = JFC_VALUE_IS;
    if (!s->option || !options_group_is_off(o, options_group_all[place], s->event))
        what = apply(o, s, place, value);
    if (what == JFC_VALUE_NEVER)
        options_group_turn(o->own, place, s->event, false);
    return what < 0 ? what : 0;
}

/* Gives a setting that is in no list to the groups that take such settings. Errors: 0; E_NOT_FOUND:
 * no group takes it; E_SYNTAX, E_LIMIT. */
static int take_other(struct options *o, const char *event, const char *name, const char *value)
{
    int error = E_NOT_FOUND;
    for (int i = 0; options_group_all[i] && error == E_NOT_FOUND; i++)
        if (options_group_all[i]->take_setting)
            error =
                options_group_all[i]->take_setting(options_group_at(o->own, i), event, name, value);
    return error;
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

/* Reads the whole file. Errors: 0, -errno. Owner: the caller frees *ret_text. */
static int read_whole(int fd, char **ret_text, size_t *ret_len)
{
    char *text = malloc(JFC_FILE_MAX + 1);
    ssize_t part = text ? 1 : -1;
    size_t len = 0;
    int error;
    while (part > 0 && len <= JFC_FILE_MAX) {
        part = read(fd, text + len, JFC_FILE_MAX + 1 - len);
        len += part > 0 ? (size_t)part : 0;
    }
    error = len > JFC_FILE_MAX ? -EFBIG : part < 0 ? -errno : 0;
    if (error) {
        free(text);
        return error;
    }
    *ret_text = text;
    *ret_len = len;
    return 0;
}

/* Reads a regular file. Returns NULL, or the reason of the error. O_NONBLOCK: a JVM that starts
 * must not wait for the other end of a pipe. */
static const char *read_file(const char *path, char **ret_text, size_t *ret_len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;
    struct stat st;
    if (fd < 0)
        return strerror(errno);
    if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
        close(fd);
        return "it is no regular file";
    }
    error = read_whole(fd, ret_text, ret_len);
    close(fd);
    return error ? strerror(-error) : NULL;
}

/* A file that is being loaded, in two passes: first the settings that turn events on and off, then
 * the others. */
struct load {
    struct options *o;
    const char *from; /* path of the file */
    bool of_enabled;
    struct options_error *e;
};

/* Notes a skipped setting; only the first one is named. */
static void note_passed_over(struct load *l, unsigned line, const struct jfc_setting *one)
{
    if (!l->e->note[0])
        snprintf(l->e->note, sizeof(l->e->note),
                 "settings=%.100s: line %u: %.40s of %.60s cannot be '%.60s', and is passed over",
                 l->from, line, one->name, one->event, one->value);
}

static int load_pass(struct load *l, const char *text, size_t len)
{
    struct jfc_setting one;
    struct jfc j;
    int more;
    jfc_open(&j, text, len);
    while ((more = jfc_next(&j, &one)) > 0) {
        int place;
        const struct options_setting *s = find(one.event, one.name, &place);
        if (s && !s->option == l->of_enabled && apply_if_on(l->o, s, place, one.value) != 0)
            note_passed_over(l, j.xml.line, &one);
        int error = s || !l->of_enabled ? 0 : take_other(l->o, one.event, one.name, one.value);
        if (error && error != E_NOT_FOUND)
            note_passed_over(l, j.xml.line, &one);
    }
    if (more < 0)
        snprintf(l->e->text, sizeof(l->e->text), "settings=%.200s: line %u: %s", l->from,
                 j.xml.line, j.xml.why);
    return more;
}

int options_settings_load(struct options *o, const char *from, struct options_error *e)
{
    struct load l = {.o = o, .from = from, .of_enabled = true, .e = e};
    const char *why;
    size_t len = 0;
    char *text = NULL;
    int error;
    for (int i = 0; i < OPTIONS_SETTING_PRESETS; i++) {
        if (strcmp(from, presets[i]) == 0) {
            load_preset(o, i);
            return 0;
        }
    }
    why = read_file(from, &text, &len);
    if (why) {
        snprintf(e->text, sizeof(e->text),
                 "settings=%.200s: %s; settings are default, profile or a .jfc file", from, why);
        return E_SYNTAX;
    }
    error = load_pass(&l, text, len);
    l.of_enabled = false;
    if (!error)
        error = load_pass(&l, text, len);
    free(text);
    return error;
}

/* ---- jdk.EVENT#NAME= */

/* Writes which settings exist. */
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

int options_settings_set(struct options *o, const char *name, const char *value,
                         struct options_error *e)
{
    char event[OPTIONS_SETTINGS_NAME];
    size_t len = strcspn(name, "#");
    const struct options_setting *s;
    int place, what;
    snprintf(event, sizeof(event), "%.*s", (int)len, name);
    s = find(event, name + len + 1, &place);
    int other = s ? E_NOT_FOUND : take_other(o, event, name + len + 1, value);
    if (other == 0)
        return 0;
    if (other != E_NOT_FOUND) {
        snprintf(e->text, sizeof(e->text),
                 other == E_LIMIT ? "%s=%.100s: too many events of the application have settings"
                                  : "%s cannot be '%.100s'",
                 name, value);
        return E_SYNTAX;
    }
    if (!s) {
        say_unknown(event, name + len + 1, e->text, sizeof(e->text));
        return E_SYNTAX;
    }
    what = apply(o, s, place, value);
    if (what != JFC_VALUE_IS) {
        snprintf(e->text, sizeof(e->text), "%s cannot be '%.100s'%s%s%s", name, value,
                 what < 0 ? "" : ": to turn the event off, say ", what < 0 ? "" : event,
                 what < 0 ? "" : "#enabled=false");
        return E_SYNTAX;
    }
    if (s->option)
        options_group_turn(o->own, place, s->event, true);
    return 0;
}

/* ---- settings that are in force */

static bool is_on(const struct options *o, const struct options_group *g, const char *event)
{
    return options_group_wanted(o, g) && !options_group_is_off(o, g, event);
}

bool options_settings_is_on(const struct options *o, const char *event)
{
    int place;
    return find(event, "enabled", &place) && is_on(o, options_group_all[place], event);
}

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
        snprintf(ret->value, sizeof(ret->value), "%s", is_on(o, g, s->event) ? "true" : "false");
        return true;
    }
    row = row_of(s, place, &is_general);
    options_row_say(row, is_general ? (const void *)o : options_group_own(o, g), ret->value,
                    sizeof(ret->value));
    return true;
}
