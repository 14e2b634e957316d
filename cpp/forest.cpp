#include "forest.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "class_tasks.hpp"
#include "means.hpp"
#include "number_task.hpp"
#include "votes.hpp"

namespace frugal {

namespace {

template <class Task>
void add_oob_leaves(const TreeGrower<Task>& grower, typename Task::Target::Tally& tally) {
    grower.for_each_oob(
        [&](std::uint32_t row, const Node& leaf) { tally.add(row, grower.tree().leaf(leaf)); });
}

// The tallies of jobs whose runs finish one by one on several threads.
template <class Target>
class BatchTallies {
public:
    BatchTallies(std::size_t n_jobs, std::span<const TreeRun> runs, const JobDone<Target>& done)
        : jobs_(n_jobs), done_(done) {
        for (const TreeRun& run : runs) ++jobs_[run.job].n_runs_left;
    }

    void finish_run(std::size_t j, std::unique_ptr<ForestTallies<Target>> tallies) {
        PartialJob& job = jobs_[j];
        const std::lock_guard lock(job.mutex);
        if (job.tallies) {
            job.tallies->oob.merge(tallies->oob);
            job.tallies->new_rows.merge(tallies->new_rows);
        } else {
            job.tallies = std::move(tallies);
        }
        if (--job.n_runs_left > 0) return;
        done_(j, *job.tallies);
        job.tallies.reset();
    }

private:
    struct PartialJob {
        std::mutex mutex;
        std::size_t n_runs_left = 0;
        std::unique_ptr<ForestTallies<Target>> tallies;
    };

    std::vector<PartialJob> jobs_;
    const JobDone<Target>& done_;
};

// Adds up what a run's trees say, out of bag and of new rows.
template <class Task>
class TallyCollector : public TreeVisitor<Task> {
public:
    using Target = typename Task::Target;

    TallyCollector(const Target& target, const RawRows& new_rows, BatchTallies<Target>& batch,
                   const std::atomic<bool>& cancelled)
        : target_(target),
          new_rows_(new_rows),
          batch_(batch),
          cancelled_(cancelled) {}

    void begin_run(const TreeRun&, TreeGrower<Task>&) {
        tallies_ = std::make_unique<ForestTallies<Target>>(
            ForestTallies<Target>{{target_.n_rows(), target_}, {new_rows_.n_rows, target_}});
        held_ = FlatForest{target_.leaf_width()};
    }
    void visit(const TreeRun&, std::uint32_t, const TreeGrower<Task>& grower) {
        add_oob_leaves(grower, tallies_->oob);
        if (new_rows_.n_rows == 0) return;
        held_.append(grower.tree());
        // A few dozen trees at a time stay in the cache while the rows stream by once.
        if (held_.n_trees() == 32) predict_new_rows();
    }
    void end_run(const TreeRun& run) {
        if (held_.n_trees() > 0) predict_new_rows();
        if (!cancelled_) batch_.finish_run(run.job, std::move(tallies_));
    }

private:
    void predict_new_rows() {
        constexpr std::uint32_t block = 4096;  // rows between two looks at `cancelled`
        const PackedForest packed(std::exchange(held_, FlatForest{target_.leaf_width()}));
        for (std::uint32_t r = 0; r < new_rows_.n_rows && !cancelled_; r += block) {
            packed.add_to(tallies_->new_rows, new_rows_, r, std::min(r + block, new_rows_.n_rows));
        }
    }

    const Target& target_;
    const RawRows& new_rows_;
    BatchTallies<Target>& batch_;
    const std::atomic<bool>& cancelled_;
    std::unique_ptr<ForestTallies<Target>> tallies_;
    FlatForest held_{0};
};

// Keeps the trees of a forest whose runs finish in any order.
template <class Target>
struct ForestKeeper {
    ForestKeeper(const Target& target, std::size_t n_runs)
        : oob(target.n_rows(), target), trees_of_run(n_runs) {}

