"""The command `tavoliere`: one module a subcommand, its words in the catalogue `cli`."""
