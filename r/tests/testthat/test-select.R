selected <- function(x = patients(), y = diagnosis(), ...) {
  ff_select(x, y, ..., method = "auc", n_trees = 20, n_resamples = 2)
}

test_that("a selection keeps to its budget, predicts, prints and is drawn", {
  x <- patients()
  chosen <- selected(x, budget = 2)
  expect_lte(chosen$cost, 2)
  expect_true(all(chosen$features %in% names(x)))
  expect_equal(predict(chosen, x), predict(chosen$comparison, x))
  expect_equal(predict(chosen, x, type = "prob"), predict(chosen$comparison, x, type = "prob"))
  expect_output(print(chosen), "is expected to be wrong for")
  pdf(NULL)
  on.exit(dev.off())
  expect_invisible(plot(chosen))
})

test_that("without a budget it is the recommended one of all", {
  chosen <- selected()
  expect_equal(chosen$budget, chosen$comparison$recommended)
})

test_that("prices go by name, by order, by a table with fees, or by a file", {
  x <- patients()
  prices <- data.frame(feature = names(x), cost = 1:8, group = "", group_cost = NA)
  prices[c(1, 2), "group"] <- "blood"
  prices[c(1, 2), "group_cost"] <- 10
  file <- tempfile(fileext = ".csv")
  write.csv(prices, file, row.names = FALSE, na = "")
  by_table <- selected(x, costs = prices, budget = 20)
  expect_equal(selected(x, costs = file, budget = 20)$cost, by_table$cost)
  expect_lte(by_table$cost, 20)
  named <- setNames(8:1, rev(names(x)))
  for (costs in list(named, 1:8)) {
    chosen <- selected(x, costs = costs, budget = 9)
    expect_equal(chosen$cost, sum(setNames(1:8, names(x))[chosen$features]))
  }
  expect_equal(selected(x, costs = 2, budget = 4)$cost %% 2, 0)
})

test_that("what is required is bought, and what is excluded is not", {
  expect_true("note" %in% selected(budget = 3, required = "note")$features)
  expect_false("age" %in% selected(budget = 3, excluded = c("age", "seen"))$features)
})

test_that("mistakes are one line, of a class that tells them apart", {
  x <- patients()
  one_line(expect_error(selected(x, budget = -1), class = "BudgetError"))
  one_line(expect_error(selected(x, costs = c(agee = 1)), "Did you mean 'age'", class = "CostError"))
  one_line(expect_error(selected(x, costs = c(age = 1, age = 2)), "two prices for 'age'", class = "CostError"))
  one_line(expect_error(selected(x, costs = c(NA, 1:7)), class = "CostError"))
  one_line(expect_error(selected(x, costs = "none.csv"), "there is no file", class = "CostError"))
  one_line(expect_error(selected(x, budget = 1:2), "use ff_compare"))
  one_line(expect_error(selected(x, diagnosis(59)), class = "DataError"))
  one_line(expect_error(selected(x, Sys.Date() + 1:60), "`y` is of class 'Date'"))
  one_line(expect_error(selected(x, factor(c(NA, diagnosis()[-1]))), "the target is missing"))
  one_line(expect_error(selected(x, budget = 3, tres = 5), "unexpected keyword argument"))
  one_line(expect_error(ff_select(x, diagnosis(), method = "lasso"), "lasso"))
})
