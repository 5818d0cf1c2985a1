/*
 * cmd_jcmd.c - `hprof jcmd TARGET COMMAND...`: the JVM's diagnostic commands.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "jvm/asking.h"
#include "jvm/counters_text.h"
#include "command/help.h"
#include "jvm/jvm_list.h"
#include "command/opts.h"
#include "command/say.h"
#include "command/textbuf.h"
#include "command/values.h"

enum { OPT_LIST = ASKING_OPT_OWN, OPT_FILE, LINE_MAX_BYTES = 64 * 1024 };

static const struct opt options[] = {
    {OPT_LIST, 'l', "list", NULL, "list the JVMs"},
    {OPT_FILE, 'f', "file", "FILE",
     "send the commands in this file, a line each; - is standard input"},
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    {0},
};

static int send(struct attach *a, const struct jvm *jvm, void *with)
{
    const char *const args[] = {with};

    struct attach_reply reply;
    int status = asking_call(a, jvm, "jcmd", args, 1, &reply);

    if (status == CMD_OK && reply.text_len > 0)
        asking_put(reply.text, reply.text_len);
    else if (status == CMD_OK)
        puts("Command executed successfully"); /* the JDK's jcmd prints this for an empty answer */
    attach_reply_done(&reply);
    return status;
}

/* Joins the words of a command into one text, with blanks between them. The JVM wants quotation
 * marks around a value that has blanks. So a word with blanks and without quotation marks gets
 * them, unless the word is the whole command. */
static void join(struct textbuf *t, int count, char **words)
{
    for (int i = 0; i < count; i++) {
        const char *blank = strchr(words[i], ' '), *equals = strchr(words[i], '=');
        bool is_quoted = blank && !strchr(words[i], '"') && !strchr(words[i], '\'') && count > 1;
        if (i > 0)
            textbuf_char(t, ' ');
        /* The JVM reads name="a value", but not "name=a value". */
        size_t front = is_quoted && equals && equals < blank ? (size_t)(equals + 1 - words[i]) : 0;
        textbuf_bytes(t, words[i], front);
        if (is_quoted)
            textbuf_char(t, '"');
        textbuf_text(t, words[i] + front);
        if (is_quoted)
            textbuf_char(t, '"');
    }
    textbuf_char(t, '\0');
}

/* No JVM has this command: the JDK's jcmd makes the answer itself from the counters. */
static int print_counters(const struct asking *q)
{
    return counters_text_print_target(q->cmd, q->target,
                                      &(struct counters_text){.is_labelled = true});
}

static int run_line(const struct asking *q, char *command)
{
    return strcmp(command, "PerfCounter.print") == 0 ? print_counters(q)
                                                     : asking_each(q, send, command);
}

static int run_command(const struct asking *q, int count, char **words)
{
    static char help[] = "help", *no_words[] = {help};
    struct textbuf command = {0};
    int status = CMD_FAILED;
    join(&command, count > 0 ? count : 1, count > 0 ? words : no_words);
    if (command.is_bad)
        say("jcmd: out of memory");
    else
        status = run_line(q, command.bytes);
    textbuf_done(&command);
    return status;
}

/* Reads the file as the JVM reads such a file: empty lines and lines that begin with # are skipped,
 * and `stop` ends the file. If the JVM refuses one command, the next commands are still sent. */
static int run_lines(const struct asking *q, const char *name, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    int status = CMD_OK;
    for (ssize_t n; status != CMD_USAGE && (n = getline(&line, &room, file)) > 0;) {
        if (n > LINE_MAX_BYTES || memchr(line, '\0', (size_t)n)) {
            say("jcmd: %s: this is no file of commands: a line is longer than %d bytes, or has a "
                "0 byte",
                name, LINE_MAX_BYTES);
            status = CMD_USAGE;
            break;
        }
        while (n > 0 && isspace((unsigned char)line[n - 1]))
            line[--n] = '\0';
        char *command = line + strspn(line, " \t");
        if (strcmp(command, "stop") == 0)
            break;
        int one = *command == '\0' || *command == '#' ? CMD_OK : run_line(q, command);
        status = one > status ? one : status;
    }
    if (ferror(file)) {
        say("jcmd: %s: %s", name, strerror(errno));
        status = status == CMD_OK ? CMD_FAILED : status;
    }
    free(line);
    return status;
}

static int run_file(const struct asking *q, const char *name)
{
    bool is_input = strcmp(name, "-") == 0;
    FILE *file = is_input ? stdin : fopen(name, "re");
    if (!file) {
        say("jcmd: %s: %s", name, strerror(errno));
        return CMD_FAILED;
    }
    int status = run_lines(q, name, file);
    if (!is_input)
        (void)fclose(file);
    return status;
}

/* The JDK's jcmd takes -f after the target, so this command takes it there, too. */
static int run_target(const struct asking *q, const char *file, int count, char **words)
{
    if (!file && count == 2 && strcmp(words[0], "-f") == 0) {
        file = words[1];
        count = 0;
    }
    if (file && count > 0) {
        say("jcmd: commands come from '%s' or from the command line, not from both", file);
        return CMD_USAGE;
    }
    return file ? run_file(q, file) : run_command(q, count, words);
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking q = {.cmd = self, .is_labelled = true};
    const char *file = NULL;
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        switch (id) {
        case OPT_LIST:
            return jvm_list_print(
                &(struct jvm_list){.is_plain = true, .is_full = true, .has_args = true});
        case OPT_FILE:
            file = opts.value;
            break;
        case ASKING_OPT_TIMEOUT:
            if (values_duration(self, "timeout", opts.value, &q.timeout_ns) < 0)
                return CMD_USAGE;
            break;
        case OPTS_WORD:
            /* All words after the target belong to the JVM's command, including options. */
            q.target = opts.value;
            return run_target(&q, file, argc - opts.next, argv + opts.next);
        case OPTS_HELP:
            help_cmd(stdout, self);
            return CMD_OK;
        default:
            return CMD_USAGE;
        }
    }
    if (file) {
        say("jcmd: no JVM named that the commands in '%s' are for", file);
        return CMD_USAGE;
    }
    return jvm_list_print(&(struct jvm_list){.is_plain = true, .is_full = true, .has_args = true});
}

const struct cmd cmd_jcmd = {
    .name = "jcmd",
    .group = CMD_ACTS,
    .help = "Send a diagnostic command to JVMs, as the JDK's jcmd does",
    .operands = "[TARGET [COMMAND...]]",
    .needs = "a live JVM",
    .options = options,
    .run = run,
};
