"""Migrations of the schema: one module for each revision, in Alembic's form."""
