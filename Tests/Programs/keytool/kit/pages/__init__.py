"""The manual, the help and the completions, as the tests read them."""
