/*
 * heapdump_child.c - the forked child: it writes the heap that it sees frozen, and ends.
 *
 * It is one thread of a copied JVM, with every lock in whatever state it was: so no malloc(), no
 * stdio, no JNI, no return. A crash here is an exit status, not the VM's business: the VM's
 * handlers are taken off first. SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "agent/alloc/alloc.h"
#include "agent/heapdump/heapdump.h"
#include "base/err.h"
#include "safe/mem_self.h"
#include "safe/clock.h"

enum {
    TEST_CRASH = 2, /* of dumptest= */
    TEST_WAIT = 3,
    TEST_WAIT_S = 100,
    NICE = 5,
    TURN_POLL_NS = 1000000,
    CRASHED = 100, /* exit status: this and the number of the signal */
    ERROR = 99,    /* the status page says which */
};

static struct heapdump_status *status; /* for the handler */

/* Where it was, as the distance from this function: enough to find the line. */
static void on_crash(int sig, siginfo_t *info, void *context)
{
    static const char digits[] = "0123456789abcdef";
    const ucontext_t *u = context;
#if defined(__x86_64__)
    uint64_t pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
#else
    uint64_t pc = (uint64_t)u->uc_mcontext.pc;
#endif
    char *at = stpcpy(status->why, "on_crash+0x");

    pc -= (uint64_t)(uintptr_t)on_crash;
    for (int shift = 60; shift >= 0; shift -= 4)
        *at++ = digits[pc >> shift & 15];
    *at = '\0';
    _exit(CRASHED + sig);
}

static void set_signals(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
    struct sigaction action = {.sa_handler = SIG_IGN};
    struct itimerval never = {{0, 0}, {0, 0}};
    sigset_t none;

    mem_self_close(); /* while its handler is still in front */
    setitimer(ITIMER_REAL, &never, NULL);
    setitimer(ITIMER_PROF, &never, NULL);
    for (int sig = 1; sig < NSIG; sig++) /* among them the application's and our sampling signal */
        sigaction(sig, &action, NULL);
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO;
    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
        sigaction(crashes[i], &action, NULL);
    sigemptyset(&none);
    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
        sigaddset(&none, crashes[i]);
    sigprocmask(SIG_UNBLOCK, &none, NULL);
}

void heapdump_child_goes_first(const char *path)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd >= 0) {
        ssize_t written = write(fd, "1000", 4);

        (void)written; /* not allowed: then not */
        close(fd);
    }
}

/* What the application has open must be seen to close when it closes it. */
static void close_others(int keep)
{
#ifdef SYS_close_range
    if (keep > 3)
        syscall(SYS_close_range, 3u, (unsigned)keep - 1, 0u);
    if (syscall(SYS_close_range, (unsigned)keep + 1, ~0u, 0u) == 0)
        return;
#endif
    for (int fd = 3; fd < 65536; fd++) {
        if (fd != keep)
            close(fd);
    }
}

void heapdump_child_settle(struct heapdump *d)
{
    static int is_settled;
    struct rlimit none = {0, 0};
    int keep = d->sink.fd;

    if (is_settled)
        return;
    is_settled = 1;
    status = d->status;
    set_signals();
    setrlimit(RLIMIT_CORE, &none);
    heapdump_child_goes_first("/proc/self/oom_score_adj"); /* where the parent may not */
    setpriority(PRIO_PROCESS, 0, NICE);
    prctl(PR_SET_NAME, "hprof heap dump", 0, 0, 0);
    close_others(keep);
}

/* What has been written is given back: from now on the parent's stores there cost nothing. */
static void give_back(void *arg, uint64_t from, uint64_t to)
{
    struct heapdump *d = arg;
    uint64_t page = 4096, low = (from + page - 1) & ~(page - 1), high = to & ~(page - 1);

    heapdump_child_progress(d, to - from + 1);
    if (high > low)
        madvise((void *)(uintptr_t)low, high - low, MADV_DONTNEED);
}

/* What the mirrors are of; here they can be followed at rest. */
static void find_klasses(struct heapdump *d, struct heap_classes *c)
{
    for (jint i = 0; i < d->class_count; i++) {
        uint64_t mirror = d->names.mirrors[i];

        if (mirror && i == 0) /* reads java.lang.Class, of which every mirror is an instance */
            heap_class_at(c, heap_klass(&d->heap, mirror));
        d->known[i].klass = mirror ? heap_u8(&d->heap, mirror + (uint64_t)c->mirror_klass) : 0;
    }
}

