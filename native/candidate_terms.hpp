// The excess terms between a case and rows near it. Those of one case are worked out at a time: of wide tables, those
// of all would fill memory.
#pragma once

#include <vector>

#include "excess.hpp"

namespace vicinal::VICINAL_PATH {

class CandidateTerms {
public:
    explicit CandidateTerms(const CandidateJob& job) : job_(job) {}

    // (active columns, pool) of one of the cases.
    const float* of(std::int64_t at, std::int64_t pool) {
        const Metric& metric = *job_.metrics[job_.views[at]];
        terms_.resize(metric.active.size() * pool);
        Excess(*job_.table, metric, job_.queries + at * metric.columns())
            .run(job_.rows + at * pool, static_cast<int>(pool), terms_.data());
        return terms_.data();
    }

private:
    const CandidateJob& job_;
    std::vector<float> terms_;  // of the case asked about last
};

}  // namespace vicinal::VICINAL_PATH
