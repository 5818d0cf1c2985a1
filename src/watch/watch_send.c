/*
 * watch_send.c - see watch_send.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_send.h"
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "format/otlp.h"
#include "push/push.h"
#include "watch/watch_conf.h"
#include "watch/watch_spool.h"
#include "watch/watch_state.h"

/* What the file holds comes from a program of somebody else, so its reader has no rights. */
static void drop_rights(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    (void)syscall(SYS_capset, &head, none);
}

static void put_be(unsigned char *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = bytes; i > 0; i--, value >>= 8)
        to[i - 1] = (unsigned char)value;
}

/* Token and number of the file, then 4 bytes that count its profiles. */
static void make_id(const struct watch_spool_file *file, unsigned char id[OTLP_TRACE_BYTES])
{
    put_be(id, file->token, 8);
    put_be(id + 8, file->number, 4);
    put_be(id + 12, 0, 4);
}

void watch_send(const struct watch_conf *conf, const struct watch_spool *spool,
                const struct watch_spool_file *file, bool is_quiet, struct watch_send_result *ret)
{
    struct watch_state *state = calloc(1, sizeof(*state));
    struct push_how how = conf->push;
    struct push_result result;
    unsigned char id[OTLP_TRACE_BYTES];
    char name[WATCH_SPOOL_NAME], path[PATH_MAX];
    const char *const paths[] = {path};
    *ret = (struct watch_send_result){.retry_after_s = -1};
    watch_spool_name(file->token, file->number, name);
    if (!state || snprintf(path, sizeof(path), "%s/%s", spool->path, name) >= (int)sizeof(path)) {
        free(state);
        return;
    }
    drop_rights();
    make_id(file, id);
    how.id = id;
    how.will_retry = true;
    how.is_quiet = is_quiet;
    how.retry_ns = 1; /* the caller waits, and tries again */
    if (watch_state_read(state, spool->folder, file->token) == 0) {
        how.host = state->host[0] != '\0' ? state->host : NULL;
        for (size_t i = 0; i < state->labels.count; i++)
            (void)push_attribute(&how, state->labels.rows[i].key, state->labels.rows[i].value);
    }
    int error = push_files(&how, paths, 1, &result);
    ret->requests = result.requests;
    ret->bytes = result.bytes;
    ret->samples = result.samples;
    ret->lost = result.dropped - result.late;
    ret->retry_after_s = result.retry_after_s;
    ret->end = result.late > 0                                          ? WATCH_SEND_LATER
               : error < 0 || result.dropped > 0 || result.rejected > 0 ? WATCH_SEND_REFUSED
                                                                        : WATCH_SEND_TAKEN;
    free(state);
}
