import type { A_Expr, Node } from "libpg-query"

/* Parts of the syntax tree of a statement. */

const isNode = (value: object): value is Node => {
  const [key, ...others] = Object.keys(value)
  return key !== undefined && others.length === 0 && /^[A-Z]/.test(key)
}

/** The nodes at the top of a part of the tree. */
export const nodesIn = (value: unknown): ReadonlyArray<Node> => {
  if (typeof value !== "object" || value === null) return []
  return isNode(value) ? [value] : Object.values(value).flatMap(nodesIn)
}

/** The nodes directly below a node. */
export const partsOf = (node: Node): ReadonlyArray<Node> =>
  Object.values(node).flatMap((fields: object) => Object.values(fields).flatMap(nodesIn))

export const namesOf = (nodes: ReadonlyArray<Node> = []): ReadonlyArray<string> =>
  nodes.flatMap((node) => {
    if ("String" in node) return [node.String.sval ?? ""]
    if ("ResTarget" in node) return [node.ResTarget.name ?? ""]
    return "ColumnDef" in node ? [node.ColumnDef.colname ?? ""] : []
  })

export const withoutCast = (node: Node): Node =>
  "TypeCast" in node && node.TypeCast.arg !== undefined ? withoutCast(node.TypeCast.arg) : node

/** Name that PostgreSQL gives to a value without an alias. */
export const nameOf = (node: Node): string => {
  if ("ColumnRef" in node) return namesOf(node.ColumnRef.fields).at(-1) ?? ""
  if ("FuncCall" in node) return namesOf(node.FuncCall.funcname).at(-1) ?? ""
  return "TypeCast" in node ? nameOf(withoutCast(node)) : ""
}

/** The values of a row, or the value itself. */
export const valuesOf = (node: Node): ReadonlyArray<Node> => ("RowExpr" in node ? (node.RowExpr.args ?? []) : [node])

export const isEquality = ({ kind, name }: A_Expr) =>
  kind === "AEXPR_NOT_DISTINCT" ||
  (namesOf(name).at(-1) === "=" && (kind === "AEXPR_OP" || kind === "AEXPR_OP_ANY" || kind === "AEXPR_IN"))
