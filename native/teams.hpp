// Coalitions as a few teams of players, whose terms are added up beforehand.
//
// Players are divided into blocks of four. What a coalition has of a block is a team. Coalitions that have
// little in common, as members of a tree, would cost an addition for each player; as teams, a quarter.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "types.hpp"

namespace vicinal::VICINAL_PATH {

class Teams {
public:
    // Several players: one that leads the others, which are a team or another player.
    struct Team {
        std::size_t leader, others;
    };

    // A tree is better where most of its nodes are asked for.
    explicit Teams(const CoalitionJob& job) : players_(static_cast<std::size_t>(job.n_players)) {
        if (job.nodes <= 2 * job.slots) return;
        of_slot_.resize(job.slots);
        std::vector<std::int64_t> path;
        for (std::int64_t n = 0; n < job.nodes; ++n) {
            path.resize(job.depths[n] - 1);
            path.push_back(job.players[n]);
            if (job.slot_of[n] < 0) continue;
            std::map<std::int64_t, unsigned> blocks;
            for (const std::int64_t player : path) blocks[player / kBlockSize] |= 1u << (player % kBlockSize);
            for (const auto& [block, mask] : blocks) of_slot_[job.slot_of[n]].push_back(place(block, mask));
        }
    }

    bool used() const { return !of_slot_.empty(); }
    // Those of several players; their places are behind the players.
    const std::vector<Team>& several() const { return several_; }
    // The places of what a coalition is made up of.
    const std::vector<std::size_t>& of(std::int64_t slot) const { return of_slot_[slot]; }

private:
    static constexpr std::int64_t kBlockSize = 4;

    std::size_t place(std::int64_t block, unsigned mask) {
        const auto leader = static_cast<std::size_t>(block * kBlockSize + std::countr_zero(mask));
        const unsigned rest = mask & (mask - 1);
        if (rest == 0) return leader;
        const auto found = places_.find({block, mask});
        if (found != places_.end()) return found->second;
        const std::size_t others = place(block, rest);
        several_.push_back({leader, others});
        return places_[{block, mask}] = players_ + several_.size() - 1;
    }

    const std::size_t players_;
    std::map<std::pair<std::int64_t, unsigned>, std::size_t> places_;
    std::vector<Team> several_;
    std::vector<std::vector<std::size_t>> of_slot_;
};

}  // namespace vicinal::VICINAL_PATH
