"""mcp-compat: which MCP clients and servers break with yours, and who has to fix it."""

from mcp_compat._audit import AuditError, Case, CompatibilityError, ServerAudit, audit_server
from mcp_compat._program import ProgramNotFound, program

__all__ = [
    "AuditError",
    "Case",
    "CompatibilityError",
    "ProgramNotFound",
    "ServerAudit",
    "audit_server",
    "program",
]
