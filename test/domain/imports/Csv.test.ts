import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { parse } from "csv-parse/sync"
import { columnsProblem, CSV_HEADERS, csvRow, findCsvKind, jsonOfRow } from "../../../src/domain/imports/Csv.ts"
import { DataKind } from "../../../src/domain/imports/DataKind.ts"

const rowsIn = Schema.decodeUnknownSync(Schema.Array(Schema.Array(Schema.String)))
const fromJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const written = (row: object) => {
  const text = `${CSV_HEADERS.products}${csvRow("products", JSON.stringify(row))}`
  const [names = [], cells = []] = rowsIn(parse(text, { bom: true }))
  return { names, cells, cell: (name: string) => cells[names.indexOf(name)] }
}

describe("CSV of the API's fields", () => {
  for (const name of [
    "",
    '""',
    "'",
    "'tis",
    "=1+1",
    "'=1+1",
    "''=1+1",
    "+1",
    "-1",
    "@a",
    "\ta",
    "a,b",
    'a "b"',
    "a\r\nb",
    " a ",
    "null",
    "true",
    "12"
  ]) {
    it(`the text ${JSON.stringify(name)} is read as it was written`, () => {
      const { cell, cells, names } = written({ externalId: "1", name })
      assert.deepInclude(fromJson(jsonOfRow("products", names, cells)), { externalId: "1", name })
      assert.notMatch(String(cell("name")), /^[=+\-@\t\r]/)
    })
  }

  it("values other than texts are JSON, and null is an empty cell", () => {
    const row = {
      externalId: "1",
      price: 12.5,
      isActive: true,
      tags: ["a", '"b,"'],
      variants: [],
      sku: null,
      weight: 0
    }
    const { cell, cells, names } = written(row)
    assert.deepStrictEqual(["price", "isActive", "variants", "sku"].map(cell), ["12.5", "true", "[]", ""])
    assert.deepInclude(fromJson(jsonOfRow("products", names, cells)), row)
  })

  it("a missing column and a missing cell leave their fields out, and booleans of spreadsheets are read", () => {
    const names = ["externalId", "isActive", "price", "name", "slug"]
    assert.strictEqual(
      jsonOfRow("products", names, ["1", "TRUE", "cheap", ""]),
      '{"externalId":"1","isActive":true,"price":"cheap","name":null}'
    )
  })

  it("an empty cell of productIds leaves the products of a collection as they are", () => {
    assert.strictEqual(jsonOfRow("collections", ["externalId", "productIds"], ["1", ""]), '{"externalId":"1"}')
  })

  it("the columns tell the kind of a file, and unusable ones are refused", () => {
    for (const kind of DataKind.literals) {
      const names = CSV_HEADERS[kind].slice(1).trim().split(",")
      assert.deepStrictEqual(findCsvKind(names), Option.some(kind))
      assert.isUndefined(columnsProblem(kind, names))
    }
    assert.deepStrictEqual(findCsvKind(["Handle", "Title"]), Option.none())
    assert.match(String(columnsProblem("products", ["name"])), /no column externalId/)
    assert.match(String(columnsProblem("products", ["externalId", "name", "name"])), /column name twice/)
    assert.match(
      String(columnsProblem("products", ["externalId", "Handle"])),
      /none of its columns is a field of products/
    )
  })
})
