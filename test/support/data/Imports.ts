import { Effect, Result, Schema } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { decodeImportedProduct } from "../../../src/domain/imports/Product.ts"
import { ExternalId } from "../../../src/domain/imports/Put.ts"
import { jsonOutput, createStore } from "../process/Cli.ts"
import { temporaryFolder, makeMigratedDatabase, rowsOf } from "../process/Process.ts"

/** A row of an import: the fields of a product and its external id. */
export const importItem = (externalId: string, fields: object) => ({
  externalId: ExternalId.make(externalId),
  input: Result.getOrThrow(decodeImportedProduct({ ...fields }, false))
})

/** Output of an import. */
export const Imported = Schema.Struct({
  storeId: Schema.String.check(Schema.isUUID()),
  dryRun: Schema.Boolean,
  created: Schema.Int,
  updated: Schema.Int,
  unchanged: Schema.Int,
  refused: Schema.Int,
  refusedFile: Schema.optional(Schema.String),
  refusedCsv: Schema.optional(Schema.String),
  delimiter: Schema.optional(Schema.String),
  decimal: Schema.optional(Schema.NullOr(Schema.String)),
  changeSetId: Schema.String.check(Schema.isUUID())
})

/** Counts of an import in the order of its output. */
export const countsOf = ({ created, refused, unchanged, updated }: typeof Imported.Type) => [
  created,
  updated,
  unchanged,
  refused
]

export const linesIn = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line))

/** A store on a database of its own, and a folder for its files. */
export const importScene = Effect.fn(function* (plan = "scale") {
  const { client, url } = yield* makeMigratedDatabase
  const { storeId } = yield* createStore(url, plan)
  const path = yield* temporaryFolder
  return {
    url,
    client,
    storeId,
    /** Writes a file of JSON Lines. Text rows are written unchanged. */
    fileOf: (name: string, rows: ReadonlyArray<unknown>) => {
      const file = join(path, name)
      writeFileSync(file, rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join(""))
      return file
    },
    /** Imports a file and returns its output. */
    bring: (kind: string, file: string, ...args: ReadonlyArray<string>) =>
      jsonOutput(Imported, url, "import", kind, "--store", storeId, "--file", file, ...args),
    /** Contents of all tables that an import writes to, except the store's clock. */
    books: rowsOf(
      client,
      `select 'store' as what, (to_jsonb(s) - 'id_clock')::text as row from stores s
       union all select 'product', to_jsonb(p)::text from products p
       union all select 'keys', to_jsonb(k)::text from product_keys k
       union all select 'collection', to_jsonb(c)::text from collections c
       union all select 'member', to_jsonb(m)::text from collection_members m
       union all select 'order', to_jsonb(o)::text from orders o
       union all select 'customer', to_jsonb(c)::text from customers c
       union all select 'name', to_jsonb(x)::text from external_ids x
       union all select 'journal', to_jsonb(j)::text from journal j
       union all select 'event', to_jsonb(e)::text from events e
       union all select 'delivery', to_jsonb(d)::text from deliveries d
       order by 1, 2`
    )
  }
})

/** A store into which CSV texts are imported. */
export const csvScene = Effect.gen(function* () {
  const scene = yield* importScene()
  const folder = yield* temporaryFolder
  let files = 0
  const save = (csv: string | Buffer) => {
    const file = join(folder, `${(files += 1)}.csv`)
    writeFileSync(file, csv)
    return file
  }
  return {
    ...scene,
    save,
    /** Imports a text and returns the counts of created, updated, unchanged and refused products. */
    importCsv: (csv: string | Buffer, ...args: ReadonlyArray<string>) =>
      Effect.map(scene.bring("products", save(csv), "--format", "shopify", ...args), countsOf),
    refusals: () => linesIn(join(folder, `${files}.csv.refused.jsonl`)),
    products: Effect.map(rowsOf(scene.client, "select document from products order by id"), (rows) =>
      rows.map(({ document }) => document)
    ),
    setWeightUnit: (unit: string) => rowsOf(scene.client, `update stores set weight_unit = '${unit}' returning 1`)
  }
})

/** Joins the lines of a file. */
export const linesOf = (...lines: ReadonlyArray<string>) => `${lines.join("\n")}\n`

/** Values of the given members, of each variant. */
export const pick = (value: unknown, ...members: ReadonlyArray<string>): unknown =>
  Array.isArray(value)
    ? value.map((item) => pick(item, ...members))
    : Object.fromEntries(members.map((member) => [member, Reflect.get(Object(value), member)]))
