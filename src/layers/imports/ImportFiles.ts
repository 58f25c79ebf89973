import { Array, Effect, Layer, Stream } from "effect"
import { Stores } from "../../domain/access/Stores.ts"
import { Bulkhead, type StoreBusy } from "../../domain/Bulkhead.ts"
import { ChangeSets } from "../../domain/changeSets/ChangeSets.ts"
import type { ImportRow } from "../../domain/imports/ImportFile.ts"
import { ImportFiles, ReadFailed, UTF_8 } from "../../domain/imports/ImportFiles.ts"
import { recognizeColumns } from "../../domain/imports/ColumnMapping.ts"
import { findPlatform } from "../../domain/imports/Platforms.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { Writes } from "../../domain/Write.ts"
import { readJsonLines } from "./JsonLines.ts"
import { readCsv, readRecords, readShopifyCsv } from "./ShopifyCsv.ts"

/** Maximum rows and characters that are stored together. */
const MAX_ROWS = 500
const MAX_CHARACTERS = 1024 * 1024

/** Maximum rows that are changed together. */
const MAX_CHANGES = 50

/** Number of records that show the content of the columns. */
const SHOWN_RECORDS = 3

/** Converts bytes of another encoding to UTF-8. Fails instead of replacing invalid bytes, as `Stream.decodeText` does. */
const toUtf8 = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  encoding: string
): Stream.Stream<Uint8Array, E | ReadFailed> => {
  if (encoding === UTF_8) return bytes
  return Stream.suspend(() => {
    const decoder = new TextDecoder(encoding, { fatal: true })
    const decode = (chunk?: Uint8Array) =>
      Effect.try({
        try: () => decoder.decode(chunk, { stream: chunk !== undefined }),
        catch: () => new ReadFailed({ reason: `it is not valid ${encoding}; give the encoding in which it was saved` })
      })
    const texts = Stream.mapEffect(bytes, (chunk) => decode(chunk))
    return Stream.encodeText(Stream.concat(texts, Stream.fromEffect(Effect.suspend(decode))))
  })
}

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
      start: Effect.fn("ImportFiles.start")(function* (context, settings, bytes, onRows) {
        const { storeId } = context
        const {
          copyImages,
          encoding = UTF_8,
          format,
          isSilent,
          kind,
          mapping,
          maxRows = Infinity,
          origin,
          replaceVariants = false
        } = settings
        const images = copyImages === true && origin !== undefined ? { imageOrigin: origin } : {}
        const { weightUnit } = yield* stores.get(storeId)
        const id = yield* sets.begin(storeId)
        const operation = { storeId, name: "import", weight: "usual", bytes: 0 } as const
        const receive = Effect.gen(function* () {
          const text = toUtf8(bytes, encoding)
          const { changes, columns, rows } =
            format === "shopify"
              ? yield* readShopifyCsv(text, mapping)
              : {
                  changes: () => [],
                  columns: null,
                  rows: format === "csv" ? yield* readCsv(text, kind) : readJsonLines(text)
                }
          let count = 0
          yield* Stream.runForEach(toParts(rows), (part): Effect.Effect<void, ReadFailed | StoreBusy> => {
            const first = count
            count += part.length
            if (count > maxRows) {
              return new ReadFailed({ reason: `it has more than ${maxRows} rows; split it, or use the import command` })
            }
            onRows?.(count)
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

      columns: Effect.fn("ImportFiles.columns")(function* (bytes, encoding = UTF_8) {
        const records = yield* Stream.runCollect(Stream.take(readRecords(toUtf8(bytes, encoding)), SHOWN_RECORDS + 1))
        const [header, ...rest] = Array.fromIterable(records).map(({ cells }) => cells)
        if (header === undefined) {
          return yield* new ReadFailed({ reason: "it is empty; the first line must name the columns" })
        }
        return {
          platform: findPlatform(header) ?? null,
          columns: recognizeColumns(header),
          records: rest
        }
      })
    })
  })
)
