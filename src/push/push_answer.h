/*
 * push_answer.h - what a receiver's answer means for a request. Answers are hostile.
 *
 * Source: OpenTelemetry specification, OTLP/HTTP response; RFC 9110, section 10.2.3.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { PUSH_ANSWER_BODY = 1 << 16, PUSH_ANSWER_WORDS = 256 };

struct push_answer {
    long status;           /* of HTTP; 0: no answer came */
    const char *why;       /* without an answer: the reason; borrowed */
    int can_retry;         /* without an answer: the reason may be gone later */
    int64_t retry_after_s; /* -1: the answer does not say */
    unsigned char *body;   /* at most PUSH_ANSWER_BODY bytes of it */
    size_t len;
};

enum push_verdict {
    PUSH_TAKEN,
    PUSH_AGAIN,     /* the same request may be taken later */
    PUSH_TOO_LARGE, /* smaller requests may be taken */
    PUSH_REFUSED,
};

enum push_verdict push_answer_verdict(const struct push_answer *a);
/** Seconds until the moment that a header Retry-After names, which are seconds or a date; -1: it
 * names none. `now_s` is the time since 1970. */
int64_t push_answer_retry_after(const char *value, int64_t now_s);
/**
 * Reads the message ExportProfilesServiceResponse. Returns how many profiles were rejected, and the
 * receiver's words, cleaned; a body that is no such message rejects nothing.
 */
uint64_t push_answer_rejected(const unsigned char *body, size_t len,
                              char ret_words[PUSH_ANSWER_WORDS]);
/** The beginning of a body as words in one line, cleaned; "" if it is no text. */
void push_answer_words(const unsigned char *body, size_t len, char ret_words[PUSH_ANSWER_WORDS]);
