/*
 * push_otlp.c - see push_otlp.h.
 *
 * A request has a dictionary of its own, so what a part of the samples needs is known only when it
 * is written. So the samples are written in parts: a part that is too large, by our limit or by the
 * receiver's, is written again as half of it, and the next parts have that number of samples.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "push/push_otlp.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/say.h"
#include "command/textbuf.h"
#include "format/format.h"
#include "format/otlp.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "push/push_send.h"
#include "reading/load.h"
#include "report/shown.h"

/* A sum of the profile. */
struct row {
    enum kind_id kind;
    uint32_t number;
};

struct work {
    struct push_sender *sender;
    const char *file;
    struct profile *profile;
    struct shown shown;
    struct otlp_request request;
    struct row *rows;
    size_t count;
    struct otlp_attribute attributes[PUSH_ATTRIBUTES];
};

/* ---- attributes of the resource */

static void set(struct work *w, const char *key, const char *value)
{
    for (size_t i = 0; i < w->request.count; i++)
        if (strcmp(w->attributes[i].key, key) == 0) {
            w->attributes[i].value = value;
            return;
        }
    if (w->request.count < PUSH_ATTRIBUTES)
        w->attributes[w->request.count++] = (struct otlp_attribute){key, value};
}

/* "key=value,key=value", which is changed. */
static void set_variable(struct work *w, char *text)
{
    char *rest = NULL;
    for (char *part = text ? strtok_r(text, ",", &rest) : NULL; part;
         part = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(part, '=');
        part += strspn(part, " ");
        if (!equals || equals <= part)
            continue;
        *equals = '\0';
        push_setting_decode(equals + 1);
        set(w, part, equals + 1);
    }
}

/* What the variables say comes last, but for what the command line says. */
static char *set_attributes(struct work *w)
{
    const struct push_how *how = w->sender->how;
    const struct push_setting *setting = &w->sender->setting;
    char *variable = setting->attributes ? strdup(setting->attributes) : NULL;
    for (size_t i = 0; i < how->said_count; i++)
        set(w, how->said[i].key, how->said[i].value);
    if (how->host)
        set(w, OTLP_HOST, how->host);
    set_variable(w, variable);
    if (setting->service)
        set(w, OTLP_SERVICE, setting->service);
    for (size_t i = 0; i < how->attribute_count; i++)
        set(w, how->attributes[i].key, how->attributes[i].value);
    w->request.attributes = w->attributes;
    w->request.host = how->host;
    return variable;
}

/* ---- parts */

static int list_rows(struct work *w)
{
    size_t room = 0;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        room += profile_sums(w->profile, (enum kind_id)kind)->rows.count;
    w->rows = calloc(room + 1, sizeof(*w->rows));
    if (!w->rows)
        return -ENOMEM;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        uint32_t count = profile_sums(w->profile, (enum kind_id)kind)->rows.count;
        for (uint32_t i = 1; i <= count; i++)
            w->rows[w->count++] = (struct row){(enum kind_id)kind, i};
    }
    return 0;
}

static int take_bytes(void *to, const unsigned char *bytes, size_t len)
{
    struct textbuf *t = to;
    textbuf_bytes(t, (const char *)bytes, len);
    return t->is_bad ? -ENOMEM : 0;
}

static int write_rows(struct work *w, struct writer_out *o, size_t from, size_t to)
{
    int error = writer_begin(o);
    for (size_t i = from; i < to && error == 0; i++) {
        const struct sum *sum =
            sums_at(profile_sums(w->profile, w->rows[i].kind), w->rows[i].number);
        struct event event = sums_event(w->rows[i].kind, sum);
        int wanted = shown_trace(&w->shown, sum->trace, sum->context, &event.trace);
        error = wanted > 0 ? writer_event(o, &event) : wanted;
    }
    int ended = writer_end(o);
    return error < 0 ? error : ended;
}

