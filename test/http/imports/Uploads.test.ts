import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { gzipSync } from "node:zlib"
import { ChangeSet } from "../../../src/domain/changeSets/ChangeSet.ts"
import { FileColumns } from "../../../src/domain/imports/ImportFiles.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { baseUrl } from "../../support/http/Api.ts"
import { JobsTest, waitForState } from "../../support/http/ChangeSets.ts"
import { sendAndLeave } from "../../support/http/RawHttp.ts"
import { waitUntil } from "../../support/process/Process.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"

const CSV = [
  "Produktname,Handle,Variant Price,Intern",
  "Cup,cup,12.50,a",
  "Plate,plate,cheap,b",
  "Bowl,bowl,20,c"
].join("\n")

const SQUARESPACE =
  "Product URL,Title,SKU,Price,Sale Price,On Sale,Visible,Hosted Image URLs\nend,End,E-1,38,0,No,No,\n"

const SHOPIFY = { kind: "products", format: "shopify", mapping: { Produktname: "title", Intern: null } }
const JSON_LINES = { kind: "products", format: "jsonl" }

const decodeSet = Schema.decodeUnknownSync(Schema.Struct({ data: ChangeSet }))
const decodeColumns = Schema.decodeUnknownSync(Schema.Struct({ data: FileColumns }))

const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le")

/** Sends a file, as the dashboard does. */
const sendTo = Effect.fnUntraced(function* (
  path: string,
  cookie: string,
  query: unknown,
  file: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {}
) {
  const base = yield* baseUrl
  return yield* Effect.promise(async () => {
    const response = await fetch(`${base}/rpc/${path}?import=${encodeURIComponent(JSON.stringify(query))}`, {
      method: "POST",
      headers: { cookie, "content-type": "application/octet-stream", ...headers },
      body: file
    })
    const text = await response.text()
    return { status: response.status, text, json: JSON.parse(text) }
  })
})

/** A member with a store, who sends files to it. */
const scene = Effect.gen(function* () {
  const member = yield* freshMember()
  const { client, cookie, storeId } = member
  const send = (
    settings: object,
    file: string | Uint8Array<ArrayBuffer>,
    { dryRun = false, ...headers }: { readonly dryRun?: boolean; readonly [name: string]: string | boolean } = {}
  ) =>
    sendTo(
      "imports",
      cookie,
      { storeId, dryRun, settings },
      file,
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    )
  const imported = Effect.fnUntraced(function* (...sent: Parameters<typeof send>) {
    const answer = yield* send(...sent)
    assert.strictEqual(answer.status, 201, answer.text)
    const { id } = decodeSet(answer.json).data
    yield* waitForState(id, "applied", "canceled", "failed")
    return yield* client.changeSets.get({ storeId, id })
  })
  const names = Effect.map(client.products.list({ storeId }), ({ items }) => items.map(({ name }) => name).toSorted())
  return { ...member, send, imported, names }
})

