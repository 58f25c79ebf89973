import type { Alias, Node, RangeVar } from "libpg-query"
import { namesOf } from "./Syntax.ts"

/* Tables, queries and functions in the FROM clauses of a statement, and their columns. */

/** Columns of each table. */
export type Tables = ReadonlyMap<string, ReadonlyArray<string>>

export interface Column {
  readonly name: string
  readonly isPinned: boolean
}

/** Table, query or function in a FROM clause. */
export interface Relation {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** Columns that equal a parameter, or {@link ALL}. */
  readonly pinned: Set<string>
  /** Adds the columns that its query pins now. */
  readonly refresh: () => void
  /** Table of a store, and where the statement names it. */
  readonly table?: { readonly name: string; readonly place: RangeVar }
}

/** All columns of a function whose arguments are pinned, also those that the statement does not name. */
export const ALL = "*"

export interface Scope {
  readonly parent: Scope | undefined
  readonly queries: Map<string, ReadonlyArray<Column>>
  readonly relations: Array<Relation>
}

export type Pin = readonly [Relation, string]

export const isPinnedIn = ({ pinned }: Relation, column: string) => pinned.has(ALL) || pinned.has(column)

/** Column that has the store of the rows of a table. */
export const storeColumn = (table: string, tables: Tables) =>
  tables.get(table)?.includes("store_id") === true ? "store_id" : table === "stores" ? "id" : undefined

/** Finds the relation of a column from the innermost query outwards. */
export const resolve = (node: Node, scope: Scope | undefined): Pin | undefined => {
  if (scope === undefined || !("ColumnRef" in node)) return undefined
  const [column, table] = namesOf(node.ColumnRef.fields).toReversed()
  if (column === undefined) return undefined
  const relation = scope.relations.find(({ columns, name }) =>
    table === undefined ? columns.includes(column) : name === table
  )
  return relation === undefined ? resolve(node, scope.parent) : [relation, column]
}

export const renamed = (columns: ReadonlyArray<Column>, names: ReadonlyArray<string>) =>
  columns.map((column, index) => ({ ...column, name: names[index] ?? column.name }))

/** Relation of a query, which is read again whenever other relations of its level get pins. */
export const queryRelation = (name: string, read: () => ReadonlyArray<Column>, alias: Alias | undefined): Relation => {
  const names = namesOf(alias?.colnames)
  const pinned = new Set<string>()
  const refresh = () => {
    for (const column of renamed(read(), names)) if (column.isPinned) pinned.add(column.name)
  }
  return { name: alias?.aliasname ?? name, columns: renamed(read(), names).map((it) => it.name), pinned, refresh }
}

/** Columns of a UNION or of VALUES. */
export const inAll = (lists: ReadonlyArray<ReadonlyArray<Column>>): ReadonlyArray<Column> =>
  (lists[0] ?? []).map(({ name }, index) => ({ name, isPinned: lists.every((list) => list[index]?.isPinned === true) }))

export const queryNamed = (name: string, scope: Scope | undefined): ReadonlyArray<Column> | undefined =>
  scope === undefined ? undefined : (scope.queries.get(name) ?? queryNamed(name, scope.parent))

export const equality = (one: Relation, other: Relation, column: string): Node => {
  const reference = ({ name }: Relation): Node => ({
    ColumnRef: { fields: [{ String: { sval: name } }, { String: { sval: column } }] }
  })
  const name: Array<Node> = [{ String: { sval: "=" } }]
  return { A_Expr: { kind: "AEXPR_OP", name, lexpr: reference(one), rexpr: reference(other) } }
}
