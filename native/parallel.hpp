// Splits work over threads; the calling thread takes part and asks now and then whether to stop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace vicinal {

// Calls work(i) for i in [0, count). `interrupted` is called on the calling thread only. Which
// thread takes which i is free, so work(i) must not depend on it. Returns false when interrupted.
template <class Work, class Interrupted>
bool parallel_for(std::int64_t count, int threads, const Work& work, const Interrupted& interrupted) {
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> stop{false};
    std::exception_ptr failure;
    std::mutex failure_lock;
    const auto take = [&](bool first) {
        auto last_asked = std::chrono::steady_clock::now();
        try {
            for (std::int64_t i; !stop && (i = next.fetch_add(1)) < count;) {
                work(i);
                const auto now = std::chrono::steady_clock::now();
                if (first && now - last_asked > std::chrono::milliseconds(50)) {
                    last_asked = now;
                    if (interrupted()) stop = true;
                }
            }
        } catch (...) {
            const std::lock_guard<std::mutex> hold(failure_lock);
            if (!failure) failure = std::current_exception();
            stop = true;
        }
    };
    std::vector<std::thread> helpers;
    try {
        for (std::int64_t t = 1; t < threads && t < count; ++t) helpers.emplace_back(take, false);
    } catch (const std::system_error&) {
        // No more threads to be had: the ones that started, and this one, do the work.
    }
    take(true);
    for (auto& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
    return !stop;
}

}  // namespace vicinal
