/*
 * fuzz_watch_conf.c - the configuration of `hprof watch`, and the labels that a program says of
 * itself: after the first line the input is an environment.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/plain.h"
#include "command/cmd.h"
#include "watch/watch_conf.h"
#include "watch/watch_labels.h"

static const struct opt no_options[] = {{0}};
static const struct cmd watcher = {.name = "watch", .options = no_options};

static void label(struct watch_labels *l, const uint8_t *bytes, size_t len)
{
    char *text = malloc(len + 1);
    size_t odd;
    if (!text)
        return;
    memcpy(text, bytes, len);
    text[len] = '\0';
    watch_labels_of_program(l, text, len + 1, text);
    watch_labels_of_groups(l, text);
    if (l->count > WATCH_LABELS_MAX)
        abort();
    for (size_t i = 0; i < l->count; i++)
        if (plain_run(l->rows[i].value, strlen(l->rows[i].value), &odd) != strlen(l->rows[i].value))
            abort();
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static FILE *quiet;
    struct watch_labels labels = {.count = 0};
    struct watch_conf c;
    FILE *in = len > 0 ? fmemopen((void *)bytes, len, "r") : NULL;
    if (!quiet)
        quiet = freopen("/dev/null", "w", stderr); /* what is refused is said */
    if (!quiet)
        abort();
    if (!in)
        return 0;
    label(&labels, bytes, len);
    if (watch_conf_parse(&c, &watcher, in, "watch.conf") == 0) {
        const struct watch_conf_facts facts = {
            .name = "acme.Main", .user = "app", .uid = 7, .groups = "0::/a\n", .labels = &labels};
        const struct watch_conf_rule *rule = watch_conf_rule_for(&c, &facts);
        char *words = watch_conf_words(&c, 6);
        if (!c.spool || c.spool[0] != '/' || c.rule_count == 0 || (rule && rule->line == 0) ||
            c.lease_ns < 3 * c.rotate_ns || !(c.budget > 0 && c.budget <= 1) || !words)
            abort();
        free(words);
    }
    fclose(in);
    watch_conf_done(&c);
    return 0;
}
