/*
 * merge_profiler.cpp - the queue compression of "Taming the Bias": a handler that meets the frame of the youngest element
 * again adds to that element's weight, else it enqueues and looks at what it has put in.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sampler.hpp"

#include "method_to_string.hpp"

thread_local ASGST_Queue* queue;

static std::atomic<long> handledWeight{0};
static std::atomic<long> mergedTraces{0};
static std::atomic<int> missingElements{0};
static std::atomic<int> elements{0};

void asgstHandler(ASGST_Iterator* iterator, void*, void* arg) {
  std::vector<std::string> names;
  ASGST_Frame frame;
  while (ASGST_NextFrame(iterator, &frame) == 1 && names.size() < MAX_DEPTH)
    names.push_back(methodToString(frame.method));
  for (long i = 0; i < (long)arg; i++)
    rootNode.addTrace(names);
  elements++;
  handledWeight += (long)arg;
}

static bool isSame(const ASGST_QueueElement* a, const ASGST_QueueElement& b) {
  return a->pc == b.pc && a->sp == b.sp && a->fp == b.fp;
}

static void sample(void* ucontext) {
  ASGST_QueueElement now;
  int res = ASGST_GetEnqueuableElement(ucontext, &now);
  ASGST_QueueElement* youngest = ASGST_GetQueueElement(queue, -1);
  if (res == 1 && youngest != nullptr && isSame(youngest, now)) {
    youngest->arg = (void*)((long)youngest->arg + 1);
    mergedTraces++;
    return;
  }
  res = ASGST_Enqueue(queue, ucontext, nullptr);
  if (res != 1) {
    countFailure(res);
    return;
  }
  // the weight is only written here, as programs do that fill in more than one word
  ASGST_QueueElement* mine = ASGST_GetQueueElement(queue, -1);
  if (mine != nullptr && mine->arg == nullptr)
    mine->arg = (void*)1;
  else
    missingElements++;
}

static void signalHandler(int signo, siginfo_t* siginfo, void* ucontext) {
  totalTraces++;
  if (queue != nullptr)
    sample(ucontext);
  else
    countFailure(ASGST_ENQUEUE_NO_QUEUE);
  stored_traces++;
}

static void initSampler() {}
static void processTraces(size_t) {}

static void onThreadStart(JNIEnv* jni_env) {
  queue = ASGST_RegisterQueue(jni_env, 1000, 0, &asgstHandler, nullptr);
}

static std::string finish() {
  for (int i = 0; handledWeight < totalTraces - failedTraces && i < 10000; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return " weight " + std::to_string(handledWeight) + " merged " + std::to_string(mergedTraces) + " missing " +
         std::to_string(missingElements) + " elements " + std::to_string(elements);
}
