import {
  type InsertStmt,
  type JoinExpr,
  loadModule,
  type Node,
  parseSync,
  type RangeFunction,
  type RangeVar,
  type SelectStmt,
  type WithClause
} from "libpg-query"
import {
  ALL,
  type Column,
  equality,
  inAll,
  isPinnedIn,
  type Pin,
  queryNamed,
  queryRelation,
  type Relation,
  renamed,
  resolve,
  type Scope,
  storeColumn,
  type Tables
} from "./Relations.ts"
import { isEquality, nameOf, namesOf, nodesIn, partsOf, valuesOf, withoutCast } from "./Syntax.ts"

/*
 * Finds the tables that a statement does not pin to stores. A table is pinned if its store equals a parameter, or a
 * column that is pinned itself.
 */

/** Condition of a level. It pins only `targets`: a join keeps all rows of its outer side. */
interface Condition {
  readonly node: Node
  readonly targets: ReadonlyArray<Relation>
}

class Reader {
  /** Places are read several times, and count once. */
  readonly unpinned = new Map<RangeVar, string>()
  readonly #tables: Tables

  constructor(tables: Tables) {
    this.#tables = tables
  }

  /** Reads a query or a data-modifying statement, and returns its columns. The last time, it reports tables. */
  read(node: Node, parent: Scope | undefined, isLast: boolean): ReadonlyArray<Column> {
    const scope: Scope = { parent, queries: new Map(), relations: [] }
    if ("SelectStmt" in node) return this.#select(node.SelectStmt, scope, isLast)
    if ("InsertStmt" in node) return this.#insert(node.InsertStmt, scope, isLast)
    if ("UpdateStmt" in node) {
      const { fromClause = [], relation, returningClause, targetList, whereClause, withClause } = node.UpdateStmt
      this.#with(withClause, scope, isLast)
      const from = relation === undefined ? fromClause : [{ RangeVar: relation }, ...fromClause]
      this.#level(from, whereClause, scope, isLast)
      if (isLast) this.#reportWithin([targetList, returningClause], scope)
      return this.#output(returningClause?.exprs, scope)
    }
    if ("DeleteStmt" in node) {
      const { relation, returningClause, usingClause = [], whereClause, withClause } = node.DeleteStmt
      this.#with(withClause, scope, isLast)
      const from = relation === undefined ? usingClause : [{ RangeVar: relation }, ...usingClause]
      this.#level(from, whereClause, scope, isLast)
      if (isLast) this.#reportWithin(returningClause, scope)
      return this.#output(returningClause?.exprs, scope)
    }
    if ("MergeStmt" in node) throw new Error("MERGE is not supported: write INSERT, UPDATE or DELETE")
    return []
  }

