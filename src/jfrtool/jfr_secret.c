/*
 * jfr_secret.c - see jfr_secret.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_secret.h"
#include <string.h>
#include "jfr/jfr_text.h"
#include "jfr/jfr_value.h"

enum { NAME = 512 };

/* The fields in which recordings have arguments, or values that have a name. */
static const struct place {
    const char *event, *field;
    const char *key; /* the field with the value's name; NULL: the value is a list of arguments */
} places[] = {
    {"jdk.JVMInformation", "jvmArguments", NULL},
    {"jdk.JVMInformation", "jvmFlags", NULL},
    {"jdk.JVMInformation", "javaArguments", NULL},
    {"jdk.SystemProcess", "commandLine", NULL},
    {"jdk.ProcessStart", "command", NULL},
    {"jdk.InitialSystemProperty", "value", "key"},
    {"jdk.InitialEnvironmentVariable", "value", "key"},
    {"jdk.StringFlag", "value", "name"},
    {"jdk.StringFlagChanged", "oldValue", "name"},
    {"jdk.StringFlagChanged", "newValue", "name"},
};

static const struct place *find_place(const struct jfr_type *type, const struct jfr_field *field)
{
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (strcmp(places[i].field, field->name) == 0 &&
            strcmp(places[i].event, type->known_as) == 0)
            return &places[i];
    return NULL;
}

static bool has_secret_key(const struct jfr_secret *s, const char *field, const struct jfr_chunk *c,
                           const struct jfr_record *event, const struct jfr_type *type)
{
    const struct jfr_value whole = jfr_value_event(type, event);
    struct jfr_value key;
    char name[NAME];
    if (!jfr_value_named(c, &whole, field, &key) || key.shape != JFR_TEXT)
        return false;
    jfr_value_utf8(&key, name, sizeof(name));
    return secret_has_key(&s->secret, name);
}

/* Whether a word of the text begins with a dash. */
static bool has_options(const char *text)
{
    return text[0] == '-' || strstr(text, " -");
}

/* The text without its secrets; NULL: it has none. */
static const char *without_secrets(struct jfr_secret *s, const struct jfr_text *text,
                                   bool is_options_alone)
{
    size_t room = jfr_text_room(text) + 1;
    s->text.len = s->shown.len = 0;
    if (!textbuf_room(&s->text, 2 * room))
        return SECRET_INSTEAD;
    size_t len = jfr_text_utf8(text, s->text.bytes);
    char *all = s->text.bytes, *words = all + room;
    all[len] = '\0';
    if (is_options_alone && !has_options(all))
        return NULL;
    memcpy(words, all, len + 1);
    len = secret_split(words);
    char *shown = textbuf_room(&s->shown, secret_room(words, len));
    if (!shown)
        return SECRET_INSTEAD;
    secret_join(&s->secret, words, len, shown);
    /* A text that differs only in its blanks is not replaced. */
    return strstr(shown, SECRET_INSTEAD) && strcmp(shown, all) != 0 ? shown : NULL;
}

const char *jfr_secret_text(void *with, const struct jfr_chunk *c, const struct jfr_record *event,
                            const struct jfr_type *type, const struct jfr_field *field,
                            const struct jfr_text *text)
{
    struct jfr_secret *s = with;
    const struct place *place = event ? find_place(type, field) : NULL;
    if (!place)
        return NULL;
    if (place->key && has_secret_key(s, place->key, c, event, type))
        return SECRET_INSTEAD;
    return without_secrets(s, text, place->key != NULL);
}

void jfr_secret_done(struct jfr_secret *s)
{
    textbuf_done(&s->text);
    textbuf_done(&s->shown);
}
