"""Traces of turns, for those who use OpenTelemetry. It needs the extra ``finalturn[otel]``.

```python
from finalturn import Agent
from finalturn.otel import OpenTelemetryObserver
from finalturn.providers import Scripted

agent = Agent(Scripted("Hello."), observers=[OpenTelemetryObserver()])
```
"""

from finalturn._otel.observer import OpenTelemetryObserver
from finalturn._support.public_home import publish

__all__ = ["OpenTelemetryObserver"]

publish(globals())
del publish
