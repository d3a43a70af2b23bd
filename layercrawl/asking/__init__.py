"""What a crawl can be asked afterwards: its status, its hosts, and why a URL is where it is."""
