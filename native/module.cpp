// The Python module.
#include <chrono>

#include "bindings.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace vicinal {

void end_work() {
    ending_thread = std::this_thread::get_id();
    ending = true;
    const nb::gil_scoped_release release;
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (working_threads > 0 && std::chrono::steady_clock::now() < latest)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// Gives memory that is free back to the system, where the C library would keep it.
void return_memory() {
#if defined(__GLIBC__)
    Working working;
    malloc_trim(0);
#endif
}

}  // namespace vicinal

NB_MODULE(_native, m) {
    // What a traceback still holds when the interpreter ends is no leak to tell users about.
    nb::set_leak_warnings(false);
    m.doc() = "Kernels of the exact index: arrays in, arrays out. Use vicinal.index instead.";
#if defined(__unix__) || defined(__APPLE__)
    pthread_atfork(nullptr, nullptr, [] { vicinal::working_threads = 0; });  // a child has one thread
#endif
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&vicinal::end_work));
    m.def("return_memory", &vicinal::return_memory);
    vicinal::bind_metric(m);
    vicinal::bind_search(m);
    vicinal::bind_learning(m);
    vicinal::bind_weights(m);
    vicinal::bind_scores(m);
    vicinal::bind_shards(m);
    vicinal::bind_spaces(m);
}
