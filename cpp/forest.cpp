#include "forest.hpp"

#include <memory>
#include <mutex>

namespace frugal {

std::vector<std::pair<std::uint32_t, std::uint32_t>> tree_ranges(std::uint32_t n_trees,
                                                                 std::size_t n_jobs,
                                                                 unsigned n_threads) {
    // Eight ranges a thread leave at most about one eighth of a thread's time idle at the end. Below
    // 16 trees a range's own cost (scratch votes, a merge) would show.
    std::uint32_t n_ranges = 1;
    if (n_threads > 1 && n_jobs > 0 && n_jobs < 8 * std::size_t{n_threads}) {
        n_ranges = static_cast<std::uint32_t>((8 * n_threads + n_jobs - 1) / n_jobs);
        n_ranges = std::max<std::uint32_t>(1, std::min(n_ranges, n_trees / 16));
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
    for (std::uint32_t r = 0; r < n_ranges; ++r) {
        const auto edge = [&](std::uint32_t i) {
            return static_cast<std::uint32_t>(std::uint64_t{n_trees} * i / n_ranges);
        };
        ranges.emplace_back(edge(r), edge(r + 1));
    }
    return ranges;
}

namespace {

template <class Task>
void add_oob_votes(const TreeGrower<Task>& grower, const Tree& tree, VoteCounts& counts) {
    grower.for_each_oob([&](std::uint32_t row, const Node& leaf) { counts.add(row, leaf, tree); });
}

FlatForestView view(const FlatForest& forest) {
    return {forest.n_classes, forest.tree_start,   forest.column, forest.left,
            forest.threshold, forest.missing_left, forest.shares};
}

// The votes of a job whose tree ranges finish one by one on several threads.
struct PartialJob {
    std::mutex mutex;
    std::size_t n_ranges_left = 0;
    std::unique_ptr<ForestVotes> votes;
};

template <class Task>
void run_batch_of(const CodedData& data, const Target& target, std::span<const Job> jobs,
                  const ForestSpec& spec, const RawRows& new_rows, const JobDone& done,
                  const Interrupted& interrupted) {
    const auto ranges = tree_ranges(spec.n_trees, jobs.size(), spec.n_threads);
    std::vector<PartialJob> partial(jobs.size());
    for (PartialJob& job : partial) job.n_ranges_left = ranges.size();

    const auto finish_range = [&](std::size_t j, std::unique_ptr<ForestVotes> votes) {
        PartialJob& job = partial[j];
        const std::lock_guard lock(job.mutex);
        if (job.votes) {
            job.votes->oob.merge(votes->oob);
            job.votes->new_rows.merge(votes->new_rows);
        } else {
            job.votes = std::move(votes);
        }
        if (--job.n_ranges_left > 0) return;
        done(j, *job.votes);
        job.votes.reset();
    };

    parallel_for(jobs.size() * ranges.size(), spec.n_threads, interrupted,
                 [&](const std::atomic<bool>& cancelled) {
        auto grower = std::make_shared<TreeGrower<Task>>(data, target, spec.growth, cancelled);
        if (new_rows.n_rows == 0) grower->grow_for_oob_only();
        return [&, grower](std::size_t item) {
            const std::size_t j = item / ranges.size();
            const auto [begin, end] = ranges[item % ranges.size()];
            const Job& job = jobs[j];
            grower->use_features(job.columns, job.max_features);
            auto votes = std::make_unique<ForestVotes>(
                ForestVotes{{data.n_rows(), target.n_classes}, {new_rows.n_rows, target.n_classes}});
            FlatForest held(target.n_classes);
            for (std::uint32_t t = begin; t < end && !cancelled; ++t) {
                const Tree& tree = grower->grow(job.seed, job.first_tree + t);
                if (cancelled) return;
                add_oob_votes(*grower, tree, votes->oob);
                if (new_rows.n_rows == 0) continue;
                held.append(tree);
                // A few dozen trees at a time stay in the cache while the rows stream by once.
                if (held.tree_start.size() > 32 || t + 1 == end) {
                    constexpr std::uint32_t block = 4096;  // rows between two looks at `cancelled`
                    const PackedForest packed(view(held));
                    for (std::uint32_t r = 0; r < new_rows.n_rows && !cancelled; r += block) {
                        packed.add_votes(new_rows, r, std::min(r + block, new_rows.n_rows),
                                         votes->new_rows);
                    }
                    held = FlatForest(target.n_classes);
                }
            }
            if (!cancelled) finish_range(j, std::move(votes));
        };
    });
}

template <class Task>
KeptForest grow_forest_of(const CodedData& data, const Target& target, const Job& job,
                          const ForestSpec& spec, bool keep_draws,
                          const Interrupted& interrupted) {
    const auto ranges = tree_ranges(spec.n_trees, 1, spec.n_threads);
    std::vector<std::vector<Tree>> trees(ranges.size());
    KeptForest kept{FlatForest(target.n_classes), {data.n_rows(), target.n_classes}, {}};
    if (keep_draws) kept.draws.resize(std::size_t{spec.n_trees} * data.n_rows());
    std::mutex mutex;

    parallel_for(ranges.size(), spec.n_threads, interrupted,
                 [&](const std::atomic<bool>& cancelled) {
        auto grower = std::make_shared<TreeGrower<Task>>(data, target, spec.growth, cancelled);
        grower->use_features(job.columns, job.max_features);
        return [&, grower](std::size_t r) {
            VoteCounts votes(data.n_rows(), target.n_classes);
            for (std::uint32_t t = ranges[r].first; t < ranges[r].second && !cancelled; ++t) {
                const Tree& tree = grower->grow(job.seed, job.first_tree + t);
                if (cancelled) return;
                add_oob_votes(*grower, tree, votes);
                trees[r].push_back(tree);
                if (keep_draws) {
                    std::copy(grower->draws().begin(), grower->draws().end(),
                              kept.draws.begin() + std::ptrdiff_t(std::size_t{t} * data.n_rows()));
                }
            }
            const std::lock_guard lock(mutex);
            kept.oob.merge(votes);
        };
    });
    for (const auto& range : trees) {
        for (const Tree& tree : range) kept.forest.append(tree);
    }
    return kept;
}

}  // namespace

void run_batch(const CodedData& data, const Target& target, std::span<const Job> jobs,
               const ForestSpec& spec, const RawRows& new_rows, const JobDone& done,
               const Interrupted& interrupted) {
    with_task(target, spec.growth, [&]<class Task>() {
        run_batch_of<Task>(data, target, jobs, spec, new_rows, done, interrupted);
    });
}

KeptForest grow_forest(const CodedData& data, const Target& target, const Job& job,
                       const ForestSpec& spec, bool keep_draws, const Interrupted& interrupted) {
    return with_task(target, spec.growth, [&]<class Task>() {
        return grow_forest_of<Task>(data, target, job, spec, keep_draws, interrupted);
    });
}

}  // namespace frugal
