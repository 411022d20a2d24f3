// Coalitions as a few teams of players, whose terms are added up beforehand.
//
// Players are divided into blocks of four. What a coalition has of a block is a team. Coalitions that have
// little in common, as members of a tree, would cost an addition for each player; as teams, a quarter. A
// coalition and that of all others are a pair: what the one has not, the other has, so they are added up once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
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
    // A coalition of few players, and that of all others, or -1.
    struct Pair {
        std::int64_t few, others;
        Players players, teams;  // of the few
    };

    // A tree is better where most of its nodes are asked for.
    explicit Teams(const CoalitionJob& job) : players_(static_cast<std::size_t>(job.n_players)) {
        if (job.nodes <= 2 * job.slots) return;
        std::vector<Players> members(job.slots);
        std::vector<bool> is_member(players_);
        Players path;
        for (std::int64_t n = 0; n < job.nodes; ++n) {
            path.resize(job.depths[n] - 1);
            path.push_back(static_cast<std::uint32_t>(job.players[n]));
            if (job.slot_of[n] < 0) continue;
            members[job.slot_of[n]] = path;
            std::sort(members[job.slot_of[n]].begin(), members[job.slot_of[n]].end());
            for (const std::size_t player : path) is_member[player] = true;
        }
        for (std::size_t player = 0; player < players_; ++player)
            if (is_member[player]) everyone_.push_back(static_cast<std::uint32_t>(player));
        find_pairs(std::move(members));
        for (Pair& pair : pairs_) pair.teams = teams_of(pair.players);
    }

    bool used() const { return !pairs_.empty(); }
    // The players of all coalitions.
    const Players& everyone() const { return everyone_; }
    // Those of several players; their places are behind the players.
    const std::vector<Team>& several() const { return several_; }
    const std::vector<Pair>& pairs() const { return pairs_; }

private:
    static constexpr std::size_t kBlockSize = 4;

    void find_pairs(std::vector<Players> members) {
        std::map<Players, std::int64_t> slots;
        for (std::size_t slot = 0; slot < members.size(); ++slot)
            slots[std::move(members[slot])] = static_cast<std::int64_t>(slot);
        Players rest;
        for (const auto& [own, slot] : slots) {
            rest.clear();
            std::set_difference(everyone_.begin(), everyone_.end(), own.begin(), own.end(), std::back_inserter(rest));
            const auto others = slots.find(rest);
            if (others == slots.end())
                pairs_.push_back({slot, -1, own, {}});
            else if (own.size() < rest.size() || (own.size() == rest.size() && own < rest))
                pairs_.push_back({slot, others->second, own, {}});
        }
    }

    Players teams_of(const Players& players) {
        std::map<std::size_t, unsigned> blocks;
        for (const std::size_t player : players) blocks[player / kBlockSize] |= 1u << (player % kBlockSize);
        Players teams;
        for (const auto& [block, mask] : blocks) teams.push_back(static_cast<std::uint32_t>(place(block, mask)));
        return teams;
    }

    std::size_t place(std::size_t block, unsigned mask) {
        const std::size_t leader = block * kBlockSize + std::countr_zero(mask);
        const unsigned rest = mask & (mask - 1);
        if (rest == 0) return leader;
        const auto found = places_.find({block, mask});
        if (found != places_.end()) return found->second;
        const std::size_t others = place(block, rest);
        several_.push_back({leader, others});
        return places_[{block, mask}] = players_ + several_.size() - 1;
    }

    const std::size_t players_;
    std::map<std::pair<std::size_t, unsigned>, std::size_t> places_;
    std::vector<Team> several_;
    std::vector<Pair> pairs_;
    Players everyone_;
};

}  // namespace vicinal::VICINAL_PATH
