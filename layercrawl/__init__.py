"""layercrawl: a polite, depth-bounded web crawler made of five Hadoop Streaming jobs."""
