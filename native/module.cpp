// The Python module.
#include "bindings.hpp"

NB_MODULE(_native, m) {
    // What a traceback still holds when the interpreter ends is no leak to tell users about.
    nb::set_leak_warnings(false);
    m.doc() = "Kernels of the exact index: arrays in, arrays out. Use vicinal.index instead.";
    vicinal::bind_search(m);
    vicinal::bind_learning(m);
    vicinal::bind_scores(m);
    vicinal::bind_shards(m);
}
