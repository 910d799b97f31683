"""What people and programs use: the command, importers, evaluation, taking over the memory of another system."""
