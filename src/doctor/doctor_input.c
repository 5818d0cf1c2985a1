/*
 * doctor_input.c - see doctor_input.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "doctor/doctor_input.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "attach/jvms.h"
#include "base/err.h"
#include "base/plain.h"
#include "command/cmd.h"
#include "command/say.h"
#include "command/textbuf.h"
#include "doctor/doctor_threads.h"
#include "jvm/outside.h"
#include "threaddump/dumpfiles.h"
#include "threaddump/dumpset.h"

enum { FACTS_MAX = 16 << 20, PIECE = 64 << 10 };

int doctor_input_check(const char *word, const struct jvm *jvm)
{
    struct jvms again;
    if (jvm->libjvm)
        return CMD_OK;
    int error = jvms_one(jvm->process.pid, &again);
    jvms_done(&again);
    if (error == -ESRCH)
        say("%s: no such process; list the JVMs with 'hprof ps'", word);
    else if (error == -EACCES || error == -EPERM)
        say("%s: not permitted; %s", word, outside_remedy());
    else
        say("%s: not a HotSpot JVM: it has no libjvm.so", word);
    return CMD_FAILED;
}

/* Reads a small file that begins as JSON; nothing is kept of others. Returns whether it is one. */
static bool read_small(const char *name, struct textbuf *ret)
{
    ssize_t n = 1;
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && n > 0 && ret->len < FACTS_MAX) {
        char *to = textbuf_room(ret, PIECE);
        n = to ? read(fd, to, PIECE) : -1;
        ret->len += n > 0 ? (size_t)n : 0;
        if (ret->len > 0 && ret->bytes[0] != '{')
            break;
    }
    if (fd >= 0)
        close(fd);
    return n == 0 && ret->len > 0 && ret->bytes[0] == '{';
}

static int judge_dumps(const char *command, const char *name, const struct dumpset *set,
                       void (*take)(void *, struct doctor_facts *), void *with)
{
    struct doctor_facts *f = malloc(sizeof(*f));
    int error = f ? 0 : -ENOMEM;
    if (f) {
        doctor_fact_init(f);
        plain_copy(f->target, DOCTOR_FACT_NAME, name);
        error = doctor_threads_judge(set, f);
    }
    if (error == 0)
        take(with, f);
    free(f);
    if (error == E_RANGE)
        say("%s: the thread dumps are of several JVMs", command);
    else if (error < 0)
        say("%s: %s", command, err_text(error));
    return error < 0 ? CMD_FAILED : CMD_OK;
}

int doctor_input_read(const char *command, const char *const *names, uint32_t count,
                      void (*take)(void *, struct doctor_facts *), void *with)
{
    struct textbuf text = {0};
    struct dumpset set = {0};
    int status = CMD_OK;
    bool is_facts = count == 1 && strcmp(names[0], "-") != 0 && read_small(names[0], &text) &&
                    doctor_fact_read(text.bytes, text.len, take, with) == 0;
    textbuf_done(&text);
    for (uint32_t i = 0; !is_facts && i < count; i++)
        status |= dumpfiles_read(names[i], &set);
    if (set.count > 0)
        status |= judge_dumps(command, names[0], &set, take, with);
    dumpset_done(&set);
    return status;
}
