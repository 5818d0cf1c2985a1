/*
 * method_id_names.hpp - jmethodIDs: made when a class is prepared, and their names by JVM TI.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

static void JNICALL OnClassPrepare(jvmtiEnv* jvmti, JNIEnv*, jthread, jclass klass) {
  jint count;
  jmethodID* ids;
  if (jvmti->GetClassMethods(klass, &count, &ids) == JVMTI_ERROR_NONE)
    jvmti->Deallocate((unsigned char*)ids);
}

static std::string askName(jmethodID id) {
  char *name = nullptr, *signature = nullptr;
  jclass klass;
  JNIEnv* own; // JVM TI gives out references: only to a thread of the VM
  java->AttachCurrentThreadAsDaemon((void**)&own, nullptr);
  if (id == nullptr || jvmti->GetMethodName(id, &name, nullptr, nullptr) != JVMTI_ERROR_NONE)
    return "?";
  std::string result = name;
  jvmti->Deallocate((unsigned char*)name);
  if (jvmti->GetMethodDeclaringClass(id, &klass) == JVMTI_ERROR_NONE) {
    if (jvmti->GetClassSignature(klass, &signature, nullptr) == JVMTI_ERROR_NONE) {
      std::string text = signature;
      result = text.substr(1, text.size() - 2) + "." + result;
      jvmti->Deallocate((unsigned char*)signature);
    }
    own->DeleteLocalRef(klass);
  }
  return result;
}

static const std::string& methodIdName(jmethodID id) {
  static std::unordered_map<jmethodID, std::string> names;
  auto found = names.find(id);
  if (found == names.end())
    found = names.emplace(id, askName(id)).first;
  return found->second;
}
