/*
 * push_send.c - see push_send.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "push/push_send.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/say.h"
#include "command/textbuf.h"
#include "gzip/gzsink.h"
#include "safe/clock.h"

enum { FIRST_MS = 500, LONGEST_MS = 30000 };

int push_send_open(struct push_sender *s, const struct push_how *how, struct push_result *result)
{
    *s = (struct push_sender){.how = how, .result = result};
    int error = push_setting_read(&s->setting, how);
    if (error == 0)
        error = push_http_open(&s->setting, &s->http);
    if (error == 0 && getrandom(&s->chance, sizeof(s->chance), 0) != sizeof(s->chance))
        s->chance = clock_monotonic_ns();
    return error;
}

void push_send_close(struct push_sender *s)
{
    push_http_close(s->http);
    push_setting_done(&s->setting);
    *s = (struct push_sender){0};
}

/* ---- packing */

static int take_packed(void *to, const unsigned char *bytes, size_t len)
{
    struct textbuf *t = to;
    textbuf_bytes(t, (const char *)bytes, len);
    return t->is_bad ? -ENOMEM : 0;
}

static int pack(const struct push_body *body, struct textbuf *packed)
{
    struct sink sink;
    struct gzsink gz;
    int error = sink_init_taker(&sink, take_packed, packed);
    if (error < 0)
        return error;
    error = gzsink_open(&gz, &sink);
    if (error == 0)
        sink_bytes(&gz.sink, body->bytes, body->len);
    int closed = gzsink_close(&gz), done = sink_done(&sink);
    return error < 0 ? error : closed < 0 ? closed : done;
}

/* ---- waits */

/* xorshift64: Marsaglia, "Xorshift RNGs", 2003. */
static uint64_t next_chance(struct push_sender *s)
{
    s->chance |= s->chance == 0;
    s->chance ^= s->chance << 13;
    s->chance ^= s->chance >> 7;
    s->chance ^= s->chance << 17;
    return s->chance;
}

static uint64_t wait_of(struct push_sender *s, const struct push_answer *a, unsigned tries)
{
    if (a->retry_after_s >= 0)
        return (uint64_t)a->retry_after_s * NS_PER_S;
    uint64_t ms = FIRST_MS;
    for (unsigned i = 1; i < tries && ms < LONGEST_MS; i++)
        ms *= 2;
    ms = ms < LONGEST_MS ? ms : LONGEST_MS;
    return (ms / 2 + next_chance(s) % (ms / 2 + 1)) * NS_PER_MS;
}

static void wait_ns(uint64_t ns)
{
    struct timespec left = clock_timespec(ns);
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
}

/* ---- sending */

static void say_refused(const struct push_sender *s, const char *what, const struct push_answer *a,
                        unsigned tries)
{
    char words[PUSH_ANSWER_WORDS];
    push_answer_words(a->body, a->len, words);
    if (a->status == 0)
        say("%s: %s: %s%s", s->how->command, what, a->why,
            tries > 1 ? "; it was tried again until --retry was over" : "");
    else
        say("%s: %s: the receiver answers %ld%s%s%s", s->how->command, what, a->status,
            *words ? ": " : "", words,
            a->status >= 300 && a->status < 400 ? "; redirects are not followed"
            : tries > 1                         ? "; it was tried again until --retry was over"
                                                : "");
}

static enum push_verdict send_packed(struct push_sender *s, const char *url, const char *what,
                                     const struct push_body *body, struct push_answer *ret_answer)
{
    uint64_t begun = clock_monotonic_ns();
    uint64_t most = s->how->retry_ns > 0 ? s->how->retry_ns : PUSH_RETRY_NS;
    for (unsigned tries = 1;; tries++) {
        s->result->requests++;
        push_http_post(s->http, url, body, ret_answer);
        enum push_verdict verdict = push_answer_verdict(ret_answer);
        if (verdict == PUSH_TAKEN)
            s->result->bytes += body->len;
        if (verdict == PUSH_TAKEN || verdict == PUSH_TOO_LARGE)
            return verdict;
        uint64_t wait = verdict == PUSH_AGAIN ? wait_of(s, ret_answer, tries) : 0;
        if (verdict != PUSH_AGAIN || clock_monotonic_ns() - begun + wait > most) {
            s->result->retry_after_s = ret_answer->retry_after_s;
            if (verdict != PUSH_AGAIN || !s->how->is_quiet)
                say_refused(s, what, ret_answer, tries);
            return verdict;
        }
        s->result->retries++;
        wait_ns(wait);
    }
}

enum push_verdict push_send(struct push_sender *s, const char *url, const char *what,
                            struct push_body *body, struct push_answer *ret_answer)
{
    struct textbuf packed = {0};
    struct push_body own = *body;
    if (s->setting.is_gzip) {
        if (pack(body, &packed) < 0) {
            say("%s: %s", s->how->command, err_text(-ENOMEM));
            textbuf_done(&packed);
            return PUSH_REFUSED;
        }
        own.bytes = (const unsigned char *)packed.bytes;
        own.len = packed.len;
        own.is_gzip = true;
    }
    enum push_verdict verdict = send_packed(s, url, what, &own, ret_answer);
    textbuf_done(&packed);
    return verdict;
}
