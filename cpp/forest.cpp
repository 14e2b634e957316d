#include "forest.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace frugal {

namespace {

template <class Task>
void add_oob_votes(const TreeGrower<Task>& grower, VoteCounts& counts) {
    grower.for_each_oob(
        [&](std::uint32_t row, const Node& leaf) { counts.add(row, leaf, grower.tree()); });
}

// The votes of jobs whose runs finish one by one on several threads.
class BatchVotes {
public:
    BatchVotes(std::size_t n_jobs, std::span<const TreeRun> runs, const JobDone& done)
        : jobs_(n_jobs), done_(done) {
        for (const TreeRun& run : runs) ++jobs_[run.job].n_runs_left;
    }

    void finish_run(std::size_t j, std::unique_ptr<ForestVotes> votes) {
        PartialJob& job = jobs_[j];
        const std::lock_guard lock(job.mutex);
        if (job.votes) {
            job.votes->oob.merge(votes->oob);
            job.votes->new_rows.merge(votes->new_rows);
        } else {
            job.votes = std::move(votes);
        }
        if (--job.n_runs_left > 0) return;
        done_(j, *job.votes);
        job.votes.reset();
    }

private:
    struct PartialJob {
        std::mutex mutex;
        std::size_t n_runs_left = 0;
        std::unique_ptr<ForestVotes> votes;
    };

    std::vector<PartialJob> jobs_;
    const JobDone& done_;
};

// Adds up the votes of a run's trees, out of bag and for new rows.
template <class Task>
class VoteCollector : public TreeVisitor<Task> {
public:
    VoteCollector(const CodedData& data, const Target& target, const RawRows& new_rows,
                  BatchVotes& batch, const std::atomic<bool>& cancelled)
        : n_rows_(data.n_rows()),
          n_classes_(target.n_classes),
          new_rows_(new_rows),
          batch_(batch),
          cancelled_(cancelled) {}

    void begin_run(const TreeRun&, TreeGrower<Task>&) {
        votes_ = std::make_unique<ForestVotes>(
            ForestVotes{{n_rows_, n_classes_}, {new_rows_.n_rows, n_classes_}});
        held_ = FlatForest{n_classes_};
    }
    void visit(const TreeRun&, std::uint32_t, const TreeGrower<Task>& grower) {
        add_oob_votes(grower, votes_->oob);
        if (new_rows_.n_rows == 0) return;
        held_.append(grower.tree());
        // A few dozen trees at a time stay in the cache while the rows stream by once.
        if (held_.n_trees() == 32) predict_new_rows();
    }
    void end_run(const TreeRun& run) {
        if (held_.n_trees() > 0) predict_new_rows();
        if (!cancelled_) batch_.finish_run(run.job, std::move(votes_));
    }

private:
    void predict_new_rows() {
        constexpr std::uint32_t block = 4096;  // rows between two looks at `cancelled`
        const PackedForest packed(std::exchange(held_, FlatForest{n_classes_}));
        for (std::uint32_t r = 0; r < new_rows_.n_rows && !cancelled_; r += block) {
            packed.add_votes(new_rows_, r, std::min(r + block, new_rows_.n_rows), votes_->new_rows);
        }
    }

    std::uint32_t n_rows_, n_classes_;
    const RawRows& new_rows_;
    BatchVotes& batch_;
    const std::atomic<bool>& cancelled_;
    std::unique_ptr<ForestVotes> votes_;
    FlatForest held_;
};

// Keeps the trees of a forest whose runs finish in any order.
struct ForestKeeper {
    ForestKeeper(const CodedData& data, const Target& target, std::size_t n_runs)
        : oob(data.n_rows(), target.n_classes), trees_of_run(n_runs) {}

    std::mutex mutex;
    VoteCounts oob;
    std::vector<std::vector<Tree>> trees_of_run;
    std::vector<std::uint32_t> draws;
};

template <class Task>
class TreeCollector : public TreeVisitor<Task> {
public:
    TreeCollector(const CodedData& data, const Target& target, std::span<const TreeRun> runs,
                  ForestKeeper& keeper)
        : n_rows_(data.n_rows()), n_classes_(target.n_classes), runs_(runs), keeper_(keeper) {}

    void begin_run(const TreeRun& run, TreeGrower<Task>&) {
        votes_.emplace(n_rows_, n_classes_);
        trees_ = &keeper_.trees_of_run[static_cast<std::size_t>(&run - runs_.data())];
    }
    void visit(const TreeRun&, std::uint32_t t, const TreeGrower<Task>& grower) {
        add_oob_votes(grower, *votes_);
        trees_->push_back(grower.tree());
        if (keeper_.draws.empty()) return;
        std::copy(grower.draws().begin(), grower.draws().end(),
                  keeper_.draws.begin() + std::ptrdiff_t(std::size_t{t} * n_rows_));
    }
    void end_run(const TreeRun&) {
        const std::lock_guard lock(keeper_.mutex);
        keeper_.oob.merge(*votes_);
    }

private:
    std::uint32_t n_rows_, n_classes_;
    std::span<const TreeRun> runs_;
    ForestKeeper& keeper_;
    std::optional<VoteCounts> votes_;
    std::vector<Tree>* trees_ = nullptr;
};

}  // namespace

void run_batch(const CodedData& data, const Target& target, std::span<const Job> jobs,
               const ForestSpec& spec, const RawRows& new_rows, const JobDone& done,
               const Interrupted& interrupted) {
    const auto runs = tree_runs(jobs.size(), spec.n_trees, spec.n_threads);
    BatchVotes batch(jobs.size(), runs, done);
    with_task(target, spec.growth.n_draws, [&]<class Task>() {
        for_each_tree<Task>(data, target, jobs, runs, spec, interrupted,
                            [&](TreeGrower<Task>& grower, const std::atomic<bool>& cancelled) {
            if (new_rows.n_rows == 0) grower.grow_for_oob_only();
            return VoteCollector<Task>(data, target, new_rows, batch, cancelled);
        });
    });
}

KeptForest grow_forest(const CodedData& data, const Target& target, const Job& job,
                       const ForestSpec& spec, bool keep_draws, const Interrupted& interrupted) {
    const auto runs = tree_runs(1, spec.n_trees, spec.n_threads);
    ForestKeeper keeper(data, target, runs.size());
    if (keep_draws) keeper.draws.resize(std::size_t{spec.n_trees} * data.n_rows());
    with_task(target, spec.growth.n_draws, [&]<class Task>() {
        for_each_tree<Task>(data, target, {&job, 1}, runs, spec, interrupted,
                            [&](TreeGrower<Task>&, const std::atomic<bool>&) {
            return TreeCollector<Task>(data, target, runs, keeper);
        });
    });
    KeptForest kept{FlatForest{target.n_classes}, std::move(keeper.oob), std::move(keeper.draws)};
    for (const auto& trees : keeper.trees_of_run) {
        for (const Tree& tree : trees) kept.forest.append(tree);
    }
    return kept;
}

}  // namespace frugal
