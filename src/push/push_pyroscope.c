/*
 * push_pyroscope.c - see push_pyroscope.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "push/push_pyroscope.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/say.h"
#include "command/textbuf.h"
#include "format/format.h"
#include "profile/found.h"
#include "profile/process_set.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "push/push_send.h"
#include "reading/load.h"
#include "report/shown.h"
#include "safe/clock.h"

static const struct otlp_attribute *find(const struct otlp_attribute *attributes, size_t count,
                                         const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(attributes[i].key, key) == 0)
            return &attributes[i];
    return NULL;
}

static const struct otlp_attribute *attribute(const struct push_how *how, const char *key)
{
    return find(how->attributes, how->attribute_count, key);
}

/* ---- the URL */

static const char *service_of(const struct push_sender *s, struct profile *p)
{
    const struct otlp_attribute *given = attribute(s->how, OTLP_SERVICE);
    const struct otlp_attribute *said = find(s->how->said, s->how->said_count, OTLP_SERVICE);
    const struct process_set *processes = profile_processes(p);
    string_id name = process_set_count(processes) > 0 ? process_set_at(processes, 1)->name : 0;
    if (!name)
        name = profile_program(p);
    return given                ? given->value
           : s->setting.service ? s->setting.service
           : said               ? said->value
           : name               ? profile_string_at(p, name)->bytes
                                : "unknown_service:java";
}

static void put_encoded(struct textbuf *to, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (isalnum(c) || strchr("-._~", c))
            textbuf_char(to, (char)c);
        else
            textbuf_printf(to, "%%%02X", c);
    }
}

/* A name of a label has letters, digits and '_'. Values are between quotes only in queries; here
 * they have none, so what would end one is left out. */
static void put_label(struct textbuf *to, const struct otlp_attribute *a, bool *has_any)
{
    if (strcmp(a->key, OTLP_SERVICE) == 0)
        return;
    textbuf_char(to, *has_any ? ',' : '{');
    *has_any = true;
    for (const char *c = a->key; *c != '\0'; c++)
        textbuf_char(to, (char)(isalnum((unsigned char)*c) ? *c : '_'));
    textbuf_char(to, '=');
    for (const char *c = a->value; *c != '\0'; c++)
        if (!strchr("{},=\"", *c))
            textbuf_char(to, *c);
}

static void put_labels(struct textbuf *to, const struct push_how *how)
{
    bool has_any = false;
    for (size_t i = 0; i < how->attribute_count; i++)
        put_label(to, &how->attributes[i], &has_any);
    for (size_t i = 0; i < how->said_count; i++)
        if (!attribute(how, how->said[i].key))
            put_label(to, &how->said[i], &has_any);
    if (has_any)
        textbuf_char(to, '}');
}

/* When the profile was recorded, in seconds; the file's own time, if the profile does not say. */
static void put_times(struct textbuf *to, const char *file, struct profile *p)
{
    const struct found *f = profile_found(p);
    struct stat st = {0};
    uint64_t from_s = f->from_ns / NS_PER_S, until_s = f->to_ns / NS_PER_S + 1;
    if (f->from_ns == 0) {
        until_s = stat(file, &st) == 0 && st.st_mtime > 0 ? (uint64_t)st.st_mtime
                                                          : clock_ns(CLOCK_REALTIME) / NS_PER_S;
        from_s = until_s > 0 ? until_s - 1 : 0;
    }
    textbuf_printf(to, "&from=%" PRIu64 "&until=%" PRIu64, from_s, until_s);
}

static char *make_url(const struct push_sender *s, const char *file, const struct load *load,
                      bool is_jfr)
{
    struct textbuf url = {0}, name = {0};
    textbuf_text(&name, service_of(s, load->profile));
    put_labels(&name, s->how);
    textbuf_char(&name, '\0');
    textbuf_text(&url, s->setting.url);
    textbuf_char(&url, strchr(s->setting.url, '?') ? '&' : '?');
    textbuf_text(&url, "name=");
    if (!name.is_bad)
        put_encoded(&url, name.bytes);
    textbuf_text(&url, is_jfr ? "&format=jfr&spyName=javaspy" : "&format=pprof");
    put_times(&url, file, load->profile);
    textbuf_char(&url, '\0');
    bool is_bad = url.is_bad || name.is_bad;
    textbuf_done(&name);
    if (is_bad)
        textbuf_done(&url);
    return is_bad ? NULL : url.bytes;
}

/* ---- the body */

static int take_bytes(void *to, const unsigned char *bytes, size_t len)
{
    struct textbuf *t = to;
    textbuf_bytes(t, (const char *)bytes, len);
    return t->is_bad ? -ENOMEM : 0;
}