  #select(select: SelectStmt, scope: Scope, isLast: boolean): ReadonlyArray<Column> {
    const { fromClause = [], larg, rarg, targetList, valuesLists, whereClause, withClause, ...others } = select
    this.#with(withClause, scope, isLast)
    if (larg !== undefined && rarg !== undefined) {
      return inAll([larg, rarg].map((arm) => this.read({ SelectStmt: arm }, scope, isLast)))
    }
    this.#level(fromClause, whereClause, scope, isLast)
    if (isLast) this.#reportWithin([targetList, valuesLists, others], scope)
    if (valuesLists === undefined) return this.#output(targetList, scope)
    return inAll(
      valuesLists.map((list) =>
        partsOf(list).map((value, index) => ({ name: `column${index + 1}`, isPinned: this.#isPinned(value, scope) }))
      )
    )
  }

  #insert(insert: InsertStmt, scope: Scope, isLast: boolean): ReadonlyArray<Column> {
    const { cols, onConflictClause, relation, returningClause, selectStmt, withClause } = insert
    this.#with(withClause, scope, isLast)
    const table = relation?.relname ?? ""
    const columns = this.#tables.get(table) ?? []
    const written = cols === undefined ? columns : namesOf(cols)
    const values = selectStmt === undefined ? [] : this.read(selectStmt, scope, isLast)
    const pinned = new Set(written.filter((_, index) => values[index]?.isPinned === true))
    const column = storeColumn(table, this.#tables)
    if (isLast && relation !== undefined && column !== undefined && !pinned.has(column)) {
      this.unpinned.set(relation, table)
    }
    for (const name of [relation?.alias?.aliasname ?? table, "excluded"]) {
      scope.relations.push({ name, columns, pinned, refresh: () => {} })
    }
    if (isLast) this.#reportWithin([onConflictClause, returningClause], scope)
    return this.#output(returningClause?.exprs, scope)
  }

  #with(clause: WithClause | undefined, scope: Scope, isLast: boolean) {
    for (const node of clause?.ctes ?? []) {
      if (!("CommonTableExpr" in node) || node.CommonTableExpr.ctequery === undefined) continue
      const { aliascolnames, ctename = "", ctequery } = node.CommonTableExpr
      const readAs = (query: Node, isFinal: boolean) =>
        scope.queries.set(ctename, renamed(this.read(query, scope, isFinal), namesOf(aliascolnames)))
      if (clause?.recursive === true && "SelectStmt" in ctequery && ctequery.SelectStmt.larg !== undefined) {
        // A recursive query has the pins that its first part and then its second part leave.
        readAs({ SelectStmt: ctequery.SelectStmt.larg }, false)
        readAs(ctequery, false)
      }
      readAs(ctequery, isLast)
    }
  }

  /** Reads FROM and WHERE until they pin no more columns. */
  #level(from: ReadonlyArray<Node>, where: Node | undefined, scope: Scope, isLast: boolean) {
    const conditions = from.flatMap((item) => this.#from(item, scope).conditions)
    const { relations } = scope
    if (where !== undefined) conditions.push({ node: where, targets: relations })
    const count = () => relations.reduce((sum, { pinned }) => sum + pinned.size, 0)
    for (let before = -1; before < count();) {
      before = count()
      for (const { refresh } of relations) refresh()
      for (const { node, targets } of conditions) {
        for (const [{ pinned }, column] of this.#pins(node, scope, targets)) pinned.add(column)
      }
    }
    if (!isLast) return
    for (const { pinned, table } of relations) {
      if (table !== undefined && !pinned.has(storeColumn(table.name, this.#tables) ?? "")) {
        this.unpinned.set(table.place, table.name)
      }
    }
    this.#reportWithin([from, where], scope)
  }

  /** Adds the relations of an item of a FROM clause to the scope. */
  #from(
    node: Node,
    scope: Scope
  ): { readonly relations: ReadonlyArray<Relation>; readonly conditions: Array<Condition> } {
    if ("JoinExpr" in node) return this.#join(node.JoinExpr, scope)
    const relation = this.#relation(node, scope)
    if (relation === undefined) return { relations: [], conditions: [] }
    scope.relations.push(relation)
    return { relations: [relation], conditions: [] }
  }

  #relation(node: Node, scope: Scope): Relation | undefined {
    if ("RangeFunction" in node) return this.#function(node.RangeFunction, scope)
    if ("RangeSubselect" in node) {
      const { alias, subquery } = node.RangeSubselect
      return subquery === undefined ? undefined : queryRelation("", () => this.read(subquery, scope, false), alias)
    }
    if (!("RangeVar" in node)) return undefined
    const { alias, relname = "" } = node.RangeVar
    const query = queryNamed(relname, scope)
    const columns = query ?? (this.#tables.get(relname) ?? []).map((name) => ({ name, isPinned: false }))
    const relation = queryRelation(relname, () => columns, alias)
    const isOfStore = query === undefined && storeColumn(relname, this.#tables) !== undefined
    return isOfStore ? { ...relation, table: { name: relname, place: node.RangeVar } } : relation
  }

  #function({ alias, coldeflist, functions = [] }: RangeFunction, scope: Scope): Relation {
    const calls = functions.flatMap((list) => partsOf(list).slice(0, 1))
    const name = alias?.aliasname ?? calls.map(nameOf)[0] ?? ""
    const names = [...namesOf(alias?.colnames), ...namesOf(coldeflist)]
    const pinned = new Set<string>()
    const refresh = () => {
      if (calls.every((call) => this.#isPinned(call, scope))) pinned.add(ALL)
    }
    return { name, columns: names.length === 0 ? [name] : names, pinned, refresh }
  }

  #join({ jointype, larg, quals, rarg, usingClause }: JoinExpr, scope: Scope) {
    const [left, right] = [larg, rarg].map((side) =>
      side === undefined ? { relations: [], conditions: [] } : this.#from(side, scope)
    )
    const [lefts, rights] = [left?.relations ?? [], right?.relations ?? []]
    const targets = [
      ...(jointype === "JOIN_INNER" || jointype === "JOIN_RIGHT" ? lefts : []),
      ...(jointype === "JOIN_INNER" || jointype === "JOIN_LEFT" ? rights : [])
    ]
    const equalities = namesOf(usingClause).flatMap((column) => {
      const [one, other] = [lefts, rights].map((side) => side.find(({ columns }) => columns.includes(column)))
      return one === undefined || other === undefined ? [] : [equality(one, other, column)]
    })
    const nodes = quals === undefined ? equalities : [quals]
    const own = nodes.map((node) => ({ node, targets }))
    return {
      relations: [...lefts, ...rights],
      conditions: [...(left?.conditions ?? []), ...(right?.conditions ?? []), ...own]
    }
  }

  /** True if parameters and pinned columns alone make the value. */
  #isPinned(node: Node, scope: Scope): boolean {
    if ("ColumnRef" in node) {
      const [relation, column] = resolve(node, scope) ?? []
      if (relation !== undefined && column !== undefined) return isPinnedIn(relation, column)
      return scope.relations.some(({ pinned }) => pinned.has(ALL))
    }
    if (!("SubLink" in node)) return partsOf(node).every((part) => this.#isPinned(part, scope))
    const { subselect } = node.SubLink
    return subselect !== undefined && this.read(subselect, scope, false)[0]?.isPinned === true
  }

  /** Columns of `targets` that are pinned where the condition is true. */
  #pins(node: Node, scope: Scope, targets: ReadonlyArray<Relation>): ReadonlyArray<Pin> {
    const pin = (left: Node | undefined, isRightPinned: boolean): ReadonlyArray<Pin> => {
      const found = left === undefined || !isRightPinned ? undefined : resolve(withoutCast(left), scope)
      return found !== undefined && targets.includes(found[0]) ? [found] : []
    }
    // `where false`: no row is read.
    if ("A_Const" in node && node.A_Const.boolval !== undefined && node.A_Const.boolval.boolval !== true) {
      return targets.flatMap((relation) => relation.columns.map((column): Pin => [relation, column]))
    }
    if ("BoolExpr" in node) {
      const arms = (node.BoolExpr.args ?? []).map((arm) => this.#pins(arm, scope, targets))
      if (node.BoolExpr.boolop === "AND_EXPR") return arms.flat()
      const [first = [], ...others] = node.BoolExpr.boolop === "OR_EXPR" ? arms : []
      return first.filter((one) =>
        others.every((arm) => arm.some((other) => one[0] === other[0] && one[1] === other[1]))
      )
    }
    if ("SubLink" in node) {
      const { operName, subLinkType, subselect, testexpr } = node.SubLink
      const isIn = subLinkType === "ANY_SUBLINK" && (operName === undefined || namesOf(operName).at(-1) === "=")
      if (!isIn || subselect === undefined || testexpr === undefined) return []
      const columns = this.read(subselect, scope, false)
      return valuesOf(testexpr).flatMap((value, index) => pin(value, columns[index]?.isPinned === true))
    }
    if (!("A_Expr" in node) || !isEquality(node.A_Expr)) return []
    const [lefts, rights] = [node.A_Expr.lexpr, node.A_Expr.rexpr].map((side) => side && valuesOf(side))
    return (lefts ?? []).flatMap((left, index) => {
      const right = rights?.[index]
      if (right === undefined) return []
      return [...pin(left, this.#isPinned(right, scope)), ...pin(right, this.#isPinned(left, scope))]
    })
  }

  #output(targets: ReadonlyArray<Node> = [], scope: Scope): ReadonlyArray<Column> {
    return targets.flatMap((target): ReadonlyArray<Column> => {
      if (!("ResTarget" in target) || target.ResTarget.val === undefined) return []
      const { name, val } = target.ResTarget
      if (!("ColumnRef" in val) || !val.ColumnRef.fields?.some((field) => "A_Star" in field)) {
        return [{ name: name ?? nameOf(val), isPinned: this.#isPinned(val, scope) }]
      }
      const [table] = namesOf(val.ColumnRef.fields)
      const chosen = scope.relations.filter((relation) => table === undefined || relation.name === table)
      return chosen.flatMap((relation) =>
        relation.columns.map((column) => ({ name: column, isPinned: isPinnedIn(relation, column) }))
      )
    })
  }

  /** Reports the tables of queries within expressions and FROM clauses. */
  #reportWithin(part: unknown, scope: Scope): void {
    for (const node of nodesIn(part)) {
      if ("RangeSubselect" in node) this.#reportQuery(node.RangeSubselect.subquery, scope)
      else if ("SubLink" in node) {
        this.#reportQuery(node.SubLink.subselect, scope)
        this.#reportWithin(node.SubLink.testexpr, scope)
      } else this.#reportWithin(partsOf(node), scope)
    }
  }

  #reportQuery(query: Node | undefined, scope: Scope) {
    if (query !== undefined) this.read(query, scope, true)
  }
}

await loadModule()

/** Tables of stores that a statement does not pin, once for each place that names them. */
export const unpinnedTables = (text: string, tables: Tables): ReadonlyArray<string> => {
  const reader = new Reader(tables)
  for (const { stmt } of parseSync(text).stmts ?? []) if (stmt !== undefined) reader.read(stmt, undefined, true)
  return [...reader.unpinned.values()]
}
