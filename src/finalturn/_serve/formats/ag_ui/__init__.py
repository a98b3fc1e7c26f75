"""The AG-UI protocol 1.0: https://docs.ag-ui.com."""

from finalturn.serve.ag_ui._projection import AgUi
from finalturn.serve.ag_ui._request import AgUiRequest, read_ag_ui

__all__ = ["AgUi", "AgUiRequest", "read_ag_ui"]
