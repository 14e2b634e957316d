test_that("a comparison has a row for each budget, and prints what the command line says", {
  result <- compared(budgets = c(1, 3))
  expect_equal(result$budgets, c(1, 3))
  expect_equal(as.data.frame(result)$budget, c(1, 3))
  expect_true(all(lengths(result$table$features) <= result$budgets))
  expect_output(print(result), "budget method n_features cost")
  expect_output(print(result), "is expected to be wrong for")
})

test_that("predictions are of the target's type, with the levels of a factor in their order", {
  x <- patients()
  result <- compared(x, budgets = 3)
  predicted <- predict(result, x)
  expect_s3_class(predicted, "factor")
  expect_equal(levels(predicted), c("well", "ill", "unknown"))
  expect_gt(mean(predicted == diagnosis()), 0.8)
  shares <- predict(result, x, type = "prob")
  expect_equal(colnames(shares), c("well", "ill"))
  expect_equal(unname(rowSums(shares)), rep(1, nrow(x)))
  expect_type(predict(compared(x, diagnosis() == "ill", budgets = 3), x), "logical")
  expect_type(predict(compared(x, as.integer(diagnosis()), budgets = 3), x), "integer")
  expect_type(predict(compared(x, as.numeric(diagnosis()), budgets = 3), x), "double")
  expect_type(predict(compared(x, as.character(diagnosis()), budgets = 3), x), "character")
})

test_that("new data need the chosen columns only, in any order, with one row and with NA", {
  x <- patients()
  result <- compared(x, budgets = 2)
  chosen <- result$best[[1]]$features
  expect_equal(predict(result, x[rev(chosen)]), predict(result, x))
  expect_length(predict(result, x[1, chosen, drop = FALSE]), 1)
  x[chosen] <- NA
  expect_length(predict(result, x), 60)
  one_line(expect_error(predict(result, x["note"]), "the table lacks", class = "DataError"))
})

test_that("an ordered factor goes by its ranks in the training data", {
  x <- patients()["grade"]
  result <- compared(x, budgets = 1)
  fewer <- data.frame(grade = factor(as.character(x$grade), c("mid", "high"), ordered = TRUE))
  fewer$grade[x$grade == "low"] <- NA
  same <- which(x$grade %in% c("mid", "high"))
  expect_equal(predict(result, fewer)[same], predict(result, x)[same])
  other <- data.frame(grade = rep("top", 3))
  expect_warning(predict(result, other), "holds 'top', not a level in the training data")
})

test_that("a comparison survives a file, and its page is written", {
  x <- patients()
  result <- compared(x, budgets = 3)
  file <- tempfile(fileext = ".rds")
  saveRDS(result, file)
  expect_equal(predict(readRDS(file), x), predict(result, x))
  page <- tempfile(fileext = ".html")
  ff_report(result, page)
  expect_match(paste(readLines(page, warn = FALSE), collapse = ""), "<!doctype html>", ignore.case = TRUE)
})

test_that("results do not depend on the number of jobs", {
  expect_equal(compared(budgets = 3, n_jobs = 2)$table, compared(budgets = 3)$table)
})

test_that("rows of one group are never both trained and tested on", {
  groups <- factor(rep(1:20, each = 3))
  expect_false(identical(compared(budgets = 3)$table$error, compared(budgets = 3, row_groups = groups)$table$error))
  one_line(expect_error(compared(budgets = 3, row_groups = groups[1:5]), "row_groups"))
})

test_that("pictures are drawn", {
  pdf(NULL)
  on.exit(dev.off())
  expect_invisible(plot(compared(budgets = c(1, 3))))
  none <- ff_compare(patients(), diagnosis(), budgets = 3, methods = "auc", n_trees = 20, n_resamples = 0)
  one_line(expect_error(plot(none), "no honest error"))
})

test_that("a budget that was not compared is one line", {
  result <- compared(budgets = c(1, 3))
  one_line(expect_error(predict(result, patients(), budget = 2), "the budgets are 1, 3", class = "BudgetError"))
})