    std::mutex mutex;
    typename Target::Tally oob;
    std::vector<std::vector<Tree>> trees_of_run;
    std::vector<std::uint32_t> draws;
};

template <class Task>
class TreeCollector : public TreeVisitor<Task> {
public:
    using Target = typename Task::Target;

    TreeCollector(const Target& target, std::span<const TreeRun> runs, ForestKeeper<Target>& keeper)
        : target_(target), runs_(runs), keeper_(keeper) {}

    void begin_run(const TreeRun& run, TreeGrower<Task>&) {
        tally_.emplace(target_.n_rows(), target_);
        trees_ = &keeper_.trees_of_run[static_cast<std::size_t>(&run - runs_.data())];
    }
    void visit(const TreeRun&, std::uint32_t t, const TreeGrower<Task>& grower) {
        add_oob_leaves(grower, *tally_);
        trees_->push_back(grower.tree());
        if (keeper_.draws.empty()) return;
        std::copy(grower.draws().begin(), grower.draws().end(),
                  keeper_.draws.begin() + std::ptrdiff_t(t * target_.n_rows()));
    }
    void end_run(const TreeRun&) {
        const std::lock_guard lock(keeper_.mutex);
        keeper_.oob.merge(*tally_);
    }

private:
    const Target& target_;
    std::span<const TreeRun> runs_;
    ForestKeeper<Target>& keeper_;
    std::optional<typename Target::Tally> tally_;
    std::vector<Tree>* trees_ = nullptr;
};

}  // namespace

template <class Target>
void run_batch(const CodedData& data, const Target& target, std::span<const Job> jobs,
               const ForestSpec& spec, const RawRows& new_rows, const JobDone<Target>& done,
               const Interrupted& interrupted) {
    const auto runs = tree_runs(jobs.size(), spec.n_trees, spec.n_threads);
    BatchTallies<Target> batch(jobs.size(), runs, done);
    with_task(target, spec.growth.n_draws, [&]<class Task>() {
        for_each_tree<Task>(data, target, jobs, runs, spec, interrupted,
                            [&](TreeGrower<Task>& grower, const std::atomic<bool>& cancelled) {
            if (new_rows.n_rows == 0) grower.grow_for_oob_only();
            return TallyCollector<Task>(target, new_rows, batch, cancelled);
        });
    });
}

template <class Target>
KeptForest<Target> grow_forest(const CodedData& data, const Target& target, const Job& job,
                               const ForestSpec& spec, bool keep_draws,
                               const Interrupted& interrupted) {
    const auto runs = tree_runs(1, spec.n_trees, spec.n_threads);
    ForestKeeper<Target> keeper(target, runs.size());
    if (keep_draws) keeper.draws.resize(std::size_t{spec.n_trees} * data.n_rows());
    with_task(target, spec.growth.n_draws, [&]<class Task>() {
        for_each_tree<Task>(data, target, {&job, 1}, runs, spec, interrupted,
                            [&](TreeGrower<Task>&, const std::atomic<bool>&) {
            return TreeCollector<Task>(target, runs, keeper);
        });
    });
    KeptForest<Target> kept{FlatForest{target.leaf_width()}, std::move(keeper.oob), std::move(keeper.draws)};
    for (const auto& trees : keeper.trees_of_run) {
        for (const Tree& tree : trees) kept.forest.append(tree);
    }
    return kept;
}

// The kinds of target.
template void run_batch(const CodedData&, const ClassTarget&, std::span<const Job>,
                        const ForestSpec&, const RawRows&, const JobDone<ClassTarget>&,
                        const Interrupted&);
template KeptForest<ClassTarget> grow_forest(const CodedData&, const ClassTarget&, const Job&,
                                             const ForestSpec&, bool, const Interrupted&);
template void run_batch(const CodedData&, const NumberTarget&, std::span<const Job>,
                        const ForestSpec&, const RawRows&, const JobDone<NumberTarget>&,
                        const Interrupted&);
template KeptForest<NumberTarget> grow_forest(const CodedData&, const NumberTarget&, const Job&,
                                              const ForestSpec&, bool, const Interrupted&);

}  // namespace frugal
