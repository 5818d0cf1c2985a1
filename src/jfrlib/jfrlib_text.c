/*
 * jfrlib_text.c - see jfrlib_text.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrlib/jfrlib_text.h"
#include <errno.h>
#include <string.h>
#include "base/err.h"
#include "base/javaname.h"
#include "base/splitmix.h"
#include "jfr/jfr_budget.h"
#include "jfr/jfr_text.h"

enum {
    KEPT_MAX = 1 << 20,     /* bytes of texts that are kept until the next chunk */
    KEPT_LEN_MAX = 4 << 10, /* a longer text is not kept */
    /* The longest that a type of one letter becomes is "boolean", and each '[' becomes "[]". */
    TYPE_MORE = 16,
    ROUNDING = 16 << 10, /* an arena takes whole pages */
};

void jfrlib_text_init(struct jfrlib_text *t, struct jfr_budget *budget)
{
    t->budget = budget;
    arena_init(&t->event, 0);
    arena_init(&t->chunk, 0);
}

static void give_back(struct jfrlib_text *t, struct arena *a, void (*act)(struct arena *))
{
    size_t before = a->taken;
    act(a);
    jfr_budget_give(t->budget, before - a->taken);
}

void jfrlib_text_done(struct jfrlib_text *t)
{
    give_back(t, &t->event, arena_done);
    give_back(t, &t->chunk, arena_done);
}

void jfrlib_text_next_event(struct jfrlib_text *t)
{
    if (t->event.taken > 0)
        give_back(t, &t->event, arena_reset);
}

void jfrlib_text_next_chunk(struct jfrlib_text *t)
{
    give_back(t, &t->chunk, arena_done);
    memset(t->kept, 0, sizeof(t->kept));
}

/* Memory within the budget; NULL: there is none. */
static char *take(struct jfrlib_text *t, struct arena *a, size_t size)
{
    size_t before = a->taken;
    a->budget = before + jfr_budget_left(t->budget);
    char *room = arena_alloc(a, size);
    t->budget->taken += a->taken - before;
    return room;
}

static struct jfrlib_text_kept *place_of(struct jfrlib_text *t, const uint8_t *from)
{
    return &t->kept[splitmix_mix((uintptr_t)from) % JFRLIB_TEXT_KEPT];
}

/* Converts the text in memory of the event. NULL: there is no room. */
static char *convert(struct jfrlib_text *t, const struct jfr_text *text, bool is_class,
                     size_t *ret_len)
{
    char *utf8 = take(t, &t->event, jfr_text_room(text) + 1);
    if (!utf8)
        return NULL;
    *ret_len = jfr_text_utf8(text, utf8);
    utf8[*ret_len] = '\0';
    if (!is_class)
        return utf8;
    if (*utf8 != '[') {
        javaname_put_dots(utf8);
        return utf8;
    }
    size_t room = 2 * *ret_len + TYPE_MORE;
    char *java = take(t, &t->event, room);
    if (java)
        *ret_len = strlen(javaname_of_type(utf8, java, room));
    return java;
}

static void keep(struct jfrlib_text *t, struct jfrlib_text_kept *k, const char *text, size_t len)
{
    char *copy =
        len <= KEPT_LEN_MAX && t->chunk.taken < KEPT_MAX ? take(t, &t->chunk, len + 1) : NULL;
    if (!copy)
        return;
    memcpy(copy, text, len + 1);
    k->text = copy;
    k->len = (uint32_t)len;
}

int jfrlib_text_get(struct jfrlib_text *t, const struct jfr_text *text, struct jfrlib_text_how how,
                    const char **ret_text, size_t *ret_len)
{
    *ret_text = "";
    *ret_len = 0;
    if (text->len == 0)
        return 0;
    struct jfrlib_text_kept *k = place_of(t, text->bytes);
    if (how.is_shared && k->from == text->bytes && k->is_class == how.is_class) {
        *ret_text = k->text;
        *ret_len = k->len;
        return 0;
    }
    const char *made = convert(t, text, how.is_class, ret_len);
    if (!made) {
        *ret_len = 0;
        return jfr_budget_left(t->budget) < 2 * jfr_text_room(text) + ROUNDING ? E_LIMIT : -ENOMEM;
    }
    *ret_text = made;
    if (how.is_shared) {
        struct jfrlib_text_kept fresh = {.from = text->bytes, .is_class = how.is_class};
        keep(t, &fresh, made, *ret_len);
        if (fresh.text)
            *k = fresh;
    }
    return 0;
}
