/*
 * cmd_run.c - `hprof run -- COMMAND`: profiles all JVMs that a command starts.
 *
 * The variable JAVA_TOOL_OPTIONS makes each JVM load the agent, so the command may be java, a build
 * tool or a script. The program owns stdin and stdout: the messages of `hprof run` go to stderr.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/diag_say.h"
#include "command/cmd.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/javaname.h"
#include "base/newfile.h"
#include "jvm/agentlib.h"
#include "recording/child.h"
#include "report/convert.h"
#include "recording/debug_on.h"
#include "reading/gather.h"
#include "command/help.h"
#include "recording/left_behind.h"
#include "reading/load.h"
#include "recording/manifest.h"
#include "command/opts.h"
#include "report/report.h"
#include "recording/request.h"
#include "recording/run_file.h"
#include "command/say.h"
#include "format/format.h"

extern const struct cmd cmd_run;

/* The value of JAVA_TOOL_OPTIONS: the old value, then our agent, then the debugging agent. The
 * debugging agent is last, because it may end the JVM. `library` NULL: without our agent. Returns
 * malloc'ed text; NULL after saying why. */
static char *jvm_options(struct request *req, const struct run_file *output, const char *manifest,
                         const char *library, const char *old)
{
    char *debugging = req->debug_on ? debug_on_option(req->debug_on, req->debug_port) : strdup("");
    char *ours = !debugging ? NULL
                 : library  ? request_tool_options(req, output, manifest, library, old)
                            : strdup(old ? old : "");
    char *all = NULL;
    if (ours && asprintf(&all, "%s%s%s", ours, *ours && *debugging ? " " : "", debugging) < 0) {
        all = NULL;
        say("run: %s", strerror(ENOMEM));
    }
    free(ours);
    free(debugging);
    return all;
}

/* Whether the JVMs can wait for a debugger as the user asked, if that is known before they start.
 * Errors: 0; negative after saying why not. */
static int check_debugger(struct request *req, const char *command)
{
    if (!req->debug_on || !debug_on_needs_onjcmd(req->debug_on))
        return 0;
    int known = command ? debug_on_check(command) : 0;
    req->debug_is_asked = known == 0;
    return known < 0 ? known : 0;
}

static struct convert drawn_as(const struct request *req, const struct run_file *output)
{
    return (struct convert){.command = "run", .format = output->picture, .first = req->drawn};
}

/* Draws the picture beside the file. A picture of events in time needs the stacks of each thread.
 * The profile of the tables does not have them, so the file is read again. */
static int draw(const struct request *req, const struct run_file *output, const char *path,
                struct profile *profile)
{
    char *picture = run_file_picture_path(output, path);
    struct convert convert = drawn_as(req, output);
    int r = -ENOMEM;
    convert.rest = req->quiet ? NULL : path;
    convert.path = picture;

    if (!picture)
        say("run: %s", strerror(ENOMEM));
    else if (output->is_timed)
        r = convert_file(&convert, path, &(struct load_how){0}, NULL);
    else
        r = convert_write(&convert, path, profile);
    if (r == 0)
        say("%s in '%s'", output->picture->name, picture);
    free(picture);
    return r;
}

/* Prints the tables of one file. Errors: 0; negative. */
static int print(struct report_how *report, const struct manifest_entry *entry,
                 const struct load *load)
{
    char *title = NULL;
    if (asprintf(&title, "hprof: process %ld: %s", entry->pid, entry->path) < 0)
        title = NULL;
    report->is_damaged = load->damaged;
    fputc('\n', report->out);
    int r = report_print(report, title ? title : entry->path, load->profile);
    free(title);
    if (r < 0)
        say("%s: %s", entry->path, strerror(-r));
    return r == 0 && load->damaged ? -EIO : r;
}

static int summarise(struct report_how *report, const struct request *req,
                     const struct run_file *output, const struct manifest_entry *entry)
{
    struct load load = {0};
    int r = 0;
    if (newfile_is_special(entry->path)) {
        say("run: '%s' cannot be read again: no summary", entry->path);
        return 0;
    }
    if (output->is_recording) {
        say("recording in '%s'; 'hprof jfr' and the JDK's 'jfr' read it", entry->path);
        return 0;
    }
    if (!req->quiet || !output->is_timed)
        r = load_open(entry->path, &(struct load_how){0}, diag_say(), &load);
    if (r == 0 && !req->quiet)
        r = print(report, entry, &load);
    if (r == 0 && output->picture)
        r = draw(req, output, entry->path, load.profile);
    load_close(&load);
    return r;
}

