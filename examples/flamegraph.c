/*
 * flamegraph.c - a CPU profiler that draws a flame graph, in one page of C over the ASGST API.
 *
 *   cc -shared -fPIC -Iinclude -I$JAVA_HOME/include -I$JAVA_HOME/include/linux \
 *       examples/flamegraph.c -o libflame.so build/libasgst.so
 *   LD_LIBRARY_PATH=build java -agentpath:./libflame.so=flame.svg -cp … Main
 *
 * Each 5 ms of CPU time a signal; the handler walks the stack into a call tree of methods (a fixed
 * table, no lock: one handler at a time, others are counted as lost); at the end of the VM the tree
 * becomes an SVG. SPDX-License-Identifier: Apache-2.0
 */
#include <asgst.h>
#include <jvmti.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

enum { NODES = 200000, DEPTH = 200, WIDTH = 1200, ROW = 16 };

static struct node {
    ASGST_Method method;
    int child, next; /* indices, 0 none */
    long samples;
} nodes[NODES];
static int node_count = 1; /* nodes[0] is the root */
static atomic_flag busy = ATOMIC_FLAG_INIT;
static atomic_long lost, failed;
static char file[1000] = "flame.svg";

static int child_of(int parent, ASGST_Method method)
{
    int i = nodes[parent].child;
    while (i != 0 && nodes[i].method != method)
        i = nodes[i].next;
    if (i == 0 && node_count < NODES) {
        i = node_count++;
        nodes[i] = (struct node){method, 0, nodes[parent].child, 0};
        nodes[parent].child = i;
    }
    return i;
}

static void add_stack(ASGST_Iterator *iterator, void *unused)
{
    ASGST_Method stack[DEPTH];
    ASGST_Frame frame;
    int depth = 0, at = 0;
    while (depth < DEPTH && ASGST_NextFrame(iterator, &frame) == 1)
        stack[depth++] = frame.method;
    nodes[0].samples++;
    while (depth > 0 && (at = child_of(at, stack[--depth])) != 0)
        nodes[at].samples++;
}

static void on_signal(int signal, siginfo_t *info, void *ucontext)
{
    if (atomic_flag_test_and_set(&busy)) {
        lost++;
        return;
    }
    failed += ASGST_RunWithIterator(ucontext, 0, add_stack, NULL) != ASGST_JAVA_TRACE;
    atomic_flag_clear(&busy);
}

static void draw(FILE *out, int at, double x, double width, int row)
{
    char class_name[200] = "all", name[100] = "";
    ASGST_MethodInfo m = {NULL, name, sizeof(name), NULL, 0, NULL, 0, 0, 0, 0};
    ASGST_ClassInfo c = {class_name, sizeof(class_name), NULL, 0, 0, 0};
    if (at != 0) {
        ASGST_GetMethodInfo(nodes[at].method, &m);
        ASGST_GetClassInfo(m.klass, &c);
        for (char *bad; (bad = strpbrk(name, "<>&")) != NULL;)
            *bad = '_';
    }
    fprintf(out,
            "<g><title>%s.%s %ld</title><rect x='%.1f' y='%d' width='%.1f' height='%d' "
            "fill='hsl(%d,80%%,65%%)'/>",
            class_name, name, nodes[at].samples, x, row * ROW, width, ROW - 1, 20 + at % 7 * 5);
    if (width > 60)
        fprintf(out, "<text x='%.1f' y='%d' font-size='11'>%.*s.%.*s</text>", x + 2, row * ROW + 12,
                (int)(width / 13), class_name, (int)(width / 13), name);
    fprintf(out, "</g>\n");
    for (int i = nodes[at].child; i != 0; i = nodes[i].next) {
        double share = width * (double)nodes[i].samples / (double)nodes[at].samples;
        if (share >= 0.5)
            draw(out, i, x, share, row + 1);
        x += share;
    }
}

static void set_timer(int microseconds)
{
    struct itimerval every = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_PROF, &every, NULL);
}

static void JNICALL on_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    ASGST_Capabilities(); /* wait until the library is ready, so that no sample is lost */
    sigaction(SIGPROF, &action, NULL);
    set_timer(5000);
}

static void JNICALL on_end(jvmtiEnv *jvmti, JNIEnv *env)
{
    set_timer(0);
    while (atomic_flag_test_and_set(&busy))
        ;
    FILE *out = fopen(file, "w");
    if (!out)
        return;
    fprintf(
        out,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif'>\n",
        WIDTH, DEPTH * ROW);
    if (nodes[0].samples > 0)
        draw(out, 0, 0, WIDTH, 0);
    fprintf(out, "</svg>\n");
    fclose(out);
    fprintf(stderr, "%ld samples in %s, %ld without a Java stack, %ld lost\n", nodes[0].samples,
            file, (long)failed, (long)lost);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEnv *jvmti;
    jvmtiEventCallbacks callbacks = {.VMInit = on_start, .VMDeath = on_end};
    if (options && options[0] != 0)
        snprintf(file, sizeof(file), "%s", options);
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks));
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    return JNI_OK;
}
