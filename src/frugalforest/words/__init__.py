"""How money, shares, counts and names are written, and how cells of text are read."""
