// Work without the GIL, which the interpreter must not end beneath: a thread that asks for the GIL
// while Python ends is ended by the system, in the midst of C++ code, and that aborts the process.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <thread>

namespace vicinal {

// The number of threads that work now.
inline std::atomic<int> working_threads{0};
// Whether the process ends; the thread that ends it may still work.
inline std::atomic<bool> ending{false};
inline std::thread::id ending_thread;

// Releases the GIL, and counts as work until it is held again.
class Working {
    struct Counted {
        Counted() { ++working_threads; }
        ~Counted() { --working_threads; }
        Counted(const Counted&) = delete;
        Counted& operator=(const Counted&) = delete;
    };
    Counted counted_;  // first, so that it is destroyed after the GIL was taken again
    nanobind::gil_scoped_release release_;
};

inline bool must_end() { return ending && std::this_thread::get_id() != ending_thread; }

// Ends the work of all other threads, and waits for them as long as the longest step takes.
void end_work();

}  // namespace vicinal
