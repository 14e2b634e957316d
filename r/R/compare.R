# ff_compare(): methods at several budgets, with honest errors.

ff_compare <- function(x, y, costs = NULL, budgets = NULL, methods = NULL, scoring = NULL,
                       n_resamples = 25, n_trees = NULL, row_groups = NULL, required = NULL,
                       excluded = NULL, seed = 0, n_jobs = NULL, verbose = interactive(), ...) {
  options <- list(
    methods = methods, scoring = scoring, n_resamples = n_resamples, n_trees = n_trees,
    random_state = seed, n_jobs = n_jobs, verbose = as.integer(verbose), ...
  )
  options <- lapply(Filter(Negate(is.null), options), as_option)
  folder <- tempfile("frugalforest")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  found <- ask(
    "compare", as_table(x, "x"), as_target(y), as_costs(costs), as_names(required),
    as_names(excluded), as_option(budgets), if (!is.null(row_groups)) as_column(row_groups, "`row_groups`"),
    options, folder
  )
  frame <- as.data.frame(lapply(found$frame, unlist), stringsAsFactors = FALSE)
  frame$features <- I(lapply(found$features, as.character))
  structure(
    list(
      budgets = as.numeric(found$budgets), recommended = found$recommended, score = found$score,
      sentences = as.character(found$sentences), notices = as.character(found$notices),
      table = frame, best = found$best,
      models = lapply(seq_along(found$budgets) - 1, function(k) contents(folder, sprintf("model-%d.zip", k))),
      json = contents(folder, "comparison.json"), target = y[0], ordered = column_levels(as.data.frame(x))
    ),
    class = "ff_comparison"
  )
}

print.ff_comparison <- function(x, ...) {
  table <- x$table[x$table$winner, c("budget", "method", "n_features", "cost", "error", "low", "high")]
  print(table, row.names = FALSE, digits = 3)
  cat("", x$sentences, sep = "\n")
  if (length(x$notices)) cat("", "Notices:", paste("-", x$notices), sep = "\n")
  invisible(x)
}

as.data.frame.ff_comparison <- function(x, ...) x$table

plot.ff_comparison <- function(x, xlab = "Price", ylab = paste(x$score, "to expect"), ...) {
  table <- x$table[!is.na(x$table$error), ]
  if (!nrow(table)) fail("there is no honest error to draw: compare with `n_resamples`.")
  methods <- unique(table$method)
  shape <- match(table$method, methods)
  graphics::plot(table$cost, table$error,
    ylim = range(0, table$high), xlab = xlab, ylab = ylab, pch = shape, ...
  )
  best <- table[table$winner, ]
  graphics::segments(best$cost, best$low, best$cost, best$high)
  graphics::lines(best$cost, best$error)
  if (length(methods) > 1) graphics::legend("topright", methods, pch = seq_along(methods), bty = "n")
  invisible(x)
}

predict.ff_comparison <- function(object, newdata, budget = object$recommended,
                                  type = c("class", "prob"), ...) {
  type <- match.arg(type)
  answer <- ask(
    "predict", object$models[[place_of(object, budget)]],
    as_table(newdata, "newdata", object$ordered)
  )
  if (type == "class") return(like_target(answer$places, answer$classes, object$target))
  shares <- do.call(cbind, lapply(answer$shares, unlist))
  colnames(shares) <- answer$classes
  order <- if (is.factor(object$target)) intersect(levels(object$target), colnames(shares)) else TRUE
  shares[, order, drop = FALSE]
}

ff_report <- function(comparison, file) {
  ask("report", comparison$json, path.expand(file))
  invisible(file)
}

place_of <- function(comparison, budget) {
  place <- match(TRUE, abs(comparison$budgets - budget) <= 1e-9 * abs(budget))
  if (is.na(place)) {
    fail(sprintf("%s was not compared: the budgets are %s.", format(budget),
      paste(format(comparison$budgets, trim = TRUE), collapse = ", ")), "BudgetError")
  }
  place
}

contents <- function(folder, name) {
  file <- file.path(folder, name)
  readBin(file, raw(), file.size(file))
}
