"""``python -m finalturn.cli``."""

from finalturn.cli._main import main

if __name__ == "__main__":
    main()
