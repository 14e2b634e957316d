# Columns as Python takes them: bytes of numbers, or codes and levels.
#
# Each kind keeps its meaning: NA is missing in all of them, also in integers and logicals, which
# reticulate would hand over as -2147483648 and TRUE.

# What a column needs to be read again in new data: the levels of an ordered factor.
column_levels <- function(data) lapply(Filter(is.ordered, data), levels)

as_table <- function(data, name, ordered = column_levels(data)) {
  if (!is.data.frame(data) && !is.matrix(data)) {
    fail(sprintf("`%s` must be a data frame or a matrix.", name))
  }
  data <- as.data.frame(data)
  twice <- names(data)[duplicated(names(data))]
  if (length(twice)) fail(sprintf("two columns of `%s` are called '%s': rename one of them.", name, twice[1]))
  Map(function(column, label) {
    if (!is.null(ordered[[label]])) return(as_rank(column, ordered[[label]], label))
    as_column(column, sprintf("column '%s'", label))
  }, data, names(data))
}

as_column <- function(values, what) {
  if (is.list(values) && !inherits(values, "POSIXlt") || length(dim(values)) > 1 && ncol(values) > 1) {
    fail(sprintf("%s holds more than one value a row: make one column of each.", what))
  }
  if (is.factor(values)) return(as_texts(levels(values), as.integer(values)))
  if (inherits(values, "Date")) return(text_column(format(values, "%Y-%m-%d")))
  if (inherits(values, "POSIXt")) {
    return(text_column(format(as.POSIXct(values), "%Y-%m-%dT%H:%M:%OS6Z", tz = "UTC")))
  }
  if (inherits(values, "difftime")) return(as_numbers(as.double(values, units = "secs")))
  if (inherits(values, "integer64")) return(text_column(as.character(values)))
  if (is.character(values) || is.logical(values)) return(text_column(as.vector(values)))
  if (is.numeric(unclass(values))) return(as_numbers(values))
  fail(sprintf("%s is of class '%s', which cannot be a feature or a target: leave it out, or convert it.",
    what, class(values)[1]))
}

as_numbers <- function(values) {
  list(numbers = writeBin(as.double(unclass(values)), raw(), size = 8, endian = "little"))
}

text_column <- function(values) {
  # "TRUE" and "FALSE" are read as truth values.
  values <- as.character(values)
  known <- unique(values[!is.na(values)])
  as_texts(known, match(values, known))
}

as_texts <- function(levels, codes) {
  codes <- ifelse(is.na(codes), -1L, codes - 1L)
  list(
    codes = writeBin(as.integer(codes), raw(), size = 4, endian = "little"),
    levels = as.list(enc2utf8(levels))
  )
}

# An ordered factor goes by its ranks, those of the training data.
as_rank <- function(values, levels, label) {
  texts <- as.character(values)
  unknown <- setdiff(texts[!is.na(texts)], levels)
  if (length(unknown)) {
    warning(sprintf("column '%s' holds '%s', not a level in the training data: taken as missing.", label, unknown[1]),
      call. = FALSE)
  }
  as_numbers(match(texts, levels))
}

as_target <- function(values) {
  if (!is.factor(values) && !is.character(values) && !is.logical(values) && !is.numeric(values)) {
    fail(sprintf("`y` is of class '%s': give a factor, text, numbers or truth values.", class(values)[1]))
  }
  as_column(values, "`y`")
}

# Predictions in the type of the target: a factor has all of its levels, in their order.
like_target <- function(places, classes, target) {
  predicted <- classes[places + 1]
  if (is.factor(target)) return(factor(predicted, levels(target), ordered = is.ordered(target)))
  as.vector(predicted, storage.mode(target))
}