layer(JobsTest, { excludeTestServices: true, timeout: "60 seconds" })("Files of members", (it) => {
  it.effect("a dry run counts rows and names refused ones, an import writes them, and an undo deletes them", () =>
    Effect.gen(function* () {
      const { client, imported, names, storeId } = yield* scene
      const checked = yield* imported(SHOPIFY, CSV, { dryRun: true })
      assert.deepStrictEqual(
        { state: checked.state, ...checked.import, refused: checked.counts.refused },
        { state: "canceled", kind: "products", created: 2, updated: 0, refused: 1 }
      )
      const { items } = yield* client.changeSets.results({ storeId, id: checked.id, outcome: "refused" })
      assert.deepStrictEqual(
        items.map(({ externalId, line }) => [line, externalId]),
        [[3, "plate"]]
      )
      assert.match(items[0]?.error ?? "", /Variant Price: must be a number/i)
      assert.deepStrictEqual(yield* names, [])

      const applied = yield* imported(SHOPIFY, gzipSync(CSV), { "content-encoding": "gzip" })
      assert.strictEqual(applied.state, "applied")
      assert.deepStrictEqual(yield* names, ["Bowl", "Cup"])
      const products = yield* client.products.list({ storeId })
      assert.deepStrictEqual(
        products.items.flatMap(({ customFields }) => customFields),
        []
      )

      const undo = yield* client.changeSets.undo({ storeId, idempotencyKey: newKey(), id: applied.id })
      yield* waitForState(undo.id, "ready")
      yield* performed(client.changeSets.apply({ storeId, idempotencyKey: newKey(), id: undo.id }))
      yield* waitForState(undo.id, "applied")
      assert.deepStrictEqual(yield* names, [])
    })
  )

  it.effect("a file that cannot be read to its end imports nothing", () =>
    Effect.gen(function* () {
      const { client, names, send, storeId } = yield* scene
      const broken: ReadonlyArray<readonly [object, string | Uint8Array<ArrayBuffer>, RegExp, object?]> = [
        [SHOPIFY, `${CSV}\nPot,pot,"1`, /could not be read.*Nothing was imported/],
        [SHOPIFY, new Uint8Array([...Buffer.from(CSV), 0x0a, 0xff]), /line 5 is not valid UTF-8/],
        [SHOPIFY, "Name,Price\nCup,1\n", /no column Handle/],
        [{ ...SHOPIFY, mapping: {} }, SQUARESPACE, /product file of Squarespace, not of Shopify; map each/],
        [JSON_LINES, "no gzip", /not valid gzip/, { "content-encoding": "gzip" }],
        [{ kind: "orders", format: "shopify" }, CSV, /CSV files of Shopify have products only/]
      ]
      for (const [settings, file, expected, headers] of broken) {
        const { status, text } = yield* send(settings, file, { ...headers })
        assert.strictEqual(status, 400, text)
        assert.match(text, expected)
      }
      assert.deepStrictEqual((yield* client.changeSets.list({ storeId })).items, [])
      assert.deepStrictEqual(yield* names, [])
    })
  )

  it.effect("a file of more than 64 MiB is refused with 413, also after decompression", () =>
    Effect.gen(function* () {
      const { client, send, storeId } = yield* scene
      const large = Buffer.alloc(64 * 1024 * 1024 + 1, "x")
      assert.strictEqual((yield* send(JSON_LINES, large)).status, 413)
      const packed = yield* send(JSON_LINES, gzipSync(large), { "content-encoding": "gzip" })
      assert.strictEqual(packed.status, 413)
      assert.match(packed.text, /at most 64 MiB; split it/)
      assert.deepStrictEqual((yield* client.changeSets.list({ storeId })).items, [])
    })
  )

  it.effect("a small gzip of millions of empty lines or rows is refused within 10 s", () =>
    Effect.gen(function* () {
      const { client, imported, send, storeId } = yield* scene
      const packed = { "content-encoding": "gzip" }
      const empty = gzipSync(Buffer.concat([Buffer.from(`${CSV}\n`), Buffer.alloc(20 * 1024 * 1024, "\n")]))
      const refused = yield* send(SHOPIFY, empty, packed)
      assert.strictEqual(refused.status, 400)
      assert.match(refused.text, /more than 1048576 rows without any value; delete them/)
      // Lines of JSON that are empty are no rows.
      const { counts, state } = yield* imported(JSON_LINES, gzipSync(Buffer.alloc(20 * 1024 * 1024, " \n")), packed)
      assert.deepStrictEqual({ state, refused: counts.refused }, { state: "applied", refused: 0 })
      assert.lengthOf((yield* client.changeSets.list({ storeId })).items, 1)
    }).pipe(Effect.timeout("10 seconds"))
  )

  it.effect("an upload whose client leaves ends at once and leaves nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, cookie, storeId } = yield* scene
      const rows = 60_000
      const query = { storeId, dryRun: false, settings: JSON_LINES }
      const leave = yield* sendAndLeave(
        `${yield* baseUrl}/rpc/imports?import=${encodeURIComponent(JSON.stringify(query))}`,
        cookie,
        Array.from({ length: rows }, (_, n) => JSON.stringify({ externalId: `cup-${n}`, name: "Cup" })).join("\n")
      )
      let stored = 0
      const look = Effect.map(
        sql<{ readonly stored: number; readonly uploads: number }>`
          select count(*)::integer as stored,
            (select count(*)::integer from change_set_uploads where store_id = ${storeId}) as uploads
          from change_set_operations where store_id = ${storeId}
        `,
        ([row]) => {
          stored = Math.max(stored, row?.stored ?? 0)
          return row
        }
      )
      yield* waitUntil(look, () => stored > 0)
      leave()
      yield* waitUntil(look, (row) => row?.uploads === 0)
      assert.isBelow(stored, rows / 2)
      assert.deepStrictEqual(yield* look, { stored: 0, uploads: 0 })
      assert.deepStrictEqual((yield* client.changeSets.list({ storeId })).items, [])
    })
  )

  it.effect("another origin, another type, a visitor and a member of another store are refused", () =>
    Effect.gen(function* () {
      const { cookie, names, send, storeId } = yield* scene
      const stranger = yield* freshMember()
      const line = `${JSON.stringify({ externalId: "cup", name: "Cup" })}\n`
      assert.strictEqual((yield* send(JSON_LINES, line, { origin: "https://evil.example" })).status, 403)
      assert.strictEqual((yield* send(JSON_LINES, line, { "sec-fetch-site": "same-site" })).status, 403)
      assert.strictEqual((yield* send(JSON_LINES, line, { "content-type": "text/plain" })).status, 400)
      const query = { storeId, settings: JSON_LINES }
      assert.strictEqual((yield* sendTo("imports", "", query, line)).status, 401)
      assert.strictEqual((yield* sendTo("imports", stranger.cookie, query, line)).status, 404)
      const unknown = yield* sendTo("imports", cookie, { ...query, colour: "red" }, line)
      assert.match(unknown.text, /colour/)
      assert.deepStrictEqual(yield* names, [])
    })
  )

  it.effect("an import of another store is not found", () =>
    Effect.gen(function* () {
      const { imported, storeId } = yield* scene
      const stranger = yield* freshMember()
      const { id } = yield* imported(JSON_LINES, `${JSON.stringify({ externalId: "cup", name: "Cup" })}\n`)
      const { changeSets } = stranger.client
      assert.strictEqual((yield* Effect.flip(changeSets.get({ storeId, id })))._tag, "StoreNotFound")
      const own = yield* Effect.flip(changeSets.get({ storeId: stranger.storeId, id }))
      assert.strictEqual(own._tag, "ChangeSetNotFound")
    })
  )

  it.effect("the columns of a CSV have the fields of their names, and the first records", () =>
    Effect.gen(function* () {
      const { cookie } = yield* scene
      const { json } = yield* sendTo("imports/columns", cookie, {}, CSV)
      assert.deepStrictEqual(decodeColumns(json).data, {
        delimiter: "comma",
        decimal: "point",
        platform: null,
        columns: [
          { name: "Produktname", field: null, ignored: false },
          { name: "Handle", field: "handle", ignored: false },
          { name: "Variant Price", field: "price", ignored: false },
          { name: "Intern", field: null, ignored: false }
        ],
        records: [
          ["Cup", "cup", "12.50", "a"],
          ["Plate", "plate", "cheap", "b"],
          ["Bowl", "bowl", "20", "c"]
        ]
      })
      const foreign = decodeColumns((yield* sendTo("imports/columns", cookie, {}, SQUARESPACE)).json).data
      assert.strictEqual(foreign.platform, "Squarespace")
      assert.deepStrictEqual([...new Set(foreign.columns.map(({ field }) => field))], [null])
      const windows = Buffer.from("Größe,Title\n1,Cup\n", "latin1")
      const read = yield* sendTo("imports/columns", cookie, { encoding: "windows-1252" }, windows)
      assert.strictEqual(decodeColumns(read.json).data.columns[0]?.name, "Größe")
    })
  )

  it.effect("the delimiter, decimal sign and UTF-16 of a spreadsheet are detected from its first records", () =>
    Effect.gen(function* () {
      const { cookie } = yield* scene
      const files: ReadonlyArray<
        readonly [FileColumns["delimiter"], FileColumns["decimal"], string | Uint8Array<ArrayBuffer>, object?]
      > = [
        ["semicolon", "comma", "\uFEFFsep=;\r\nHandle;Title;Price\r\na;A;12,50\r\n"],
        ["semicolon", "comma", "Handle;Title;Price\na;1.5;€ 1.299,50\n"],
        ["semicolon", null, "Handle;Title;Price\na;1.5;1.234\n"],
        ["semicolon", null, "Handle;Title;Price\na;A;12,50\na;A;12.50\n"],
        ["semicolon", "comma", "Handle;Titel;Preis\na;A;12,50\n"],
        ["semicolon", null, "Handle;Titel;Preis\na;1,5;12\n", { mapping: { Preis: "price" } }],
        ["tab", "point", utf16("Handle\tTitle, Size\tPrice\r\na\tA\t5.75\r\n").swap16()],
        ["tab", "comma", utf16("Handle\tTitle\tPrice\r\na\tA\t1\u202F291,00\r\n")],
        ["comma", "point", "Handle,Title,Price\ra,A,5\r"],
        ["comma", "point", "Handle,Title;x;y;z,Price\r\na,A,5\n"],
        ["tab", null, "Handle,Title,Price\na,A,5\n", { delimiter: "tab" }]
      ]
      for (const [delimiter, decimal, csv, settings = {}] of files) {
        const { json, text } = yield* sendTo("imports/columns", cookie, settings, csv)
        assert.deepInclude(decodeColumns(json).data, { delimiter, decimal }, text)
      }
    })
  )
})
