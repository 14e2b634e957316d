"""`python -m frugalforest` is the command line."""

from frugalforest.cli import main

if __name__ == "__main__":
    main()