/* Draws one picture of all JVMs beside the pictures of each, from the files that could be read. */
static int draw_all(const struct request *req, const struct run_file *output,
                    const struct gather_file *files, size_t count)
{
    char *picture = run_file_picture_of_all(output);
    struct convert convert = drawn_as(req, output);
    int r = -ENOMEM;
    convert.path = picture;

    if (!picture)
        say("run: %s", strerror(ENOMEM));
    else
        r = convert_files(&convert, files, count, &(struct load_how){0});
    if (r == 0)
        say("%s of all %zu JVMs in '%s'", output->picture->name, count, picture);
    free(picture);
    return r;
}

/* Prints and draws each JVM's file, then draws all JVMs in one picture. Errors: 0; negative. */
static int summarise_all(struct report_how *report, const struct request *req,
                         const struct run_file *output, const struct manifest *manifest)
{
    struct gather_file *files = calloc(manifest->count + 1, sizeof(*files));
    size_t count = 0;
    int r = files ? 0 : -ENOMEM;
    if (!files)
        say("run: %s", strerror(ENOMEM));
    for (size_t i = 0; files && i < manifest->count; i++) {
        const struct manifest_entry *entry = &manifest->entries[i];
        if (summarise(report, req, output, entry) < 0)
            r = -EIO;
        else if (!newfile_is_special(entry->path))
            files[count++] = (struct gather_file){entry->path, (uint32_t)entry->pid};
    }
    if (output->picture && count > 1 && draw_all(req, output, files, count) < 0)
        r = -EIO;
    free(files);
    return r;
}

/* Says why there is no profile. `left` NULL: no JVM was left alone. */
static void say_none(const struct request *req, const struct manifest *manifest, const char *left)
{
    if (manifest->open_count > 0)
        say("run: no profile was written: process %ld was killed before the end, when such a file "
            "is written; '-o x.jfr' keeps what was recorded until then",
            manifest->open[0].pid);
    else if (left)
        say("run: no profile was written: only the JVMs of build tools took the agent, and these "
            "are left alone: %s; --all measures them, too; where a Gradle daemon that ran before "
            "starts the program, use 'gradle --no-daemon'",
            left);
    else
        say("run: no profile was written: no JVM started under this command, or it was killed, or "
            "it did not accept the agent (see above)%s",
            req->watched.text ? ", or what --on waits for did not happen" : "");
}

/* Reports what the run has written. If the child failed, its status is returned, not ours. */
static int conclude(const struct request *req, struct run_file *output, struct manifest *manifest,
                    int status)
{
    struct report_how report = {
        .out = stderr, .width = report_width(stderr), .top = req->top, .is_verbose = req->verbose};
    int r = manifest_read(manifest);
    char *left = left_behind_tools(manifest);
    bool goes_on = left_behind_say(manifest);
    if (output->is_recording || output->is_timed)
        left_behind_take_killed(manifest);

    if (r == 0 && manifest->count == 0 && !goes_on) {
        run_file_restore(output);
        say_none(req, manifest, left);
        r = -ENOENT;
    } else if (left && !req->quiet) {
        say("run: left alone: %s; --all measures JVMs of build tools, too", left);
    }
    free(left);
    if ((!req->quiet || output->picture) && summarise_all(&report, req, output, manifest) < 0)
        r = -EIO;
    return status == CMD_OK && r < 0 ? CMD_FAILED : status;
}

static int start_error(const char *command, int error)
{
    if (error == -ENOENT) {
        say("run: %s: command not found", command);
        return CMD_NOT_FOUND;
    }
    say("run: %s: cannot be executed: %s", command, strerror(-error));
    return error == -ENOMEM || error == -EAGAIN ? CMD_FAILED : CMD_NOT_EXECUTABLE;
}

/* Whether the command itself is a question like `java -version`. Then the user wants that JVM
 * measured. Otherwise such JVMs are left alone, because build tools start them to ask for the
 * version. */
static bool is_question(char *const *argv)
{
    size_t count = 0;
    const char *slash = strrchr(argv[0], '/');
    while (argv[count])
        count++;
    return strcmp(slash ? slash + 1 : argv[0], "java") == 0 &&
           javaname_is_question(argv[count - 1]);
}

