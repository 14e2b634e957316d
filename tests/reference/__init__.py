"""Plain NumPy versions of what the compiled core does, for the tests to compare with."""