static int put_pprof(struct profile *p, struct textbuf *to)
{
    const struct shown_how how = {.no_threads = false};
    struct shown shown;
    struct sink sink;
    int error = sink_init_taker(&sink, take_bytes, to);
    if (error < 0)
        return error;
    struct writer_out o = {.writer = format_named("pprof")->writer,
                           .profile = p,
                           .sink = &sink,
                           .kinds = format_named("pprof")->writer->kinds};
    error = shown_init(&shown, p, &how);
    if (error == 0)
        error = writer_begin(&o);
    for (int kind = 0; kind < KIND_COUNT && error == 0; kind++) {
        const struct sums *sums = profile_sums(p, (enum kind_id)kind);
        for (uint32_t i = 1; i <= sums->rows.count && error == 0; i++) {
            struct event event = sums_event((enum kind_id)kind, sums_at(sums, i));
            int wanted = shown_trace(&shown, event.trace, event.context, &event.trace);
            error = wanted > 0 ? writer_event(&o, &event) : wanted;
        }
    }
    int ended = writer_end(&o), done = sink_done(&sink);
    shown_done(&shown);
    return error < 0 ? error : ended < 0 ? ended : done;
}

static int put_file(const char *file, uint64_t most, struct textbuf *to)
{
    char piece[1 << 16];
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY), error = fd < 0 ? -errno : 0;
    ssize_t len;
    while (error == 0 && (len = read(fd, piece, sizeof(piece))) != 0) {
        error = len < 0 ? -errno : to->len + (size_t)len > most ? E_LIMIT : 0;
        if (error == 0)
            textbuf_bytes(to, piece, (size_t)len);
    }
    if (fd >= 0)
        close(fd);
    return error < 0 ? error : to->is_bad ? -ENOMEM : 0;
}

/* The one part of a form, with what stands around it (RFC 7578). */
static int put_form(struct push_sender *s, const char *file, const struct load *load, bool is_jfr,
                    const char *boundary, struct textbuf *to)
{
    const uint64_t most = s->how->max_bytes ? s->how->max_bytes : PUSH_MAX_BYTES;
    textbuf_printf(to,
                   "--%s\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"%s\"\r\n"
                   "Content-Type: application/octet-stream\r\n\r\n",
                   boundary, is_jfr ? "jfr" : "profile", is_jfr ? "profile.jfr" : "profile.pprof");
    int error = is_jfr ? put_file(file, most, to) : put_pprof(load->profile, to);
    textbuf_printf(to, "\r\n--%s--\r\n", boundary);
    if (error == 0 && to->is_bad)
        error = -ENOMEM;
    return error == 0 && to->len > most ? E_LIMIT : error;
}

int push_pyroscope(struct push_sender *s, const char *file, const struct load *load)
{
    const bool is_jfr = strcmp(load->format->name, "jfr") == 0;
    struct textbuf bytes = {0};
    struct push_answer answer;
    char boundary[40], type[96];
    uint64_t chance = 0;
    if (s->how->id) /* a retry has the same bytes */
        memcpy(&chance, s->how->id, sizeof(chance));
    else if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
        chance = clock_monotonic_ns();
    snprintf(boundary, sizeof(boundary), "hprof-%016" PRIx64, chance);
    snprintf(type, sizeof(type), "multipart/form-data; boundary=%s", boundary);
    char *url = make_url(s, file, load, is_jfr);
    int error = url ? put_form(s, file, load, is_jfr, boundary, &bytes) : -ENOMEM;
    if (error == E_LIMIT) {
        say("%s: %s: a request may not be larger than --max-request, and was not sent; 'hprof jfr "
            "cut' makes parts of a recording",
            s->how->command, file);
        s->result->dropped++;
    } else if (error < 0) {
        say("%s: %s: %s", s->how->command, file, err_text(error));
    } else {
        struct push_body body = {
            .type = type, .bytes = (const unsigned char *)bytes.bytes, .len = bytes.len};
        enum push_verdict verdict = push_send(s, url, file, &body, &answer);
        if (verdict == PUSH_TOO_LARGE)
            say("%s: %s: the receiver answers 413: the file is too large for it", s->how->command,
                file);
        s->result->samples += verdict == PUSH_TAKEN;
        s->result->dropped += verdict != PUSH_TAKEN;
        s->result->late += verdict == PUSH_AGAIN;
    }
    textbuf_done(&bytes);
    free(url);
    return error == E_LIMIT ? 0 : error;
}
