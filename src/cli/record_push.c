/*
 * record_push.c - see record_push.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/record_push.h"
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "command/say.h"
#include "jvm/published.h"
#include "process/process.h"
#include "push/push.h"

static struct push_how how = {.command = "record"};
static pid_t target; /* the process that is recorded */

int record_push_header(const char *value)
{
    if (*value == '@' && value[1] != '\0' && how.header_file_count < PUSH_HEADER_FILES) {
        how.header_files[how.header_file_count++] = value + 1;
        return 0;
    }
    /* The value may be a secret: it is not said. */
    say("record: --header: wanted is @FILE: everybody on this machine can read a command line");
    return E_SYNTAX;
}

int record_push_check(const char *url)
{
    how.url = url;
    return push_check(&how);
}

/* What the program says of itself, now or when it last could be asked. */
static void read_published(void)
{
    static struct otel_process published;
    struct otel_process now;
    if (published_read(target, &now) != 0)
        return;
    otel_process_done(&published);
    published = now;
    how.said_count = 0;
    for (uint32_t i = 0; i < published.attribute_count && i < PUSH_ATTRIBUTES; i++)
        how.said[how.said_count++] =
            (struct otlp_attribute){published.attributes[i].key, published.attributes[i].value};
}

void record_push_begin(pid_t pid)
{
    static char host[256], container[PROCESS_CONTAINER_WHOLE + 1];
    how.host = NULL;
    if (process_has_our_host(pid) && gethostname(host, sizeof(host) - 1) == 0 && host[0])
        how.host = host;
    process_container_whole(pid, container);
    if (container[0])
        (void)push_attribute(&how, OTLP_CONTAINER, container);
    target = pid;
    read_published();
}

bool record_push_send(const char *url, const char *file)
{
    struct push_result result;
    how.url = url;
    read_published(); /* an SDK may have begun meanwhile */
    int error = push_files(&how, &file, 1, &result);
    if (result.requests == 0 && error < 0)
        return false;
    return push_say(&how, &result) && error == 0;
}
