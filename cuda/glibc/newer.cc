/** What headers of newer libraries call, and older libraries do not have. */
#include <new>

extern "C" {
/** glibc 2.32: whether atomics of libstdc++ may be plain. Never. */
__attribute__((visibility("hidden"))) extern const char __libc_single_threaded = 0;
}

namespace std {
/** GLIBCXX_3.4.29. */
[[noreturn]] __attribute__((visibility("hidden"))) void __throw_bad_array_new_length() { throw bad_array_new_length(); }
}  // namespace std
