"""Numbers of other programs, and the scripts that make them."""
