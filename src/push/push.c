/*
 * push.c - see push.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "push/push.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/err.h"
#include "base/plural.h"
#include "command/diag_say.h"
#include "command/say.h"
#include "push/push_otlp.h"
#include "push/push_pyroscope.h"
#include "push/push_send.h"
#include "reading/load.h"

int push_attribute(struct push_how *how, const char *key, const char *value)
{
    for (size_t i = 0; i < how->attribute_count; i++)
        if (strcmp(how->attributes[i].key, key) == 0) {
            how->attributes[i].value = value;
            return 0;
        }
    if (how->attribute_count == PUSH_ATTRIBUTES)
        return E_LIMIT;
    how->attributes[how->attribute_count++] = (struct otlp_attribute){key, value};
    return 0;
}

int push_check(const struct push_how *how)
{
    struct push_result none = {0};
    struct push_sender s;
    int error = push_send_open(&s, how, &none);
    if (error == -ENOMEM)
        say("%s: %s", how->command, err_text(error));
    push_send_close(&s);
    return error;
}

static int push_file(struct push_sender *s, const char *file)
{
    const struct load_how how = {.want = {.with_threads = true,
                                          .with_contexts = !s->setting.is_pyroscope,
                                          .with_processes = true}};
    struct load load;
    int error = load_open(file, &how, diag_say(), &load);
    bool is_empty = error == 0 && load_is_empty(&load);
    if (is_empty && !s->how->will_retry) {
        say("%s: %s: it has no samples", s->how->command, file);
        error = E_NOT_FOUND;
    }
    if (error == 0 && !is_empty)
        error =
            s->setting.is_pyroscope ? push_pyroscope(s, file, &load) : push_otlp(s, file, &load);
    s->result->is_damaged |= load.damaged;
    load_close(&load);
    return error;
}

int push_files(const struct push_how *how, const char *const *files, size_t count,
               struct push_result *ret_result)
{
    struct push_sender s;
    *ret_result = (struct push_result){.retry_after_s = -1};
    int error = push_send_open(&s, how, ret_result), first = 0;
    if (error == -ENOMEM)
        say("%s: %s", how->command, err_text(error));
    ret_result->counts_files = s.setting.is_pyroscope;
    for (size_t i = 0; i < count && error == 0; i++) {
        int failed = push_file(&s, files[i]);
        first = first < 0 ? first : failed;
    }
    push_send_close(&s);
    return error < 0 ? error : first;
}

bool push_say(const struct push_how *how, const struct push_result *r)
{
    const char *what = r->counts_files ? "file" : "sample";
    say("%s: sent %" PRIu64 " %s%s in %" PRIu64 " request%s of %" PRIu64 " bytes%s", how->command,
        r->samples, what, plural_s(r->samples), r->requests, plural_s(r->requests), r->bytes,
        r->retries > 0 ? ", some of them again" : "");
    if (r->dropped > 0)
        say("%s: %" PRIu64 " %s%s did not arrive", how->command, r->dropped, what,
            plural_s(r->dropped));
    return r->dropped == 0 && r->rejected == 0 && !r->is_damaged;
}
