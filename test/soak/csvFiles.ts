import { Effect, Result, Schema, Struct } from "effect"
import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { canonical } from "../../src/domain/json/Json.ts"
import { createDatabase } from "../bench/database.ts"
import { SECRET_KEY } from "../support/SecretKey.ts"
import { LOGS } from "./processes.ts"
import { makeInvariants, printLine } from "./report.ts"

const CLI = fileURLToPath(new URL("cli.js", import.meta.url))

const run = promisify(execFile)

const CreatedStore = Schema.fromJsonString(Schema.Struct({ storeId: Schema.String }))
const Counts = Schema.fromJsonString(
  Schema.Struct({ created: Schema.Int, updated: Schema.Int, unchanged: Schema.Int, refused: Schema.Int })
)
const Failure = Schema.Struct({ stderr: Schema.String })
const Exported = Schema.StructWithRest(
  Schema.Struct({
    externalId: Schema.String,
    id: Schema.String,
    version: Schema.Int,
    createdAt: Schema.String,
    updatedAt: Schema.String,
    variants: Schema.Array(
      Schema.StructWithRest(Schema.Struct({ id: Schema.String }), [Schema.Record(Schema.String, Schema.Unknown)])
    )
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
const decodeExported = Schema.decodeUnknownSync(Exported)

/** Runs the CLI on a database. Fails with its error line. */
const makeCli =
  (url: string) =>
  (...args: ReadonlyArray<string>) =>
    Effect.tryPromise({
      try: () =>
        run(process.execPath, [CLI, ...args], {
          env: { PATH: process.env["PATH"], DATABASE_URL: url, SECRET_KEY },
          maxBuffer: 2 ** 28
        }),
      catch: (thrown) => (Schema.is(Failure)(thrown) ? thrown.stderr.trim() : String(thrown))
    }).pipe(Effect.map(({ stdout }) => stdout))

/** Returns the exported products by external id, without the ids and times that each store assigns. */
const productsIn = (lines: string) =>
  new Map(
    lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const product = decodeExported(JSON.parse(line))
        const variants = product.variants.map(Struct.omit(["id"]))
        const fields = Struct.omit(product, ["id", "version", "createdAt", "updatedAt"])
        return [product.externalId, canonical({ ...fields, variants })] as const
      })
  )

/** Counts the refused rows by reason, most frequent first. Values in quotes are left out. */
const reasonsIn = (file: string) => {
  const reasons = new Map<string, number>()
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const [, reason = ""] = /"reason":"(.*)"\}$/.exec(line) ?? []
    const kind = reason.replaceAll(/not \\".*?\\"/g, "not …").replaceAll(/\d+/g, "n")
    if (kind !== "") reasons.set(kind, (reasons.get(kind) ?? 0) + 1)
  }
  return [...reasons].toSorted(([, a], [, b]) => b - a).map(([reason, count]) => `    ${count} × ${reason}`)
}

/**
 * Imports each CSV file of a folder twice, exports it, imports the export into a second store and compares both stores.
 * Files that are no product exports are refused as a whole, which is reported.
 */
export const csvFiles = (server: string, folder: string) =>
  Effect.gen(function* () {
    const invariants = makeInvariants("csv")
    const cli = makeCli(yield* createDatabase(server, "csv"))
    yield* cli("migrate")
    mkdirSync(LOGS, { recursive: true })
    const makeStore = cli("stores", "create", "--name", "CSV", "--plan", "scale", "--currency", "EUR", "--json").pipe(
      Effect.flatMap(Schema.decodeEffect(CreatedStore)),
      Effect.map(({ storeId }) => storeId)
    )
    const files = readdirSync(folder).filter((file) => file.toLowerCase().endsWith(".csv"))
    let refusedFiles = 0
    for (const name of files.toSorted()) {
      const refusedFile = join(LOGS, `${basename(name)}.refused.jsonl`)
      rmSync(refusedFile, { force: true })
      const bring = (storeId: string, ...args: ReadonlyArray<string>) =>
        Effect.flatMap(
          cli("import", "products", "--store", storeId, "--refused", refusedFile, "--json", ...args),
          Schema.decodeEffect(Counts)
        )
      const importCsv = (storeId: string) => bring(storeId, "--file", resolve(folder, name), "--format", "shopify")
      const [one, two] = [yield* makeStore, yield* makeStore]
      const first = yield* Effect.result(importCsv(one))
      if (Result.isFailure(first)) {
        refusedFiles += 1
        yield* printLine(`${name}: ${String(first.failure)}`)
        continue
      }
      const { created, refused } = first.success
      yield* printLine(`${name}: ${created} products, ${refused} refused`)
      if (refused > 0) yield* printLine(reasonsIn(refusedFile).slice(0, 10).join("\n"))
      const second = yield* importCsv(one)
      invariants.none(`${name}: changed by a second run`, second.created + second.updated)
      const exported = join(LOGS, `${basename(name)}.jsonl`)
      yield* cli("export", "products", "--store", one, "--file", exported, "--json")
      const copied = yield* bring(two, "--file", exported)
      invariants.none(`${name}: refused from its export`, copied.refused)
      const original = productsIn(readFileSync(exported, "utf8"))
      const copy = productsIn(yield* cli("export", "products", "--store", two))
      invariants.none(
        `${name}: different in the second store`,
        [...original].filter(([id, product]) => copy.get(id) !== product).map(([id]) => id)
      )
      invariants.none(`${name}: more or fewer products in the second store`, Math.abs(copy.size - created))
    }
    invariants.fact("files", String(files.length))
    invariants.fact("files refused as a whole", String(refusedFiles))
    return invariants.all
  }).pipe(Effect.orDie)
