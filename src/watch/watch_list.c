/*
 * watch_list.c - what `hprof watch --check` and `--dry-run` print: see watch.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "attach/attach.h"
#include "attach/jvms.h"
#include "base/err.h"
#include "base/plural.h"
#include "command/cmd.h"
#include "command/plainout.h"
#include "command/say.h"
#include "format/otlp.h"
#include "jvm/jvm_target.h"
#include "push/push.h"
#include "safe/clock.h"
#include "watch/watch.h"
#include "watch/watch_conf.h"
#include "watch/watch_table.h"

struct listing {
    struct watch_conf conf;
    struct plainout out;
    struct watch_table_look look;
    uint32_t attached, failed;
};

/* Whether the JVM can be asked, as far as a look tells. */
static const char *why_not(const struct jvm *jvm)
{
    struct attach a;
    enum attach_cause cause =
        attach_look(&a, jvm->process.pid, (uint64_t)ATTACH_TIMEOUT_MS * NS_PER_MS);
    attach_close(&a);
    return cause == ATTACH_OK || cause == ATTACH_NO_SOCKET ? NULL : attach_cause_text(cause);
}

static void list_one(struct listing *l, const struct jvm *jvm, bool tries)
{
    struct sink *out = &l->out.sink;
    watch_table_look(&l->conf, jvm, &l->look);
    const char *why = tries && l->look.is_attach ? why_not(jvm) : NULL;
    sink_printf(out, "%s %s", l->look.is_attach ? why ? "fails " : "attach" : "skip  ",
                jvm_target_name(jvm));
    if (l->look.user[0] != '\0')
        sink_printf(out, " of %s", l->look.user);
    if (l->look.line > 0)
        sink_printf(out, ", line %u", l->look.line);
    else
        sink_text(out, ", no line fits");
    if (why)
        sink_printf(out, ": %s", why);
    sink_text(out, "\n");
    l->attached += l->look.is_attach;
    l->failed += why != NULL;
    for (size_t i = 0; i < l->look.labels.count; i++)
        sink_printf(out, "    %s=%s\n", l->look.labels.rows[i].key, l->look.labels.rows[i].value);
}

static int list_all(struct listing *l, bool tries)
{
    struct jvms jvms;
    int error = jvms_list(&jvms);
    if (error == 0)
        error = plainout_open(&l->out, false);
    if (error == 0) {
        for (uint32_t i = 0; i < jvms.count; i++)
            list_one(l, &jvms.rows[i], tries);
        error = plainout_done(&l->out);
    }
    if (error < 0)
        say("watch: %s", err_text(error));
    else
        say("watch: %u of %u JVM%s would be recorded%s", l->attached, jvms.count,
            plural_s(jvms.count),
            jvms.hidden > 0 ? "; others cannot be looked at: run it as root to see them" : "");
    jvms_done(&jvms);
    return error < 0 ? CMD_FAILED : l->failed > 0 ? CMD_FAILED : CMD_OK;
}

int watch_list(const struct cmd *cmd, const char *path, bool tries)
{
    struct listing *l = calloc(1, sizeof(*l));
    if (!l) {
        say("watch: %s", err_text(-ENOMEM));
        return CMD_FAILED;
    }
    int error = watch_conf_open(&l->conf, cmd, path);
    if (error == 0 && l->conf.push.url)
        error = push_check(&l->conf.push);
    int status = error < 0 ? CMD_USAGE : list_all(l, tries);
    watch_conf_done(&l->conf);
    free(l);
    return status;
}
