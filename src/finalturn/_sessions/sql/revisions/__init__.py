"""The history of the schema: one module for each step, in Alembic's form."""
