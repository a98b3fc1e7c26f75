"""What turns cost in money, by a price list of many vendors. It needs the extra ``finalturn[prices]``.

```python
from finalturn import Usage
from finalturn.prices import cost_of

usage = Usage(input_tokens=1_000_000, output_tokens=100_000)
dollars = cost_of(usage, vendor="OpenAI", model="gpt-4o")
```
"""

from finalturn._prices.cost import cost_of, cost_of_turn
from finalturn._support.public_home import publish

__all__ = ["cost_of", "cost_of_turn"]

publish(globals())
del publish
