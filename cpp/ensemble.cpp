#include "ensemble.hpp"

#include "class_tasks.hpp"

namespace frugal {

namespace {

// Writes down each tree's votes and columns, in its own place of the result.
template <class Task>
class EnsembleWriter : public TreeVisitor<Task> {
public:
    EnsembleWriter(std::span<const EnsemblePart> parts, const ColumnWeights& weights,
                   std::span<const std::size_t> first_tree,
                   std::size_t tree_words, EnsembleVotes& result,
                   std::vector<std::vector<std::uint32_t>>& used)
        : parts_(parts),
          allowance_(weights),
          first_tree_(first_tree),
          tree_words_(tree_words),
          result_(result),
          used_(used) {}

    void begin_run(const TreeRun& run, TreeGrower<Task>& grower) {
        const EnsemblePart& part = parts_[run.job];
        grower.limit_depth(part.max_depth);
        allowance_.limit(part.limits);
        grower.use_allowance(part.limits.any() ? &allowance_ : nullptr);
    }
    void visit(const TreeRun& run, std::uint32_t t, const TreeGrower<Task>& grower) {
        const std::size_t place = first_tree_[run.job] + t;
        std::uint64_t* planes = &result_.planes[place * tree_words_];
        grower.for_each_oob([&](std::uint32_t row, const Node& leaf) {
            planes[leaf.vote() * result_.n_words + row / 64] |= std::uint64_t{1} << row % 64;
        });
        auto& columns = used_[place];
        for (const Node& node : grower.tree().nodes) {
            if (!node.is_leaf()) columns.push_back(static_cast<std::uint32_t>(node.column));
        }
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    }

private:
    std::span<const EnsemblePart> parts_;
    Allowance allowance_;
    std::span<const std::size_t> first_tree_;
    std::size_t tree_words_;
    EnsembleVotes& result_;
    std::vector<std::vector<std::uint32_t>>& used_;
};

}  // namespace

EnsembleVotes grow_ensemble(const CodedData& data, const ClassTarget& target,
                            std::span<const EnsemblePart> parts, const ColumnWeights& weights,
                            const ForestSpec& spec, const Interrupted& interrupted) {
    EnsembleVotes result;
    result.n_words = (data.n_rows() + 63) / 64;
    const std::size_t tree_words = std::size_t{target.n_classes} * result.n_words;

    // Parts have from one tree (a stump) to hundreds, so they are cut into runs of 64.
    std::vector<Job> jobs;
    std::vector<std::size_t> first_tree;  // of each part, in the result
    std::vector<TreeRun> runs;
    std::size_t n_trees = 0;
    for (const EnsemblePart& part : parts) {
        for (std::uint32_t begin = 0; begin < part.n_trees; begin += 64) {
            runs.push_back({jobs.size(), begin, std::min(begin + 64, part.n_trees)});
        }
        jobs.push_back(part.job);
        first_tree.push_back(n_trees);
        n_trees += part.n_trees;
    }
    result.planes.assign(n_trees * tree_words, 0);
    std::vector<std::vector<std::uint32_t>> used(n_trees);

    with_task(target, spec.growth.n_draws, [&]<class Task>() {
        for_each_tree<Task>(data, target, jobs, runs, spec, interrupted,
                            [&](TreeGrower<Task>&, const std::atomic<bool>&) {
            return EnsembleWriter<Task>(parts, weights, first_tree, tree_words, result, used);
        });
    });

    result.column_start.push_back(0);
    for (const auto& columns : used) {
        result.columns.insert(result.columns.end(), columns.begin(), columns.end());
        result.column_start.push_back(static_cast<std::uint32_t>(result.columns.size()));
    }
    return result;
}

}  // namespace frugal
