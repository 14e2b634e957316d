# Times ranger on one table: Rscript ranger.R FILE N_ROWS N_COLUMNS N_TREES REPEATS
#
# FILE holds doubles: the table column by column, then the labels 0 and 1. Prints the seconds of the
# fastest repeat and its out-of-bag error. Starting R and reading the file are not timed, and the
# forest is not kept, as ours is not.

suppressMessages(library(ranger))

args <- commandArgs(trailingOnly = TRUE)
size <- as.integer(args[2:5])
n <- size[1]
p <- size[2]
values <- readBin(args[1], "double", n * (p + 1))
x <- matrix(values[seq_len(n * p)], n, p, dimnames = list(NULL, paste0("x", seq_len(p))))
y <- factor(values[n * p + seq_len(n)])

seconds <- Inf
for (repeat_ in seq_len(size[4])) {
  start <- proc.time()[["elapsed"]]
  forest <- ranger(x = x, y = y, num.trees = size[3], mtry = floor(sqrt(p)), min.node.size = 1,
                   replace = TRUE, splitrule = "gini", oob.error = TRUE, write.forest = FALSE,
                   num.threads = 1, seed = 1, verbose = FALSE)
  seconds <- min(seconds, proc.time()[["elapsed"]] - start)
}
cat(seconds, forest$prediction.error, "\n")
