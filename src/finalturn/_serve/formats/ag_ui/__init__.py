"""The AG-UI protocol 1.0: https://docs.ag-ui.com."""

from finalturn._serve.formats.ag_ui.projection import AgUi
from finalturn._serve.formats.ag_ui.request import AgUiRequest, read_ag_ui

__all__ = ["AgUi", "AgUiRequest", "read_ag_ui"]
