// Work items on threads, with one way to stop early.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace frugal {

// Asked a few times a second on the calling thread; true stops the work.
using Interrupted = std::function<bool()>;

struct Interruption : std::runtime_error {
    Interruption() : std::runtime_error("interrupted") {}
};

// Calls worker(item) for every item in 0 … n_items−1. `make_worker(cancelled)` is called once a thread, in
// that thread, so a worker owns its scratch memory. Items may run in any order: what
// they write must not depend on it. Throws Interruption, or the first exception of a worker.
// If not so many threads can be started, those that were do the work; if none, the calling thread does,
// and asks `interrupted` between items only.
template <class MakeWorker>
void parallel_for(std::size_t n_items, unsigned n_threads, const Interrupted& interrupted,
                  MakeWorker make_worker) {
    if (n_items == 0) return;
    std::atomic<bool> cancelled{false};
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::condition_variable finished;
    std::exception_ptr failure;
    n_threads = static_cast<unsigned>(std::clamp<std::size_t>(n_threads, 1, n_items));
    unsigned n_running = 0;
    bool was_interrupted = false;

    const auto run = [&](bool asks) {
        try {
            auto worker = make_worker(cancelled);
            for (std::size_t item; !cancelled && (item = next++) < n_items;) {
                worker(item);
                if (asks && interrupted()) cancelled = was_interrupted = true;
            }
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            cancelled = true;
        }
        // Under the lock until the end: once n_running is 0 the caller may destroy what this uses.
        const std::lock_guard lock(mutex);
        --n_running;
        finished.notify_one();
    };

    {
        std::vector<std::jthread> threads;
        threads.reserve(n_threads);
        std::unique_lock lock(mutex);  // no thread ends before all are counted
        try {
            while (n_running < n_threads) {
                threads.emplace_back(run, false);
                ++n_running;
            }
        } catch (const std::system_error&) {
            // No more threads to be had. Those that run take all items.
        }
        if (threads.empty()) {
            n_running = 1;
            lock.unlock();
            run(true);
            lock.lock();
        }
        while (n_running > 0) {
            finished.wait_for(lock, std::chrono::milliseconds(50));
            if (n_running == 0 || was_interrupted) continue;
            lock.unlock();
            was_interrupted = interrupted();
            if (was_interrupted) cancelled = true;
            lock.lock();
        }
    }
    if (failure) std::rethrow_exception(failure);
    if (was_interrupted) throw Interruption();
}

}  // namespace frugal