/* The threads by the addresses of their objects. */
struct thread_index {
    const struct heapdump *dump;
    struct heapdump_thread **slots;
    uint32_t mask;
};

static struct heapdump_thread **thread_slot(const struct thread_index *x, uint64_t object)
{
    uint32_t at = (uint32_t)((object >> 3) * 0x9e3779b97f4a7c15ull >> 32) & x->mask;

    while (x->slots[at] && heapdump_fork_object(x->dump, x->slots[at]->ref) != object)
        at = (at + 1) & x->mask;
    return &x->slots[at];
}

static int index_threads(struct heapdump *d, struct thread_index *x)
{
    uint32_t size = 64;

    while (size < d->thread_count * 2)
        size *= 2;
    *x = (struct thread_index){d, arena_alloc(&d->arena, size * sizeof(void *)), size - 1};
    for (uint32_t i = 0; x->slots && i < d->thread_count; i++) {
        uint64_t object = heapdump_fork_object(d, d->threads[i].ref);

        if (object)
            *thread_slot(x, object) = &d->threads[i];
    }
    return x->slots ? 0 : -ENOMEM;
}

/* 1 for the one reference to each class of the list, and to each thread, that is the agent's. */
static int take_off(struct heapdump *d, struct heap_classes *c, const struct thread_index *x,
                    const struct hprof_heap_root *r)
{
    struct heapdump_thread *t = *thread_slot(x, r->object);
    uint64_t object = heap_resolve(&d->heap, r->object);
    struct heap_class *k = NULL;

    if (t)
        return r->kind == HPROF_ROOT_JNI_LOCAL ? t->own_locals-- > 0 : t->own_globals-- > 0;
    if (r->kind == HPROF_ROOT_JNI_LOCAL && heap_klass(&d->heap, object) == c->class_klass)
        k = heap_class_at(c, heap_u8(&d->heap, object + (uint64_t)c->mirror_klass));
    if (!k || k->user)
        return 0;
    k->user = k; /* nobody else uses this table of classes */
    return 1;
}

/* The list of classes is in local references of the thread that asked for the dump: they are none
 * of the program's, and would keep every class alive. */
static int drop_own_roots(struct heapdump *d, struct heap_classes *c)
{
    struct thread_index threads;
    uint32_t kept = 0;

    if (index_threads(d, &threads) != 0)
        return -ENOMEM;
    for (uint32_t i = 0; i < d->root_count; i++) {
        const struct hprof_heap_root *r = &d->roots[i];

        if (!r->is_own || !take_off(d, c, &threads, r))
            d->roots[kept++] = *r;
    }
    d->root_count = kept;
    return 0;
}

static uint32_t trace_of(uint32_t site)
{
    return site ? alloc_trace_serial(site) : PROFILE_TRACE_SYSTEM;
}

/* Until the parent has written what comes before, and as long as there is a parent. */
static int wait_for_turn(struct heapdump *d)
{
    static const struct timespec pause = {.tv_nsec = TURN_POLL_NS};

    while (!d->status->has_turn) {
        if (getppid() != d->parent)
            return -ECANCELED;
        if (d->status->no_turn)
            return d->status->no_turn;
        nanosleep(&pause, NULL);
    }
    d->sink.written = d->status->position;
    return 0;
}

/* What the caller of heap_find_run() brings: the classes of the list, and the roots. */
static int find_objects(struct heapdump *d, struct heap_find *f)
{
    uint64_t *klasses = arena_alloc(&d->arena, ((size_t)d->class_count + 1) * sizeof(*klasses));

    if (!klasses)
        return -ENOMEM;
    for (jint i = 0; i < d->class_count; i++)
        klasses[i] = d->known[i].klass;
    *f = (struct heap_find){
        .heap = &d->heap,
        .arena = &d->arena,
        .klasses = klasses,
        .klass_count = (uint32_t)d->class_count,
        .ranges = d->ranges,
        .range_max = d->range_max,
        .seen = &d->status->seen,
        .with_unreachable = !d->agent->options.live || d->selftest,
    };
    int error = heap_find_begin(f);

    for (uint32_t i = 0; i < d->root_count && !error; i++)
        heap_mark_root(&f->mark, d->roots[i].object);
    return error ? error : heap_find_run(f);
}

