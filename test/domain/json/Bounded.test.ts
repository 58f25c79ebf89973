import { assert, describe, it } from "@effect/vitest"
import { Schema, type SchemaAST } from "effect"
import { JsonValue } from "../../../src/domain/catalog/Fields.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { PutCollection } from "../../../src/domain/imports/Collection.ts"
import { PutCustomer } from "../../../src/domain/records/Customer.ts"
import { PutOrder } from "../../../src/domain/records/Order.ts"
import { PartnerApi } from "../../../src/http/api/PartnerApi.ts"
import { Rpcs } from "../../../src/rpc/Rpcs.ts"

const cannotFail = (ast: SchemaAST.AST) => ast === JsonValue.ast || ast._tag === "Unknown"

/** Paths of unbounded lists and records of which a schema collects all issues. */
const unboundedIn = (ast: SchemaAST.AST, path: string, seen = new Set<SchemaAST.AST>()): ReadonlyArray<string> => {
  if (seen.has(ast)) return []
  seen.add(ast)
  const inside = (inner: SchemaAST.AST, name = "") => unboundedIn(inner, name === "" ? path : `${path}.${name}`, seen)
  if (ast.encoding !== undefined) return ast.encoding.flatMap(({ to }) => inside(to))
  switch (ast._tag) {
    case "Declaration":
      return ast.typeParameters.flatMap((parameter) => inside(parameter))
    case "Suspend":
      return inside(ast.thunk())
    case "Union":
      return ast.types.flatMap((choice) => inside(choice))
    case "Arrays":
      return [...(ast.rest.length > 0 ? [path] : []), ...ast.elements.flatMap((element) => inside(element))]
    case "Objects": {
      const failing = ast.indexSignatures.filter(({ type }) => !cannotFail(type))
      const members = ast.propertySignatures.flatMap(({ name, type }) => inside(type, String(name)))
      return [...(failing.length > 0 ? [path] : []), ...members]
    }
    default:
      return []
  }
}

describe("Request schemas", () => {
  const inputs: Array<readonly [name: string, schema: Schema.Top]> = [
    ["import of a product", CreateProduct],
    ["import of a collection", PutCollection],
    ["import of an order", PutOrder],
    ["import of a customer", PutCustomer]
  ]
  for (const [tag, { payloadSchema }] of Rpcs.requests) inputs.push([tag, payloadSchema])
  for (const { endpoints } of Object.values(PartnerApi.groups)) {
    for (const { identifier, payload, query } of Object.values(endpoints)) {
      for (const { schemas } of payload.values()) for (const schema of schemas) inputs.push([identifier, schema])
      if (query !== undefined) inputs.push([identifier, query])
    }
  }

  it("no request schema collects all issues of an unbounded list or record", () => {
    assert.isAbove(inputs.length, 60)
    assert.deepStrictEqual(
      inputs.flatMap(([name, { ast }]) => unboundedIn(ast, name)),
      []
    )
    assert.deepStrictEqual(unboundedIn(Schema.Struct({ a: Schema.Array(Schema.Int) }).ast, "x"), ["x.a"])
  })
})
