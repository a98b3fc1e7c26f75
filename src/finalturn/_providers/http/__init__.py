"""HTTP for providers: connections, bodies, retries, proxies and time limits."""
