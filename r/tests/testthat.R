library(testthat)
library(frugalforest)

test_check("frugalforest")
