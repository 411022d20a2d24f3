// Asking for values before they are needed, so that they are in cache in time.
#pragma once

#include <cstddef>

#include "simd.hpp"

namespace vicinal::VICINAL_PATH {

// There is at least one value. Inlined: of functions that do nothing else, GCC drops the calls.
template <class T>
VICINAL_INLINE void fetch(const T* values, std::size_t count) {
    const auto* bytes = reinterpret_cast<const char*>(values);
    for (std::size_t byte = 0; byte < count * sizeof(T); byte += 64) __builtin_prefetch(bytes + byte);
    __builtin_prefetch(bytes + count * sizeof(T) - 1);  // may lie in a line of its own
}

}  // namespace vicinal::VICINAL_PATH
