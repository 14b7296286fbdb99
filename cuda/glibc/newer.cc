/** Functions used by headers of newer libraries, and missing in older libraries. */
#include <new>

extern "C" {
/** glibc 2.32: whether libstdc++ may use plain operations instead of atomics. Never. */
__attribute__((visibility("hidden"))) extern const char __libc_single_threaded = 0;
}

namespace std {
/** GLIBCXX_3.4.29. Weak: where the linker takes it from a static libstdc++ (GCC 13), that one counts. */
[[noreturn]] __attribute__((weak, visibility("hidden"))) void __throw_bad_array_new_length() { throw bad_array_new_length(); }
}  // namespace std
