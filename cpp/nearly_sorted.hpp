// Sorting of what was sorted a moment ago.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace frugal {

// Stable. Insertions, as long as there are few moves: those are as many as pairs that changed places.
template <class T, class Before>
void sort_again(std::vector<T>& values, Before before) {
    constexpr std::size_t moves_a_value = 32;
    std::size_t moves_left = moves_a_value * values.size();
    for (std::size_t i = 1; i < values.size(); ++i) {
        const T value = values[i];
        std::size_t place = i;
        while (place > 0 && before(value, values[place - 1])) {
            values[place] = values[place - 1];
            --place;
        }
        values[place] = value;
        // Insertions never move equals past each other, so the sort may go on from anywhere.
        if (i - place > moves_left) {
            std::stable_sort(values.begin(), values.end(), before);
            return;
        }
        moves_left -= i - place;
    }
}

}  // namespace frugal
