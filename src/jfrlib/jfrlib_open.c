/*
 * jfrlib_open.c - makes and frees handles: hprof_jfr_open_file() and its like, hprof_jfr_close().
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/be.h"
#include "base/err.h"
#include "jfrlib/jfrlib.h"
#include "jfrlib/jfrlib_error.h"
#include "jfrlib/jfrlib_types.h"

enum { LIMIT_DEFAULT = 256 << 20 };

/* A limit that is no limit. Sums of it and of the bytes of a chunk do not wrap. */
static const size_t limit_largest = SIZE_MAX / 4;

/* Copies the options. Members that a later version of the header has must be 0, because this
 * version does not know what they ask for. */
static int take_options(const struct hprof_jfr_options *from, struct hprof_jfr_options *ret)
{
    size_t known = sizeof(*ret);
    *ret = (struct hprof_jfr_options){0};
    if (!from)
        return 0;
    if (from->size < sizeof(from->size))
        return E_SYNTAX;
    for (size_t i = known; i < from->size; i++)
        if (((const unsigned char *)from)[i] != 0)
            return E_SYNTAX;
    memcpy(ret, from, from->size < known ? from->size : known);
    return 0;
}

/* Joins the names with commas, as jfr_filter.h takes them. */
static int take_names(struct hprof_jfr *h, const char *const *names)
{
    size_t len = 1, at = 0;
    if (!names)
        return 0;
    for (size_t i = 0; names[i]; i++)
        len += strlen(names[i]) + 1;
    h->wanted = jfr_budget_take(&h->budget, len) ? malloc(len) : NULL;
    if (!h->wanted)
        return -ENOMEM;
    for (size_t i = 0; names[i]; i++) {
        size_t n = strlen(names[i]);
        if (at > 0)
            h->wanted[at++] = ',';
        memcpy(h->wanted + at, names[i], n);
        at += n;
    }
    h->wanted[at] = '\0';
    return 0;
}

/* Makes a handle without an input. `*ret` NULL: there is no memory. */
static int make(const struct hprof_jfr_options *options, struct hprof_jfr **ret)
{
    struct hprof_jfr_options o;
    int r = take_options(options, &o);
    struct hprof_jfr *h = *ret = calloc(1, sizeof(*h));
    if (!h)
        return -ENOMEM;
    h->budget.limit = o.memory_limit == 0              ? LIMIT_DEFAULT
                      : o.memory_limit > limit_largest ? limit_largest
                                                       : o.memory_limit;
    jfrlib_input_memory(&h->input, NULL, 0);
    jfrlib_text_init(&h->text, &h->budget);
    jfrlib_error_set(&h->error, 0, false, 0, NULL);
    h->event.of = h;
    h->is_salvage = o.salvage;
    h->only_new = o.only_new;
    h->file.how =
        (struct jfr_chunk_reading){.with_constants = !o.no_constants, .budget = &h->budget};
    if (r == 0 && !jfr_budget_take(&h->budget, sizeof(*h)))
        r = -ENOMEM;
    return r == 0 ? take_names(h, o.events) : r;
}

/* Looks at the first bytes of the input. */
static int begin(struct hprof_jfr *h, const char **ret_detail)
{
    struct feed *feed = &h->input.feed;
    int r = jfr_file_follow(&h->file, feed);
    if (feed->error != 0)
        return feed->error;
    if (r < 0) {
        *ret_detail = feed->len == 0 ? "the file is empty" : NULL;
        return r;
    }
    unsigned major = be_2(feed->bytes + JFR_LAYOUT_MAJOR_AT);
    return major == 1 || major == 2 ? 0 : E_UNSUPPORTED;
}

/* The handle if `r` is 0; otherwise says why not and frees it. */
static struct hprof_jfr *ended(struct hprof_jfr *h, int r, const char *detail,
                               struct hprof_jfr_error *ret_error)
{
    struct hprof_jfr_error error;
    jfrlib_error_set(ret_error ? ret_error : &error, r, h && h->budget.is_short, 0, detail);
    if (r == 0)
        return h;
    hprof_jfr_close(h);
    return NULL;
}

struct hprof_jfr *hprof_jfr_open_file(const char *path, const struct hprof_jfr_options *options,
                                      struct hprof_jfr_error *ret_error)
{
    const char *detail = NULL;
    struct hprof_jfr *h;
    int r = make(options, &h);
    if (r == 0)
        r = path ? jfrlib_input_open(&h->input, path, &h->budget) : E_SYNTAX;
    if (r == -EINVAL)
        detail = "it is no regular file";
    if (r == 0)
        r = begin(h, &detail);
    return ended(h, r, detail, ret_error);
}

struct hprof_jfr *hprof_jfr_open_memory(const void *bytes, size_t len,
                                        const struct hprof_jfr_options *options,
                                        struct hprof_jfr_error *ret_error)
{
    const char *detail = NULL;
    struct hprof_jfr *h;
    int r = make(options, &h);
    if (r == 0 && !bytes && len > 0)
        r = E_SYNTAX;
    if (r == 0) {
        jfrlib_input_memory(&h->input, bytes, len);
        r = begin(h, &detail);
    }
    return ended(h, r, detail, ret_error);
}

struct hprof_jfr *hprof_jfr_open_repository(const char *folder,
                                            const struct hprof_jfr_options *options,
                                            struct hprof_jfr_error *ret_error)
{
    struct hprof_jfr *h;
    int r = make(options, &h);
    if (r == 0 && !folder)
        r = E_SYNTAX;
    if (r == 0 && !(h->live = calloc(1, sizeof(*h->live))))
        r = -ENOMEM;
    if (r == 0)
        r = jfrlib_live_open(h->live, folder, h->only_new, &h->budget);
    return ended(h, r, NULL, ret_error);
}

void hprof_jfr_close(struct hprof_jfr *h)
{
    if (!h)
        return;
    jfrlib_types_done(h);
    jfrlib_text_done(&h->text);
    jfr_file_close(&h->file);
    if (h->live)
        jfrlib_live_close(h->live);
    free(h->live);
    jfrlib_input_close(&h->input);
    free(h->wanted);
    free(h);
}
