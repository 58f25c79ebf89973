import { Array, Effect, Layer, Stream } from "effect"
import { Stores } from "../../domain/access/Stores.ts"
import { Bulkhead, type StoreBusy } from "../../domain/Bulkhead.ts"
import { ChangeSets } from "../../domain/changeSets/ChangeSets.ts"
import type { ImportRow } from "../../domain/imports/ImportFile.ts"
import { ImportFiles, ReadFailed } from "../../domain/imports/ImportFiles.ts"
import { recognizeColumns } from "../../domain/imports/ColumnMapping.ts"
import { findPlatform } from "../../domain/imports/Platforms.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { Writes } from "../../domain/Write.ts"
import { openCsv, openText } from "./FileText.ts"
import { readJsonLines } from "./JsonLines.ts"
import { refusedCsv } from "./RefusedRows.ts"
import { readCsv, readRecords, readShopifyCsv } from "./ShopifyCsv.ts"

/** Maximum rows and characters that are stored together. */
const MAX_ROWS = 500
const MAX_CHARACTERS = 1024 * 1024

/** Maximum rows that are changed together. */
const MAX_CHANGES = 50

/** Number of records that show the content of the columns. */
const SHOWN_RECORDS = 3

/** Collects rows as JSON, up to a number and a size. */
const toParts = <E>(rows: Stream.Stream<ImportRow, E>): Stream.Stream<ReadonlyArray<JsonText>, E> =>
  Stream.mapAccum(
    rows,
    () => ({ part: new globalThis.Array<JsonText>(), size: 0 }),
    (before, row) => {
      const json = JSON.stringify(row)
      before.part.push(json)
      const { part } = before
      const size = before.size + json.length
      return part.length >= MAX_ROWS || size >= MAX_CHARACTERS ? [{ part: [], size: 0 }, [part]] : [{ part, size }, []]
    },
    { onHalt: ({ part }) => (part.length === 0 ? [] : [part]) }
  )

export const ImportFilesLive = Layer.effect(
  ImportFiles,
  Effect.gen(function* () {
    const sets = yield* ChangeSets
    const stores = yield* Stores
    const { perform } = yield* Writes
    const { withPermit } = yield* Bulkhead

    return ImportFiles.of({
      start: Effect.fn("ImportFiles.start")(function* (context, settings, bytes, observer) {
        const { storeId } = context
        const {
          copyImages,
          encoding,
          format,
          isSilent,
          kind,
          mapping,
          maxRows = Infinity,
          origin,
          replaceVariants = false
        } = settings
        const images = copyImages === true && origin !== undefined ? { imageOrigin: origin } : {}
        const { currencyCode, weightUnit } = yield* stores.get(storeId)
        const id = yield* sets.begin(storeId)
        const operation = { storeId, name: "import", weight: "usual", bytes: 0 } as const
        const receive = Effect.gen(function* () {
          const read = Effect.gen(function* () {
            const others = { changes: () => [], columns: null }
            if (format === "jsonl") return { ...others, rows: readJsonLines((yield* openText(bytes, encoding)).bytes) }
            const file = yield* openCsv(bytes, settings)
            observer?.onLayout(file.layout)
            return format === "shopify"
              ? yield* readShopifyCsv(file, { mapping, currencyCode })
              : { ...others, rows: yield* readCsv(file, kind) }
          })
          const { changes, columns, rows } = yield* read
          let count = 0
          yield* Stream.runForEach(toParts(rows), (part): Effect.Effect<void, ReadFailed | StoreBusy> => {
            const first = count
            count += part.length
            if (count > maxRows) {
              return new ReadFailed({ reason: `it has more than ${maxRows} rows; split it, or use the import command` })
            }
            observer?.onRows(count)
            return withPermit(operation, sets.stage(storeId, id, first, part), () => 0)
          })
          yield* Effect.forEach(
            Array.chunksOf(changes(), MAX_CHANGES),
            (some) => withPermit(operation, sets.restage(storeId, id, some), () => 0),
            { discard: true }
          )
          return yield* withPermit(
            operation,
            perform(
              { ...context, mode: "perform" },
              sets.import(context, id, { kind, columns, replaceVariants, weightUnit, isSilent, ...images }, count)
            ),
            () => 0
          )
        })
        return yield* Effect.ensuring(receive, sets.discard(storeId, id))
      }, Effect.scoped),

      columns: Effect.fn("ImportFiles.columns")(function* (bytes, settings) {
        const file = yield* openCsv(bytes, settings)
        const records = yield* Stream.runCollect(Stream.take(readRecords(file.bytes, file.options), SHOWN_RECORDS + 1))
        const [header, ...rest] = Array.fromIterable(records).map(({ cells }) => cells)
        if (header === undefined) {
          return yield* new ReadFailed({ reason: "it is empty; the first line must name the columns" })
        }
        return {
          ...file.layout,
          platform: findPlatform(header) ?? null,
          columns: recognizeColumns(header),
          records: rest
        }
      }, Effect.scoped),

      refused: (settings, bytes, reasons) =>
        Stream.unwrap(Effect.flatMap(openCsv(bytes, settings), (file) => refusedCsv(file, settings, reasons)))
    })
  })
)
