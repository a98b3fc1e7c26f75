"""How a provider of any kind is asked: streaming or not, asynchronous or not."""
