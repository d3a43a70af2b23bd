"""The five jobs, one class a file; none knows another, nor where it runs."""
