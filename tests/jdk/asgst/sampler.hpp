/*
 * sampler.hpp - what the small profilers here share: a map of threads, a loop that signals some of them, a call tree, and
 * the glue of an agent. The wall-clock loop of "Writing a Profiler from Scratch: The Profiling Loop".
 *
 * A profiler defines signalHandler(), processTraces(), onThreadStart() and includes this file.
 * Options: output=FILE (folded stacks), interval=MS. At the end one line: total, failed, what finish() adds, and the failures by code.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <random>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <vector>

const int MAX_DEPTH = 512; // max number of frames to capture
const int MAX_THREADS_PER_ITERATION = 8;

static void signalHandler(int signo, siginfo_t* siginfo, void* ucontext);
static void initSampler();
static void processTraces(size_t num_threads);
static void onThreadStart(JNIEnv* jni_env);
static std::string finish();

static JavaVM* java;
static jvmtiEnv* jvmti;
static JNIEnv* env;
static std::string outputFile;
static int intervalMs = 1;

// Shared with signal handlers.
static std::atomic<size_t> available_trace;
static std::atomic<size_t> stored_traces;
static std::atomic<int> totalTraces{0};
static std::atomic<int> failedTraces{0};
static std::atomic<int> failuresByCode[64]; // [-code]

static void countFailure(int code) {
  failedTraces++;
  failuresByCode[code <= 0 && code > -64 ? -code : 63]++;
}

static pid_t get_thread_id() { return syscall(SYS_gettid); }

struct ValidThreadInfo {
  pthread_t pthread;
};

class ThreadMap {
  std::recursive_mutex m;
  std::unordered_map<pid_t, ValidThreadInfo> map;

public:
  void add(pid_t pid) {
    const std::lock_guard<std::recursive_mutex> lock(m);
    map[pid] = ValidThreadInfo{pthread_self()};
  }

  void remove(pid_t pid) {
    const std::lock_guard<std::recursive_mutex> lock(m);
    map.erase(pid);
  }

  std::vector<pid_t> get_all_threads() {
    const std::lock_guard<std::recursive_mutex> lock(m);
    std::vector<pid_t> threads;
    for (auto& entry : map)
      threads.push_back(entry.first);
    return threads;
  }

  std::vector<pid_t> get_shuffled_threads() {
    const std::lock_guard<std::recursive_mutex> lock(m);
    std::vector<pid_t> threads = get_all_threads();
    static std::mt19937 g(42);
    std::shuffle(threads.begin(), threads.end(), g);
    return std::vector<pid_t>(threads.begin(),
                              threads.begin() + std::min(MAX_THREADS_PER_ITERATION, (int)threads.size()));
  }

  // The thread cannot leave the map, and so not end, while it is signalled.
  bool signal(pid_t pid) {
    const std::lock_guard<std::recursive_mutex> lock(m);
    auto entry = map.find(pid);
    return entry != map.end() && pthread_kill(entry->second.pthread, SIGPROF) == 0;
  }
};

static ThreadMap thread_map;

class Node {
  std::map<std::string, Node> children;
  long own = 0;

public:
  // frames[0] is the innermost
  void addTrace(const std::vector<std::string>& frames) {
    Node* node = this;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      node = &node->children[*frame];
    node->own++;
  }

  void write(FILE* out, const std::string& path) const {
    if (own > 0)
      fprintf(out, "%s %ld\n", path.c_str(), own);
    for (auto& child : children)
      child.second.write(out, path.empty() ? child.first : path + ";" + child.first);
  }
};

static Node rootNode;

static void sampleThreads() {
  available_trace = 0;
  stored_traces = 0;
  size_t signalled = 0;
  for (pid_t thread : thread_map.get_shuffled_threads())
    signalled += thread_map.signal(thread);
  // wait till all handlers obtained their traces: what comes later would be stored behind the end; a thread that is
  // signalled runs on until it has taken the signal, but may not get the CPU for long
  for (int i = 0; stored_traces < signalled && i < 1200000; i++)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  processTraces(std::min((size_t)stored_traces, signalled));
}

static std::atomic<bool> shouldStop{false};
static std::thread samplerThread;

static thread_local bool isProfilerThread = false; // such a thread is not sampled

static void sampleLoop() {
  isProfilerThread = true;
  sigset_t prof;
  sigemptyset(&prof);
  sigaddset(&prof, SIGPROF);
  pthread_sigmask(SIG_BLOCK, &prof, nullptr);
  initSampler();
  std::chrono::nanoseconds interval{intervalMs * 1000000L};
  while (!shouldStop) {
    auto start = std::chrono::steady_clock::now();
    sampleThreads();
    auto sleep = interval - (std::chrono::steady_clock::now() - start);
    if (std::chrono::nanoseconds::zero() < sleep)
      std::this_thread::sleep_for(sleep);
  }
  java->DetachCurrentThread(); // method_id_names.hpp attaches it
}

static void JNICALL OnThreadStart(jvmtiEnv*, JNIEnv* jni_env, jthread) {
  if (isProfilerThread)
    return;
  onThreadStart(jni_env);
  thread_map.add(get_thread_id());
}

static void JNICALL OnThreadEnd(jvmtiEnv*, JNIEnv*, jthread) { thread_map.remove(get_thread_id()); }

static void JNICALL OnVMInit(jvmtiEnv* jvmti, JNIEnv* jni_env, jthread thread) {
  struct sigaction sa;
  memset(&sa, 0, sizeof sa);
  sa.sa_sigaction = signalHandler;
  sa.sa_flags = SA_RESTART | SA_SIGINFO;
  sigaction(SIGPROF, &sa, nullptr);
  env = jni_env;
  OnThreadStart(jvmti, jni_env, thread);
  samplerThread = std::thread(sampleLoop);
}

static void JNICALL OnVMDeath(jvmtiEnv*, JNIEnv*) {
  shouldStop = true;
  samplerThread.join();
  std::string more = finish();
  FILE* out = fopen(outputFile.c_str(), "w");
  if (out != nullptr) {
    rootNode.write(out, "");
    fclose(out);
  }
  fprintf(stderr, "total %d failed %d%s", (int)totalTraces, (int)failedTraces, more.c_str());
  for (int code = 0; code < 64; code++)
    if (failuresByCode[code] > 0)
      fprintf(stderr, " code%d=%d", -code, (int)failuresByCode[code]);
  fprintf(stderr, "\n");
}

// What only a profiler with jmethodIDs asks for.
static void JNICALL OnClassPrepare(jvmtiEnv* jvmti, JNIEnv*, jthread, jclass klass);
#ifndef NEEDS_METHOD_IDS
static void JNICALL OnClassPrepare(jvmtiEnv*, JNIEnv*, jthread, jclass) {}
#endif

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void*) {
  std::string text = options != nullptr ? options : "";
  java = vm;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    std::string option = text.substr(at, end - at);
    if (option.rfind("output=", 0) == 0)
      outputFile = option.substr(7);
    if (option.rfind("interval=", 0) == 0)
      intervalMs = std::stoi(option.substr(9));
    at = end + 1;
  }
  jvmtiEventCallbacks callbacks;
  memset(&callbacks, 0, sizeof callbacks);
  callbacks.VMInit = OnVMInit;
  callbacks.VMDeath = OnVMDeath;
  callbacks.ThreadStart = OnThreadStart;
  callbacks.ThreadEnd = OnThreadEnd;
  callbacks.ClassPrepare = OnClassPrepare;
  if (vm->GetEnv((void**)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
      jvmti->SetEventCallbacks(&callbacks, sizeof callbacks) != JVMTI_ERROR_NONE)
    return JNI_ERR;
  for (jvmtiEvent event : {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_THREAD_START,
                           JVMTI_EVENT_THREAD_END, JVMTI_EVENT_CLASS_PREPARE})
    jvmti->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr);
  return JNI_OK;
}
