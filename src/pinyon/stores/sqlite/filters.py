"""From a filter to SQL. Compiled whole, or refused; names come from a list, values are bound."""

from typing import assert_never

from pinyon.domain.filter import And, Cmp, Eq, Exists, Filter, In, Not, Or, can_compare, field_type
from pinyon.domain.ids import turn_id
from pinyon.domain.memory import MetadataValue
from pinyon.errors import InvalidId, UnsupportedFilter
from pinyon.stores.sqlite.connection import Value
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.rows import column_sql, id_bytes, turn_bytes

_OPERATORS = {"lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_ALWAYS, _NEVER = "1", "0"


class Compiled:
    """An SQL condition over `m` (and, where an earlier state is asked for, `v`), and its values."""

    def __init__(self, where: Filter, *, known: bool = False) -> None:
        self.values: dict[str, Value] = {}
        self._known = known
        self.sql = self._sql(where)

    def _sql(self, where: Filter) -> str:
        match where:
            case And(parts):
                return "(" + " AND ".join(map(self._sql, parts)) + ")" if parts else _ALWAYS
            case Or(parts):
                return "(" + " OR ".join(map(self._sql, parts)) + ")" if parts else _NEVER
            case Not(part):
                return f"NOT {self._sql(part)}"
            case Eq(field, value):
                return self._equals(field, (value,))
            case In(field, values):
                return self._equals(field, values)
            case Cmp(field, operator, value):
                return self._compares(field, operator, value)
            case Exists(field):
                return self._exists(field)
            case _:
                assert_never(where)

    def _equals(self, field: str, values: tuple[MetadataValue, ...]) -> str:
        conditions = [self._equal(field, value) for value in values]
        return "(" + " OR ".join(conditions) + ")" if conditions else _NEVER

    def _equal(self, field: str, value: MetadataValue) -> str:
        """Return one comparison, never NULL, that agrees with `pinyon.domain.filter.matches`."""
        kind = field_type(field)
        match kind:
            case "metadata":
                return self._equal_metadata(field, value)
            case "id":
                return self._equal_id(field, value)
            case "set":
                if not isinstance(value, str):
                    return _NEVER
                return query("is_listed", column=self._column(field), word=self._bind(value))
            case "instant" if value is None:
                return f"{self._column(field)} IS NULL"
            case "text" if isinstance(value, str):
                if field == "content_hash":
                    return self._equal_hash(value)
                return f"{self._column(field)} = {self._bind(value)}"
            case "flag" if isinstance(value, bool):
                return f"{self._column(field)} = {self._bind(int(value))}"
            case "number" | "instant" if _is_number(value):
                return f"{self._column(field)} IS {self._bind(value)}"
            case _:
                return _NEVER

    def _equal_hash(self, value: str) -> str:
        try:
            return f"{self._column('content_hash')} = {self._bind(bytes.fromhex(value))}"
        except ValueError:
            return _NEVER

    def _equal_id(self, field: str, value: MetadataValue) -> str:
        column = self._column(field)
        if value == "":
            return f"{column} IS NULL"
        try:
            identifier = turn_id(value)
        except InvalidId:
            return _NEVER
        if identifier != value:
            return _NEVER
        if field == "previous":
            return f"{column} IS {self._bind(turn_bytes(identifier))}"
        return f"{column} IS {self._bind(id_bytes(identifier))}" if value[:1] == "m" else _NEVER

    def _equal_metadata(self, field: str, value: MetadataValue) -> str:
        column, path = self._metadata(field)
        found = f"json_extract({column}, {path})"
        if value is None:
            return f"{found} IS NULL"
        kind = f"json_type({column}, {path})"
        if isinstance(value, bool):
            return f"coalesce({kind} = '{'true' if value else 'false'}', 0)"
        kinds = "('text')" if isinstance(value, str) else "('integer', 'real')"
        return f"coalesce({kind} IN {kinds} AND {found} = {self._bind(value)}, 0)"

    def _compares(self, field: str, operator: str, value: str | int | float) -> str:
        if not can_compare(field):
            raise UnsupportedFilter(field, operator)
        kind = field_type(field)
        sign, bound = _OPERATORS[operator], self._bind(value)
        if kind == "metadata":
            column, path = self._metadata(field)
            kinds = "('text')" if isinstance(value, str) else "('integer', 'real')"
            return (
                f"coalesce(json_type({column}, {path}) IN {kinds} "
                f"AND json_extract({column}, {path}) {sign} {bound}, 0)"
            )
        if isinstance(value, str) is not (kind == "text"):
            return _NEVER
        return f"coalesce({self._column(field)} {sign} {bound}, 0)"

    def _exists(self, field: str) -> str:
        if field_type(field) == "metadata":
            column, path = self._metadata(field)
            return f"coalesce(json_extract({column}, {path}) <> '', 0)"
        return f"coalesce({self._column(field)} <> '', 0)"

    def _column(self, field: str) -> str:
        name = field + "_us" if field_type(field) == "instant" else field
        return column_sql(name, known=self._known)

    def _metadata(self, field: str) -> tuple[str, str]:
        column = column_sql("metadata", known=self._known)
        path = self._bind('$."' + field.removeprefix("metadata.") + '"')
        return f"iif({column} = '', '{{}}', {column})", path

    def _bind(self, value: Value) -> str:
        name = f"f{len(self.values)}"
        self.values[name] = value
        return ":" + name


def hash_asked(where: Filter) -> bytes | None:
    """Return the content hash that a memory must have to pass, where the filter names one.

    Most texts are new, and that nobody has their hash is told sooner than a filter is compiled.
    """
    if isinstance(where, And):
        for part in where.parts:
            if isinstance(part, Eq) and part.field == "content_hash":
                return bytes.fromhex(str(part.value))
    return None


def _is_number(value: MetadataValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
