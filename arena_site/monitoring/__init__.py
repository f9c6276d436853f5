"""What monitoring reads: counters of the processes, readings of the database, and whether this host can serve."""
