"""The numbers and names by which database engines call a failure, where they have no SQLSTATE.

MySQL (errmsg-utf8.txt), SQL Server (sys.messages), Oracle (ORA numbers), SQLite (result codes), MongoDB
(error_codes.yml), Redis (error prefixes). Read off a span's `db.response.status_code` or `error.type`.
"""

from __future__ import annotations

from telltale.payload.words import words
from telltale.vocabulary import Code

_MYSQL = {
    Code.PERMISSION_DENIED: words("1044 1045 1142 1143 1227 1290 1370 1698 1792 3118 4151"),
    Code.NOT_FOUND: words("1049 1051 1091 1109 1146 1176 1305 1325"),
    Code.INVALID_ARGUMENT: words("1048 1052 1054 1058 1064 1136 1149 1210 1264 1292 1364 1366 1406 1411 1452 3819"),
    Code.CONFLICT: words("1007 1050 1062 1169 1213 1451 1586"),
    Code.UNAVAILABLE: words("1040 1053 1158 1159 1160 1161 1203 1205 1226 2002 2003 2005 2006 2013 2055 3024"),
}
_SQL_SERVER = {
    Code.PERMISSION_DENIED: words("229 230 262 297 300 916 4060 15247 18450 18452 18456 18470 18486 18488 40615"),
    Code.NOT_FOUND: words("208 911 2812 3701 4902"),
    Code.INVALID_ARGUMENT: words("102 105 107 109 137 156 170 201 207 209 213 245 241 515 547 2628 8114 8115 8152"),
    Code.CONFLICT: words("1205 2601 2627 2714 3960"),
    Code.RATE_LIMITED: words("10928 10929 40501 49918 49919 49920"),
    Code.UNAVAILABLE: words("-2 -1 2 53 121 258 1222 10053 10054 10060 40197 40613 11001"),
}
_ORACLE = {
    Code.PERMISSION_DENIED: words("1017 1031 1045 28000 28001"),
    Code.NOT_FOUND: words("942 4043 1918 2289"),
    Code.INVALID_ARGUMENT: words("900 904 907 911 917 923 933 936 1400 1438 1722 1843 2290 2291 12899"),
    Code.CONFLICT: words("1 54 60 955 2292 8177"),
    Code.UNAVAILABLE: words("1033 1034 1089 3113 3114 3135 12154 12170 12505 12514 12541 12543 12547 1013"),
}
_SQLITE = {
    Code.PERMISSION_DENIED: words("SQLITE_PERM SQLITE_AUTH SQLITE_READONLY"),
    Code.NOT_FOUND: words("SQLITE_NOTFOUND"),
    Code.INVALID_ARGUMENT: words("SQLITE_MISMATCH SQLITE_RANGE SQLITE_TOOBIG SQLITE_MISUSE"),
    Code.CONFLICT: words("SQLITE_CONSTRAINT SQLITE_CONSTRAINT_UNIQUE SQLITE_CONSTRAINT_PRIMARYKEY SQLITE_LOCKED"),
    Code.UNAVAILABLE: words("SQLITE_BUSY SQLITE_BUSY_TIMEOUT SQLITE_BUSY_SNAPSHOT SQLITE_IOERR SQLITE_CANTOPEN"),
    Code.INTERNAL: words("SQLITE_CORRUPT SQLITE_NOTADB SQLITE_FULL SQLITE_NOMEM SQLITE_INTERNAL"),
}
_MONGODB = {
    Code.PERMISSION_DENIED: words("11 13 18 8000 AtlasError Unauthorized AuthenticationFailed"),
    Code.NOT_FOUND: words("26 27 NamespaceNotFound IndexNotFound 43 CursorNotFound"),
    Code.INVALID_ARGUMENT: words(
        "2 9 14 28 40 121 BadValue FailedToParse TypeMismatch DocumentValidationFailure 17280"
    ),
    Code.CONFLICT: words("11000 11001 12582 DuplicateKey 48 NamespaceExists 112 WriteConflict"),
    Code.UNAVAILABLE: words("6 7 50 89 91 189 262 10107 11600 11602 13435 13436 HostUnreachable MaxTimeMSExpired"),
}
_TABLES = {
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "microsoft.sql_server": _SQL_SERVER,
    "mssql": _SQL_SERVER,
    "oracle": _ORACLE,
    "oracle.db": _ORACLE,
    "sqlite": _SQLITE,
    "mongodb": _MONGODB,
}


def code_of_database(system: str, state: str) -> Code | None:
    """The code of an engine's number or name.

    Args:
        system: `db.system.name` (or `db.system`), as the semantic conventions list it.
        state: the number or name, also with Oracle's prefix (`ORA-00942`).
    """
    table = _TABLES.get(system.lower())
    if table is None:
        return None
    name = state.strip().upper().removeprefix("ORA-").lstrip("0") if table is _ORACLE else state.strip()
    return next((code for code, names in table.items() if name in names), None)
