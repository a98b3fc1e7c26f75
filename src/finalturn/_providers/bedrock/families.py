"""What each family of models on Bedrock accepts in a conversation, found by the model's name.

An address (ARN) of a profile or of a model of one's own tells nothing: such a model gets what all take.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class ModelFamily(NamedTuple):
    """What a family of models accepts in a request.

    Attributes:
        status: a result may say that its tool failed, and may hold images. The reference has both for
            Claude and Nova only (`ToolResultBlock`, `ToolResultContentBlock`); the page's other models
            refuse them, or may.
        alone: results stand alone in their message. Llama and Mistral refuse anything beside them.
        images: it sees images.
    """

    status: bool = False
    alone: bool = False
    images: bool = False


_STATUS = re.compile(r"claude|\bnova\b")
_ALONE = re.compile(r"llama|mistral|mixtral|ministral|magistral|devstral|pixtral|voxtral")
_IMAGES = re.compile(r"claude-(?!v\d|instant)|\bnova-(?!micro|sonic)|llama4|pixtral|-vl-")


def family_of(model: str) -> ModelFamily:
    """The family of a model, by its id or its ARN."""
    name = model.lower()
    return ModelFamily(*(pattern.search(name) is not None for pattern in (_STATUS, _ALONE, _IMAGES)))
