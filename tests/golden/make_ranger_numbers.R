# Makes ranger_numbers.json: mean squared errors of ranger's forests for numbers, out of bag and on test rows, which the
# tests compare ours with.
#
# Needs R with ranger and jsonlite (Debian: r-cran-ranger, r-cran-jsonlite). From the repository:
#
#   mkdir -p build/golden_numbers
#   python tests/golden/number_tables.py build/golden_numbers
#   Rscript tests/golden/make_ranger_numbers.R build/golden_numbers > tests/golden/ranger_numbers.json
#
# Takes a minute or two.

suppressMessages(library(ranger))

files <- list.files(commandArgs(trailingOnly = TRUE)[1], pattern = "[.]csv$", full.names = TRUE)
names(files) <- sub("[.]csv$", "", basename(files))

n_trees <- 100
# ranger seeds tree i of a forest with (i + 1) * seed, so small seeds share trees. Large primes do not.
seeds <- c(1000003, 1000033, 1000037, 1000039, 1000081, 1000099, 1000117, 1000121, 1000133, 1000151)

errors_of <- function(file) {
  table <- read.csv(file)
  is_test <- (seq_len(nrow(table)) - 1) %% 3 == 0  # rows 0, 3, 6, ... counted from 0
  train <- table[!is_test, ]
  test <- table[is_test, ]
  one <- function(seed) {
    forest <- ranger(dependent.variable.name = "y", data = train, num.trees = n_trees,
                     mtry = max(1, floor((ncol(table) - 1) / 3)), min.node.size = 5, replace = TRUE,
                     splitrule = "variance", num.threads = 1, seed = seed, verbose = FALSE)
    predicted <- predict(forest, test, num.threads = 1, seed = seed, verbose = FALSE)$predictions
    c(forest$prediction.error, mean((predicted - test$y)^2))
  }
  values <- sapply(seeds, one)
  list(oob_mse = signif(values[1, ], 8), test_mse = signif(values[2, ], 8))
}

cat(jsonlite::toJSON(
  list(
    made_by = "tests/golden/make_ranger_numbers.R",
    ranger = as.character(packageVersion("ranger")),
    n_trees = n_trees,
    errors = lapply(files, errors_of)
  ),
  auto_unbox = TRUE, digits = NA
), "\n")
