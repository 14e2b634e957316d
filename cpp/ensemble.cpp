#include "ensemble.hpp"

#include <memory>

namespace frugal {

EnsembleVotes grow_ensemble(const CodedData& data, const Target& target,
                            std::span<const EnsemblePart> parts, const ForestSpec& spec,
                            const Interrupted& interrupted) {
    EnsembleVotes result;
    result.n_words = (data.n_rows() + 63) / 64;
    const std::size_t tree_words = std::size_t{target.n_classes} * result.n_words;

    // Work items: slices of parts. Stumps come as parts of one tree each, so a slice may span a part only.
    struct Slice {
        const EnsemblePart* part;
        std::uint32_t begin, end;
        std::size_t first;  // place of tree `begin` in the result
    };
    std::vector<Slice> slices;
    std::size_t n_trees = 0;
    for (const EnsemblePart& part : parts) {
        for (std::uint32_t begin = 0; begin < part.n_trees; begin += 64) {
            const std::uint32_t end = std::min(begin + 64, part.n_trees);
            slices.push_back({&part, begin, end, n_trees + begin});
        }
        n_trees += part.n_trees;
    }
    result.planes.assign(n_trees * tree_words, 0);
    std::vector<std::vector<std::uint32_t>> used(n_trees);

    with_task(target, spec.growth, [&]<class Task>() {
        parallel_for(slices.size(), spec.n_threads, interrupted,
                     [&](const std::atomic<bool>& cancelled) {
            auto grower = std::make_shared<TreeGrower<Task>>(data, target, spec.growth, cancelled);
            return [&, grower](std::size_t s) {
                const Slice& slice = slices[s];
                const Job& job = slice.part->job;
                grower->use_features(job.columns, job.max_features);
                grower->limit_depth(slice.part->max_depth);
                for (std::uint32_t t = slice.begin; t < slice.end && !cancelled; ++t) {
                    const Tree& tree = grower->grow(job.seed, job.first_tree + t);
                    if (cancelled) return;
                    const std::size_t place = slice.first + (t - slice.begin);
                    std::uint64_t* planes = &result.planes[place * tree_words];
                    grower->for_each_oob([&](std::uint32_t row, const Node& leaf) {
                        planes[leaf.cut * result.n_words + row / 64] |= std::uint64_t{1} << row % 64;
                    });
                    auto& columns = used[place];
                    for (const Node& node : tree.nodes) {
                        if (!node.is_leaf()) columns.push_back(static_cast<std::uint32_t>(node.column));
                    }
                    std::sort(columns.begin(), columns.end());
                    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
                }
            };
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