static int write_objects(struct heapdump *d, struct heap_find *f, const char **ret_why)
{
    struct dumpwriter_facts facts = {
        .known = d->known,
        .roots = d->roots,
        .known_count = (uint32_t)d->class_count,
        .root_count = d->root_count,
        .system_trace = PROFILE_TRACE_SYSTEM,
        .unknown_thread = PROFILE_THREAD_UNKNOWN,
        .sites = d->sites,
        .trace_of = trace_of,
        .written = d->heap.collector == HEAP_SHENANDOAH ? NULL : give_back,
        .written_arg = d,
        .leave_primitive_fields = !d->agent->options.primfields,
        .leave_primitive_arrays = !d->agent->options.primarrays,
    };
    struct dumpwriter w = {
        .facts = &facts,
        .heap = &d->heap,
        .find = f,
        .out = &d->out,
        .next_string = d->next_string,
        .next_serial = d->next_serial,
    };
    int error = dumpwriter_check_ids(&w);

    if (!error) {
        error = find_objects(d, f);
        w.why = f->why;
    }
    if (!error)
        error = dumpwriter_run(&w);
    if (!error)
        heapdump_names_note_child(d, &w);
    *ret_why = w.why;
    d->status->objects = w.objects;
    d->status->lost_links = w.lost_links;
    d->status->cut = d->out.cut;
    d->status->next_string = w.next_string;
    d->status->next_serial = w.next_serial;
    return error;
}

static int write_dump(struct heapdump *d, const char **ret_why)
{
    struct heap_classes classes;
    struct heap_find f = {0};
    int error = heap_class_init(&classes, &d->heap, &d->arena, ret_why);

    if (!error)
        error = wait_for_turn(d);
    if (!error) {
        find_klasses(d, &classes);
        error = drop_own_roots(d, &classes);
    }
    if (error)
        return error;
    if (d->selftest) {
        error = find_objects(d, &f);
        *ret_why = f.why;
        if (!error)
            error = heapdump_selftest_compare(d, &f);
    } else {
        error = write_objects(d, &f, ret_why);
    }
    d->status->classes = f.classes.count;
    d->status->heap_bytes = f.mark.bytes + f.parse.bytes;
    d->status->unreachable = f.parse.objects;
    d->status->skipped = f.parse.skipped;
    d->status->broken = f.mark.broken;
    return error;
}

static struct heapdump *at_hand; /* for the handler */

static void on_walk_end(int sig)
{
    heapdump_child_run(at_hand);
}

/*
 * JVM TI does not say where its walk ends; the VM thread would then wake the others, which are not
 * here. From now on a futex call is a signal: the first one is that wake.
 */
void heapdump_child_take_over(struct heapdump *d)
{
    struct sock_filter rows[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(rows) / sizeof(rows[0]), rows};
    struct sigaction action = {.sa_handler = on_walk_end, .sa_flags = SA_NODEFER};
    sigset_t one;

    heapdump_child_settle(d);
    at_hand = d;
    sigemptyset(&one);
    sigaddset(&one, SIGSYS);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    if (sigaction(SIGSYS, &action, NULL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        heapdump_child_run(d); /* without sites */
}

/* Until the test lets it go on by a file of this name, but not for ever. */
static void wait_for_test(void)
{
    uint64_t end = clock_monotonic_ns() + (uint64_t)TEST_WAIT_S * 1000000000u;

    while (access("dumptest", F_OK) != 0 && clock_monotonic_ns() < end)
        usleep(TURN_POLL_NS / 1000);
}

void heapdump_child_run(struct heapdump *d)
{
    const char *why = "";
    int error;

    heapdump_child_settle(d);
    error = mem_self_open(MEM_SELF_HANDLER, 0);
    d->target.mem = &mem_self;
    if (d->agent->options.dumptest == TEST_CRASH)
        raise(SIGSEGV);
    if (d->agent->options.dumptest == TEST_WAIT)
        wait_for_test();
    if (!error)
        error = write_dump(d, &why);
    d->status->error = error;
    d->status->file_bytes = sink_position(&d->sink) - d->status->position;
    d->status->ns = clock_monotonic_ns() - d->forked_ns;
    if (error) {
        why = why ? why : "";
        size_t n = strlen(why) < HEAPDUMP_WHY - 1 ? strlen(why) : HEAPDUMP_WHY - 1;

        memcpy(d->status->why, why, n);
        _exit(ERROR);
    }
    (void)output_bring_back(&d->agent->output); /* the parent sees what has become of it */
    d->status->is_complete = 1;
    _exit(0);
}
