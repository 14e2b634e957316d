# ff_select(): what to measure for one budget.

ff_select <- function(x, y, costs = NULL, budget = NULL, method = "auto", n_resamples = 10, ...) {
  if (length(budget) > 1) fail("`budget` is one amount: for several, use ff_compare().", "BudgetError")
  compared <- ff_compare(x, y, costs, budget, method, n_resamples = n_resamples, ...)
  best <- compared$best[[place_of(compared, compared$recommended)]]
  structure(
    list(
      features = as.character(best$features), cost = best$cost, budget = compared$recommended,
      method = best$method, honest = best$honest, frequencies = unlist(best$frequencies),
      comparison = compared
    ),
    class = "ff_selection"
  )
}

print.ff_selection <- function(x, ...) {
  cat(x$comparison$sentences, sep = "\n")
  if (length(x$comparison$notices)) {
    cat("", "Notices:", paste("-", x$comparison$notices), sep = "\n")
  }
  invisible(x)
}

predict.ff_selection <- function(object, newdata, type = c("class", "prob"), ...) {
  stats::predict(object$comparison, newdata, object$budget, type)
}

plot.ff_selection <- function(x, xlab = "Chosen in % of the resamples", ...) {
  if (!length(x$frequencies)) fail("there is nothing to draw: nothing was bought, or `n_resamples` is 0.")
  shares <- 100 * rev(x$frequencies)
  margins <- graphics::par(mar = c(5, 2 + max(nchar(names(shares))) / 2, 2, 2))
  on.exit(graphics::par(margins))
  graphics::barplot(shares, horiz = TRUE, las = 1, xlim = c(0, 100), xlab = xlab, ...)
  invisible(x)
}
