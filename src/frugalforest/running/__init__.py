"""How work is run: tasks on processes or a cluster, seeds, progress, Ctrl-C."""
