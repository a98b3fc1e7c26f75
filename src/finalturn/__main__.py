"""``python -m finalturn``: the command line."""

from finalturn._cli.main import main

if __name__ == "__main__":
    main()
