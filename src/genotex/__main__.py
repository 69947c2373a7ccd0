"""`python -m genotex` is `genotex`."""

from genotex.cli import main

if __name__ == "__main__":
    main()