/* Writes the rows from..to as a request. */
static int make_body(struct work *w, size_t from, size_t to, struct textbuf *body)
{
    struct sink sink;
    struct writer_out o = {.writer = format_named("otlp")->writer,
                           .profile = w->profile,
                           .sink = &sink,
                           .kinds = format_named("otlp")->writer->kinds};
    body->len = 0;
    w->request.samples = w->request.profiles = 0;
    int error = sink_init_taker(&sink, take_bytes, body);
    if (error < 0)
        return error;
    error = write_rows(w, &o, from, to);
    int done = sink_done(&sink);
    return error < 0 ? error : done;
}

static void say_partial(struct work *w, const struct push_answer *a)
{
    char words[PUSH_ANSWER_WORDS];
    uint64_t rejected = push_answer_rejected(a->body, a->len, words);
    w->sender->result->rejected += rejected;
    if (rejected > 0)
        say("%s: %s: the receiver has rejected %" PRIu64 " of %" PRIu64 " profiles%s%s",
            w->sender->how->command, w->file, rejected, w->request.profiles, *words ? ": " : "",
            words);
    else if (*words)
        say("%s: %s: the receiver says: %s", w->sender->how->command, w->file, words);
}

/* Sends a part of `count` rows. Returns 1: it is done with; 0: it is too large. */
static int send_part(struct work *w, const struct textbuf *bytes, size_t count)
{
    struct push_result *result = w->sender->result;
    struct push_answer answer;
    struct push_body body = {.type = "application/x-protobuf",
                             .bytes = (const unsigned char *)bytes->bytes,
                             .len = bytes->len};
    const uint64_t most = w->sender->how->max_bytes ? w->sender->how->max_bytes : PUSH_MAX_BYTES;
    if (w->request.samples == 0)
        return 1;
    enum push_verdict verdict =
        bytes->len > most ? PUSH_TOO_LARGE
                          : push_send(w->sender, w->sender->setting.url, w->file, &body, &answer);
    if (verdict == PUSH_TOO_LARGE && count > 1)
        return 0;
    if (verdict == PUSH_TOO_LARGE)
        say("%s: %s: a sample of %zu bytes is larger than a request may be",
            w->sender->how->command, w->file, bytes->len);
    if (verdict == PUSH_TAKEN) {
        result->samples += w->request.samples;
        say_partial(w, &answer);
    } else {
        result->dropped += w->request.samples;
        result->late += verdict == PUSH_AGAIN ? w->request.samples : 0;
    }
    return 1;
}

static bool is_over(const struct work *w)
{
    return w->sender->how->will_retry && w->sender->result->late > 0;
}

/* Errors: 0; -EIO: the system has no chance. */
static int make_id(struct work *w)
{
    const unsigned char *id = w->sender->how->id;
    if (id)
        memcpy(w->request.id, id, sizeof(w->request.id));
    else if (getrandom(w->request.id, sizeof(w->request.id), 0) != sizeof(w->request.id))
        return -EIO;
    return 0;
}

static int send_all(struct work *w)
{
    struct textbuf body = {0};
    size_t part = w->count;
    int error = 0;
    for (size_t at = 0; at < w->count && error == 0 && !is_over(w);) {
        size_t count = w->count - at < part ? w->count - at : part;
        error = make_body(w, at, at + count, &body);
        if (error < 0)
            break;
        if (send_part(w, &body, count))
            at += count;
        else
            part = (count + 1) / 2;
    }
    textbuf_done(&body);
    return error;
}

int push_otlp(struct push_sender *s, const char *file, const struct load *load)
{
    struct work w = {.sender = s, .file = file, .profile = load->profile};
    const struct shown_how how = {.with_processes = true};
    char *variable = set_attributes(&w);
    int error = shown_init(&w.shown, load->profile, &how);
    if (error == 0)
        error = list_rows(&w);
    if (error == 0)
        error = make_id(&w);
    if (error == 0) {
        profile_attach(load->profile, OTLP_ATTACHMENT, &w.request);
        error = send_all(&w);
        profile_attach(load->profile, NULL, NULL);
    }
    if (error < 0)
        say("%s: %s: %s", s->how->command, file, err_text(error));
    shown_done(&w.shown);
    free(w.rows);
    free(variable);
    return error;
}
