/*
 * jfc_preset.c - see jfc_preset.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfc_preset.h"
#include <stddef.h>
#include <string.h>
#include "jfrtool/jfr_catalogue.h"
#include "command/textbuf.h"

enum { DEFAULT, PROFILE, PRESETS };

static const char *const names[PRESETS] = {"default", "profile"};

static const struct controlled {
    unsigned releases[PRESETS];
    const char *event, *setting, *control;
} controlleds[] = {
#define CONTROLLED(of_default, of_profile, event, setting, control)                                \
    {{of_default, of_profile}, event, setting, control},
#define CONTROL(...)
#include "jfrtool/jfc_controls.def"
#undef CONTROLLED
#undef CONTROL
};

static const struct line {
    unsigned releases[PRESETS];
    const char *text;
} lines[] = {
#define CONTROLLED(...)
#define CONTROL(of_default, of_profile, text) {{of_default, of_profile}, text},
#include "jfrtool/jfc_controls.def"
#undef CONTROLLED
#undef CONTROL
};

/* The index of the preset that `word` names; PRESETS: none. */
static int preset_of(const char *word)
{
    for (int i = 0; i < PRESETS; i++) {
        size_t len = strlen(names[i]);
        if (strncmp(word, names[i], len) == 0 &&
            (word[len] == '\0' || strcmp(word + len, ".jfc") == 0))
            return i;
    }
    return PRESETS;
}

bool jfc_preset_is(const char *word)
{
    return preset_of(word) != PRESETS;
}

static void add_setting(const char *event, const struct jfr_catalogue_row *s, int preset,
                        unsigned bit, struct textbuf *to)
{
    textbuf_printf(to, "<setting name=\"%s\"", s->name);
    for (size_t i = 0; i < sizeof(controlleds) / sizeof(controlleds[0]); i++) {
        const struct controlled *c = &controlleds[i];
        if (c->releases[preset] & bit && strcmp(c->event, event) == 0 &&
            strcmp(c->setting, s->name) == 0)
            textbuf_printf(to, " control=\"%s\"", c->control);
    }
    textbuf_printf(to, ">%s</setting>\n", preset == PROFILE ? s->by_profile : s->by_default);
}

/* The JDK's file leaves out an event that has no settings. */
static void add_event(const struct jfr_catalogue_row *rows, size_t count, int preset, unsigned bit,
                      struct textbuf *to)
{
    bool is_begun = false;
    for (size_t i = 1; i < count; i++) {
        if (rows[i].kind != JFR_CATALOGUE_SETTING || !(rows[i].releases & bit))
            continue;
        if (!is_begun)
            textbuf_printf(to, "<event name=\"%s\">\n", rows[0].name);
        is_begun = true;
        add_setting(rows[0].name, &rows[i], preset, bit, to);
    }
    if (is_begun)
        textbuf_text(to, "</event>\n");
}

void jfc_preset_text(const char *word, unsigned jdk, struct textbuf *to)
{
    const struct jfr_catalogue all = jfr_catalogue_all();
    unsigned bit = jfr_catalogue_release_bit(jdk);
    int preset = preset_of(word);
    size_t count;
    textbuf_printf(to, "<configuration version=\"2.0\" label=\"%s\">\n", word);
    for (size_t i = 0; i < all.count; i += count) {
        count = jfr_catalogue_rows_of(&all, i);
        add_event(all.rows + i, count, preset, bit, to);
    }
    textbuf_text(to, "<control>\n");
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (lines[i].releases[preset] & bit)
            textbuf_printf(to, "%s\n", lines[i].text);
    textbuf_text(to, "</control>\n</configuration>\n");
}
