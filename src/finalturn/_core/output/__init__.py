"""What a response_format is, and when a text is an answer to it.

Sans-IO and without a JSON-Schema library: a validator is handed in.
"""

from finalturn.core.output._make import pydantic_output, schema_output
from finalturn.core.output._output import Output
from finalturn.core.output._reasons import Problem
from finalturn.core.output._root import resolve_reference
from finalturn.core.output._shape import Shape, adapter_shape, model_shape, schema_shape
from finalturn.core.output._verdict import Answer, Rejection
from finalturn.core.output._wrapped import as_object

__all__ = [
    "Answer",
    "Output",
    "Problem",
    "Rejection",
    "Shape",
    "adapter_shape",
    "as_object",
    "model_shape",
    "pydantic_output",
    "resolve_reference",
    "schema_output",
    "schema_shape",
]
