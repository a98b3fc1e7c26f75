"""`StructuredOutputConfig`: how an agent makes its structured answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from finalturn._core.errors import ConfigurationError
from finalturn._core.protocols import ContextPredicate, ShouldFinalize
from finalturn._support.keywords import checked_class, known_keywords
from finalturn.stability import NEXT, beta, stable


@stable(
    since="0.1.0",
    fields={
        "single_pass": beta(since="0.1.0"),
        "hold_json": beta(since="0.1.0"),
        "partial_objects": beta(since=NEXT),
        "chat": beta(since=NEXT),
    },
)
@checked_class
@dataclass(frozen=True, slots=True)
class StructuredOutputConfig:
    """How an agent makes its structured answers.

    Attributes:
        final_turn_only: keep the schema out of the tool loop. Prose streams; once the model is done, its
            answer is reused when it is the object already, else a silent synthesis call makes it.
            Without it, the schema is on every call and the JSON streams as content.
        reuse_loop_answer: take a converged answer that validates as the object. Off, such an answer is
            made once more by a synthesis call.
        should_finalize: asked at most once a turn, when the converged answer is not the object, whether
            the turn needs one. Sync or async; ``None`` for always. It gets the `RunContext` first when its
            first parameter is one.
        single_pass: put the schema on every loop call natively, so that the converged answer is the
            object; no content is shown. Where the provider cannot combine tools and schema, the turn
            takes the synthesis path.
        hold_json: hold JSON blocks out of the streamed text until it is clear that they are not the
            answer.
        partial_objects: show the object that the silent call makes as it grows, as chunks with a
            `StreamChunk.partial`. An answer that is reused is no object that grows: it has been shown as text
            already. Not together with single_pass, which is there to make no silent call.
        native: use the provider's own schema mode where it has one.
        max_validation_retries: how many answers that do not validate are asked for again, in a turn;
            they use no iterations.

    Raises:
        ConfigurationError: two options exclude each other, or a number is negative.

    Contract:
        - `synthesis-never-streams` (stable): Text of a synthesis call, its retries included, MUST NOT appear
          on any surface but the terminal result and the `structured` field of the saved message.
        - `partial-objects` (beta): Partial objects MUST be shown of synthesis calls only, and only with
          partial_objects: each holds what its call has written so far, under keys that the schema declares
          and of the types that it gives them, and the one before it of the same call is part of it. A retry
          begins with nothing, and the result takes the place of the last.
        - `reuse-signalled` (stable): When the converged answer is reused and text of it was shown, exactly
          one `structured_reuse` MUST be shown, after that text and before the result.
        - `single-pass-suppresses-content` (beta): While single_pass is active, content MUST NOT be shown on
          any surface; no `structured_reuse` is shown, and a valid answer makes no further model call. Where
          the provider cannot combine tools and schema, the turn takes the synthesis path.
        - `held-json` (beta): With hold_json, a JSON block that validates against the schema, or carries one
          of its required keys, MUST NOT be shown, wherever it stands in the text, quoted code included;
          markup that holds nothing else goes with it. Any other block is released whole and in order as soon
          as it cannot be the answer, and prose waits only where it may still begin one, or the markup around
          one. An array of bare numbers or words is a block only where its line ends behind it.
        - `skip-is-silent` (stable): A turn that should_finalize skips MUST NOT show an event or make another
          model call.
        - `default-mode-streams` (stable): Without final_turn_only, the answer's text MUST stream as content,
          rejected attempts included, told apart by `call`; no event is shown.
        - `valid-answer-wins` (stable): An answer that validates MUST NOT be put to the predicate, with reuse
          off too.
        - `always-validated-here` (stable): `parsed` MUST have been validated locally, whatever the provider
          promised.
        - `reuse-gate-strict` (stable): Only a whole answer that is one JSON value of the schema MAY be
          reused, never a fragment in prose; a model with only optional fields needs at least one declared
          key.
        - `no-needless-call` (stable): Reuse and a skip MUST NOT make a further model call.
        - `own-retry-budget` (stable): Validation retries MUST have their own bounded budget, and use no
          iterations.
        - `schema-stays-out` (stable): In final_turn_only without single_pass, a loop request MUST NOT carry
          the schema or its descriptions.
    """

    final_turn_only: bool = False
    reuse_loop_answer: bool = True
    should_finalize: ShouldFinalize | ContextPredicate[Any] | None = None
    single_pass: bool = False
    hold_json: bool = False
    native: bool = True
    max_validation_retries: int = 2
    partial_objects: bool = False

    def __post_init__(self) -> None:
        if not self.final_turn_only:
            for name in ("should_finalize", "single_pass", "hold_json", "partial_objects"):
                if getattr(self, name) not in (None, False):
                    raise ConfigurationError(f"{name} needs final_turn_only=True")
        if self.single_pass and not self.reuse_loop_answer:
            raise ConfigurationError("single_pass takes the loop's answer: it needs reuse_loop_answer=True")
        if self.partial_objects and self.single_pass:
            raise ConfigurationError(
                "partial_objects shows what the silent call makes, and single_pass makes none: leave one out"
            )
        if self.single_pass and not self.native:
            raise ConfigurationError("single_pass sends the schema natively: it needs native=True")
        if self.should_finalize is not None and not callable(self.should_finalize):
            raise ConfigurationError(
                "should_finalize must be a callable (messages, last_response_text) -> bool"
            )
        if not _is_count(self.max_validation_retries):
            raise ConfigurationError("max_validation_retries must be 0 or more, and a whole number")

    @classmethod
    @known_keywords("StructuredOutputConfig.chat")
    def chat(
        cls,
        *,
        reuse_loop_answer: bool = True,
        should_finalize: ShouldFinalize | ContextPredicate[Any] | None = None,
        single_pass: bool = False,
        native: bool = True,
        max_validation_retries: int = 2,
        partial_objects: bool = False,
    ) -> StructuredOutputConfig:
        """The configuration of a chat window: people read prose, and never the answer's JSON.

        It equals one with ``final_turn_only=True, hold_json=True`` and the same other options.

        Args:
            reuse_loop_answer: as for the class, like the others.
            should_finalize: as for the class.
            single_pass: as for the class; a turn in which it is active shows no content.
            native: as for the class.
            max_validation_retries: as for the class.
            partial_objects: as for the class.

        Raises:
            ConfigurationError: two options exclude each other, or a number is negative.
        """
        return cls(
            final_turn_only=True,
            hold_json=True,
            reuse_loop_answer=reuse_loop_answer,
            should_finalize=should_finalize,
            single_pass=single_pass,
            native=native,
            max_validation_retries=max_validation_retries,
            partial_objects=partial_objects,
        )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and value >= 0
