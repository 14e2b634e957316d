table_in_python <- function(data) {
  reticulate::py_run_string("import numpy as np, pandas as pd
from frugalforest.tables import Table
def read(columns):
    import frugalforest_r
    table = Table.read(frugalforest_r._frame(columns))
    plain = lambda c: None if pd.isna(c) else c if isinstance(c, str) else float(c)
    return [list(table.kinds), [list(map(plain, column)) for column in table.columns]]
")
  python()
  reticulate::py$read(as_table(data, "x"))
}

test_that("every kind of column keeps its meaning, and NA is missing in each", {
  x <- patients()
  read <- table_in_python(x)
  expect_equal(read[[1]], c("number", "number", "boolean", "date", "date", "text", "number", "text"))
  for (j in seq_along(x)) expect_null(read[[2]][[j]][[j]])
  cells <- function(name) unlist(read[[2]][[match(name, names(x))]])
  expect_equal(cells("age"), x$age[-1])
  expect_equal(cells("visits"), x$visits[-2])
  expect_equal(cells("smoker"), as.numeric(x$smoker[-3]))
  expect_equal(cells("seen"), as.numeric(x$seen[-4]) * 86400)
  expect_equal(cells("woken"), as.numeric(x$woken[-5]), tolerance = 1e-12)
  expect_equal(cells("site"), as.character(x$site[-6]))
  expect_equal(cells("grade"), as.integer(x$grade[-7]))
  expect_equal(cells("note"), x$note[-8])
})

test_that("whole numbers beyond 32 bits, infinite values and tables of one row are no trouble", {
  expect_equal(table_in_python(data.frame(a = 2^40, b = -1))[[2]], list(2^40, -1))
  expect_error(compared(cbind(patients(), big = c(Inf, rep(1, 59)))), "holds an infinite value", class = "DataError")
})

test_that("matrices and tibbles are tables, too", {
  m <- matrix(c(1, 2, 3, 4), 2, dimnames = list(NULL, c("a", "b")))
  expect_equal(table_in_python(m)[[2]], list(c(1, 2), c(3, 4)))
  expect_equal(table_in_python(data.frame(a = I(scale(1:3))))[[2]], list(c(-1, 0, 1)))
})

test_that("what is no column of a table is one line that names it", {
  for (bad in list(list(1:60), list(as.list(1:60)), list(complex(60)), list(matrix(0, 60, 2)))) {
    x <- patients()
    x$odd <- bad[[1]]
    if (is.list(bad[[1]]) || is.complex(bad[[1]]) || is.matrix(bad[[1]])) {
      error <- expect_error(compared(x), "'odd'")
      one_line(error)
    }
  }
  one_line(expect_error(compared(1:60), "`x` must be a data frame"))
  twice <- cbind(patients(), age = 1)
  one_line(expect_error(compared(twice), "two columns of `x` are called 'age'"))
})
