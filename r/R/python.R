# The Python side, and its errors as conditions of R.

fail <- function(message, kind = "DataError") {
  stop(structure(
    class = c(kind, "frugalforest_error", "error", "condition"),
    list(message = message, call = NULL)
  ))
}

python <- function() {
  if (!reticulate::py_module_available("frugalforest")) {
    fail(paste(
      "Python's package frugalforest was not found. Install it with",
      "reticulate::py_install(\"frugalforest\", pip = TRUE), or name the Python that has it with",
      "reticulate::use_python(\"path\") before anything else."
    ), "ImportError")
  }
  if (is.null(used$python)) {
    folder <- system.file("python", package = "frugalforest")
    used$python <- reticulate::import_from_path("frugalforest_r", folder, convert = TRUE)
  }
  used$python
}

# Our module of Python, once it was needed.
used <- new.env()

# The value of a function of inst/python/frugalforest_r.py.
ask <- function(name, ...) {
  answer <- python()$attempt(name, ...)
  if (!is.null(answer$message)) fail(answer$message, answer$kind)
  answer$value
}

# 10 is a whole number here, whatever R calls it; several values are a list.
as_option <- function(value) {
  whole <- is.numeric(value) && !anyNA(value) && all(value == round(value) & abs(value) < 2^31)
  if (whole) value <- as.integer(value)
  if (length(value) > 1 || !is.null(names(value))) as.list(value) else value
}

as_names <- function(names) as.list(as.character(names))

as_costs <- function(costs) {
  if (is.data.frame(costs)) {
    # As a price list in a file: one way to read both.
    file <- file.path(tempfile("prices"), "costs")
    dir.create(dirname(file))
    file <- paste0(file, ".csv")
    utils::write.csv(costs, file, row.names = FALSE, na = "", fileEncoding = "UTF-8")
    return(file)
  }
  twice <- names(costs)[duplicated(names(costs))]
  if (length(twice)) fail(sprintf("`costs` has two prices for '%s'. Remove one.", twice[1]), "CostError")
  if (is.null(names(costs)) && length(costs) < 2) costs else as.list(costs)
}

.onLoad <- function(libname, pkgname) {
  goodbye <- function(...) if (!is.null(used$python)) used$python$attempt("goodbye")
  reg.finalizer(used, goodbye, onexit = TRUE)
}
