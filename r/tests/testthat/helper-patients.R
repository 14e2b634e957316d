# A table with a column of every kind that R has, NA in each, and few rows.
patients <- function(n = 60) {
  set.seed(1)
  ill <- rep(c(FALSE, TRUE), length.out = n)
  table <- data.frame(
    age = 50 + 10 * ill + rnorm(n, sd = 8),
    visits = as.integer(2 + ill + rpois(n, 1)),
    smoker = runif(n) < 0.3 + 0.4 * ill,
    seen = as.Date("2024-01-01") + 60 * ill + sample(100, n, TRUE),
    woken = as.POSIXct("2024-01-01 06:00:00", tz = "Europe/Berlin") + sample(7200, n, TRUE),
    site = factor(sample(c("north", "south"), n, TRUE), levels = c("south", "north", "closed")),
    grade = factor(c("low", "mid", "high")[1 + ill + (runif(n) < 0.5)], c("low", "mid", "high"), ordered = TRUE),
    note = sample(c("a", "b"), n, TRUE)
  )
  for (j in seq_along(table)) table[j, j] <- NA
  table
}

diagnosis <- function(n = 60) factor(rep(c("well", "ill"), length.out = n), levels = c("well", "ill", "unknown"))

compared <- function(x = patients(), y = diagnosis(), ...) {
  ff_compare(x, y, ..., methods = "auc", n_trees = 20, n_resamples = 2)
}

one_line <- function(condition) {
  expect_s3_class(condition, "frugalforest_error")
  expect_false(grepl("\n", conditionMessage(condition)))
}
