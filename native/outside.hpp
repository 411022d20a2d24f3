// Everything that kernels use and that is no part of an instruction path.
//
// The linker keeps one copy of each inline function, whichever file it is from, and the standard
// library is full of them. So all of these are compiled for any processor: the file of an instruction
// path includes this one first, and only then says what its own code may use. A test sees to it that
// no kernel includes a header that is missing here.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "boost_job.hpp"
#include "category_rows.hpp"
#include "cells.hpp"
#include "fine.hpp"
#include "kernels.hpp"
#include "offsets.hpp"
#include "steps.hpp"
#include "types.hpp"