static int run_child(char *const *argv, const char *tools)
{
    /* Write our output first, so that the program's output follows it if both go to one file. */
    (void)fflush(NULL);
    return child_run(argv, tools);
}

/* Runs the command for debugging only. Nothing is measured; the agent is loaded only if it must
 * check the JVM. */
static int debug_command(struct request *req, char *const *argv)
{
    struct agentlib_file library = {.hold = -1};
    char *tools = NULL;
    int status = CMD_FAILED;
    if (req->output)
        say("run: '%s' is not written: with --debug-on nothing is measured without --event",
            req->output);
    if (!req->debug_is_asked || agentlib_find_file(req->agent, &library) == 0)
        tools = jvm_options(req, NULL, NULL, library.path, getenv(CHILD_VARIABLE));
    if (tools) {
        status = run_child(argv, tools);
        status = status < 0 ? start_error(argv[0], status) : status;
    }
    free(tools);
    agentlib_file_done(&library);
    return status;
}

static int profile_command(struct request *req, char *const *argv)
{
    struct agentlib_file library = {.hold = -1};
    char *tools = NULL;
    struct run_file output = {0};
    struct manifest manifest = {0};
    int status = CMD_FAILED;
    if (run_file_init(&output, req->output, req->binary,
                      request_has_moments(req) ? RUN_FILE_MOMENTS : RUN_FILE_SUMS) < 0 ||
        request_check(&cmd_run, req, run_file_format(&output)) < 0 ||
        agentlib_find_file(req->agent, &library) < 0 || manifest_open(&manifest) < 0)
        goto out;
    req->all |= is_question(argv);
    tools = jvm_options(req, &output, manifest.path, library.path, getenv(CHILD_VARIABLE));
    if (!tools || run_file_set_aside(&output) < 0)
        goto out;
    status = run_child(argv, tools);
    if (status < 0) {
        run_file_restore(&output);
        status = start_error(argv[0], status);
    } else {
        status = conclude(req, &output, &manifest, status);
    }
out:
    manifest_close(&manifest);
    run_file_done(&output);
    free(tools);
    agentlib_file_done(&library);
    return status;
}

/* Prints the options for a JVM that another program starts. */
static int print_options(struct request *req)
{
    struct agentlib_file library = {.hold = -1};
    char *options = NULL;
    struct run_file output = {0};
    bool is_loaded = request_measures(req) || req->debug_is_asked;
    if (run_file_init(&output, req->output, req->binary, RUN_FILE_AGENT) == 0 &&
        request_check(&cmd_run, req, run_file_format(&output)) == 0 &&
        (!is_loaded ||
         (agentlib_find_file(req->agent, &library) == 0 && agentlib_file_promise(&library) == 0)))
        options = jvm_options(req, &output, NULL, library.path, NULL);
    if (options)
        puts(options);
    run_file_done(&output);
    agentlib_file_done(&library);
    free(options);
    return options ? CMD_OK : CMD_FAILED;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request req;
    struct opts opts;
    int status = CMD_USAGE;
    opts_init(&opts, self, argc, argv);
    switch (request_parse(self, &opts, &req)) {
    case OPTS_WORD:
        if (req.print_options)
            say("run: --print-options prints them, and starts nothing: leave '%s' out", opts.value);
        else if (check_debugger(&req, opts.value) < 0)
            status = CMD_FAILED;
        else if (request_measures(&req))
            status = profile_command(&req, argv + opts.next - 1);
        else
            status = debug_command(&req, argv + opts.next - 1);
        break;
    case OPTS_END:
        if (req.print_options && check_debugger(&req, NULL) == 0)
            status = print_options(&req);
        else
            say("run: no command; usage: hprof run [OPTION...] %s", self->operands);
        break;
    case OPTS_HELP:
        help_cmd(stdout, self);
        status = CMD_OK;
        break;
    default:
        break;
    }
    request_done(&req);
    return status;
}

const struct cmd cmd_run = {
    .name = "run",
    .group = CMD_RECORDS,
    .help = "Run a command and profile the CPU time of the JVMs it starts",
    .operands = "[--] COMMAND [ARGUMENT...]",
    .needs = "a command that starts a JVM: java, a build tool, a script",
    .options = request_options,
    .ends_at_word = true,
    .project = request_project,
    .run = run,
};
