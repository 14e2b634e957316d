"""How good a choice or a model is: splits of rows, honest errors, intervals, diagnosis."""
