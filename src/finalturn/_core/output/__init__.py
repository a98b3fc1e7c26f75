"""Response formats: their schemas, and the judging of texts as answers to them.

Sans-IO and without a JSON-Schema library: a validator is handed in.
"""

from finalturn._core.output.make import pydantic_output, schema_output
from finalturn._core.output.output import Output
from finalturn._core.output.reasons import Answer, Rejection, ValidationProblem
from finalturn._core.output.root import resolve_reference
from finalturn._core.output.shape import Shape, adapter_shape, model_shape, schema_shape
from finalturn._core.output.wrapped import as_object

__all__ = [
    "Answer",
    "Output",
    "Rejection",
    "Shape",
    "ValidationProblem",
    "adapter_shape",
    "as_object",
    "model_shape",
    "pydantic_output",
    "resolve_reference",
    "schema_output",
    "schema_shape",
]
