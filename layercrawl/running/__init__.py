"""What a run does beside its jobs: checks at the start, stages, limits, and what is told."""
