"""The command `tavoliere`: one module per subcommand, with its words in the catalogue `cli`."""
