# Makes ranger.json: out-of-bag and test errors of ranger's forests, which the tests compare ours with.
#
# Needs R with ranger and jsonlite (Debian: r-cran-ranger, r-cran-jsonlite). From the repository:
#
#   mkdir -p build/golden
#   python tests/golden/export_generated.py DATASETS_FOLDER build/golden
#   Rscript tests/golden/make_ranger.R build/golden > tests/golden/ranger.json
#
# DATASETS_FOLDER holds <name>.csv.gz of the six real sets, target last and named y. Takes a minute.

suppressMessages(library(ranger))

files <- list.files(commandArgs(trailingOnly = TRUE)[1], pattern = "[.]csv$", full.names = TRUE)
names(files) <- sub("[.]csv$", "", basename(files))

n_trees <- 100
# ranger seeds tree i of a forest with (i + 1) * seed, so small seeds share trees. Large primes do not.
seeds <- c(1000003, 1000033, 1000037, 1000039, 1000081, 1000099, 1000117, 1000121, 1000133, 1000151,
           1000159, 1000171, 1000183, 1000187, 1000193, 1000199, 1000211, 1000213, 1000231, 1000249)

errors_of <- function(file) {
  table <- read.csv(file)
  table$y <- factor(table$y)
  is_test <- (seq_len(nrow(table)) - 1) %% 3 == 0  # rows 0, 3, 6, ... counted from 0
  train <- table[!is_test, ]
  test <- table[is_test, ]
  one <- function(seed) {
    forest <- ranger(dependent.variable.name = "y", data = train, num.trees = n_trees,
                     mtry = floor(sqrt(ncol(table) - 1)), min.node.size = 1, replace = TRUE,
                     splitrule = "gini", num.threads = 1, seed = seed)
    predicted <- predict(forest, test, num.threads = 1, seed = seed)$predictions
    c(forest$prediction.error, mean(predicted != test$y))
  }
  values <- sapply(seeds, one)
  list(oob_error = round(values[1, ], 6), test_error = round(values[2, ], 6))
}

cat(jsonlite::toJSON(
  list(
    made_by = "tests/golden/make_ranger.R",
    ranger = as.character(packageVersion("ranger")),
    n_trees = n_trees,
    errors = lapply(files, errors_of)
  ),
  auto_unbox = TRUE, digits = 6
), "\n")
