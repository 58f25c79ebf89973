import { Array, Context, Data, Effect, Layer, Option, Result } from "effect"
import type { ChangedKind } from "../../domain/changeSets/ChangeSet.ts"
import type { Performed } from "../../domain/changeSets/StoredOperation.ts"
import type { DataKind } from "../../domain/imports/DataKind.ts"
import type { ImportRow, ImportSettings } from "../../domain/imports/ImportFile.ts"
import type { PutCollection } from "../../domain/imports/Collection.ts"
import { Imports } from "../../domain/imports/Imports.ts"
import type { BatchResult, ImportItem } from "../../domain/imports/Put.ts"
import {
  decodeCollectionRow,
  decodeCustomerRow,
  decodeOrderRow,
  type DecodeRow,
  productDecoder
} from "../../domain/imports/Rows.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import type { Change, Write, WriteContext } from "../../domain/Write.ts"
import type { StoredChangeSet } from "../changeSets/StoredChangeSet.ts"
import { ChangeSetRepository } from "../changeSets/ChangeSetRepository.ts"
import { contextOf, countOf, jobSteps, versionsOf } from "../changeSets/JobSteps.ts"
import { OperationRepository } from "../changeSets/OperationRepository.ts"
import type { Job } from "../jobs/Jobs.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { observeChanges, Recording } from "../Writes.ts"
import { ImageCopies, type ImageUrls, withImageUrls } from "./ImageCopies.ts"

/** Maximum rows and bytes of a transaction. One of this size takes about 50 ms; rules of a collection can be slow. */
const MAX_ROWS: Record<DataKind, number> = { products: 250, collections: 1, orders: 250, customers: 250 }
const MAX_BYTES = 1024 * 1024

/** Maximum rows of a transaction of an import that copies pictures: all of their pictures are copied first. */
const MAX_ROWS_WITH_IMAGES = 25

/** Pictures of rows are not copied yet, so the rows are not written. */
class ImagesMissing extends Data.TaggedError("ImagesMissing")<{ readonly urls: ReadonlyArray<string> }> {}

/** Rows that are decoded at once, and the rest after them, in which other requests use the processor (docs/performance.md, Import). */
const ROWS_PER_REST = 32
const REST = "1 millis"

const RESOURCES: Record<DataKind, ChangedKind> = {
  products: "product",
  collections: "collection",
  orders: "order",
  customers: "customer"
}

/** Error of the API for a row. */
interface RowError {
  readonly message: string
  readonly issues?: ReadonlyArray<string>
}

interface NumberedRow {
  readonly index: number
  readonly row: ImportRow
}

/** Rows that were imported together. */
interface ImportedBatch {
  /** One for each row that differs from the store, or is refused. */
  readonly results: ReadonlyArray<Performed>
  readonly unchanged: number
  /** Position after the last row. */
  readonly end: number
  /** Why the import ends, if it reached a limit of the plan. */
  readonly failure: string | null
}

/** Decodes rows, up to one that repeats an external id: it updates an earlier row, which must be written first. */
const decodeRows = Effect.fnUntraced(function* <Input>(rows: ReadonlyArray<NumberedRow>, decode: DecodeRow<Input>) {
  const decoded: Array<NumberedRow & { readonly item: ReturnType<DecodeRow<Input>> }> = []
  const ids = new Set<string>()
  for (const { index, row } of rows) {
    if (decoded.length % ROWS_PER_REST === ROWS_PER_REST - 1) yield* Effect.sleep(REST)
    const item = decode(row)
    if (Result.isSuccess(item)) {
      if (ids.has(item.success.externalId)) break
      ids.add(item.success.externalId)
    }
    decoded.push({ index, row, item })
  }
  return decoded
})

/** Imports rows of one kind. Those after a limit of the plan are left. */
const importBatch = <Input, E>(
  kind: DataKind,
  numbered: ReadonlyArray<NumberedRow>,
  decode: DecodeRow<Input>,
  put: (items: Array.NonEmptyReadonlyArray<ImportItem<Input>>) => Write<BatchResult<RowError, RowError>, E>
): Write<ImportedBatch, E> =>
  Effect.gen(function* () {
    const decoded = yield* decodeRows(numbered, decode)
    const items = decoded.flatMap(({ item }) => (Result.isSuccess(item) ? [item.success] : []))
    const changes: Array<Change> = []
    const { limit, outcomes }: BatchResult<RowError, RowError> = Array.isReadonlyArrayNonEmpty(items)
      ? yield* observeChanges(put(items), (some) => changes.push(...some))
      : { limit: Option.none(), outcomes: [] }
    const results: Array<Performed> = []
    const base = {
      resource: RESOURCES[kind],
      id: null,
      seen: null,
      version: null,
      entryId: null,
      error: null,
      issues: null
    }
    let written = 0
    let unchanged = 0
    for (const { index, item, row } of decoded) {
      if (Result.isFailure(item)) {
        const { externalId, line, reason } = item.failure
        results.push({ ...base, index, outcome: "refused", error: reason, row: { line, externalId } })
        continue
      }
      const outcome = outcomes[written++]
      // The plan allows no more rows.
      if (outcome === undefined) {
        const reason = Option.match(limit, { onNone: () => "", onSome: ({ message }) => message })
        return { results, unchanged, end: index, failure: `Stopped before line ${row.line}: ${reason}` }
      }
      const at = { index, row: { line: row.line, externalId: item.success.externalId } }
      if (Result.isFailure(outcome)) {
        const { issues = null, message } = outcome.failure
        results.push({ ...base, ...at, outcome: "refused", error: message, issues })
      } else if (outcome.success === "unchanged") unchanged++
      else {
        // Changes of orders and customers are not recorded.
        const change = changes.shift()
        results.push({ ...base, ...at, outcome: outcome.success, ...(change && versionsOf(change)) })
      }
    }
    return { results, unchanged, end: (decoded.at(-1)?.index ?? -1) + 1, failure: null }
  })

/** Imports the next rows of files, as steps of jobs. */
export class ImportSteps extends Context.Service<ImportSteps>()("layers/imports/ImportSteps", {
  make: Effect.gen(function* () {
    const imports = yield* Imports
    const rows = yield* OperationRepository
    const repository = yield* ChangeSetRepository
    const copies = yield* ImageCopies
    const { end, inTransaction, keep } = yield* jobSteps
    const { recorded } = yield* Recording
    const { run } = yield* UnitOfWork

    /** Writes a collection in a savepoint, so that its refusal leaves nothing. */
    const putCollection = Effect.fnUntraced(function* (store: StoreId, item: ImportItem<PutCollection>) {
      const outcome = yield* Effect.result(run(imports.putCollection(store, item)))
      if (Result.isFailure(outcome)) {
        if (outcome.failure._tag === "StoreNotFound") return yield* outcome.failure
        if (outcome.failure._tag === "CollectionLimitReached")
          return { outcomes: [], limit: Option.some(outcome.failure) }
      }
      return { outcomes: [outcome], limit: Option.none() }
    })

    const write = (
      store: StoreId,
      settings: ImportSettings,
      numbered: ReadonlyArray<NumberedRow>,
      planned: number,
      images: ImageUrls | undefined
    ): Write<ImportedBatch, StoreNotFound> => {
      const { kind } = settings
      switch (kind) {
        case "products":
          return importBatch(
            kind,
            numbered,
            images === undefined ? productDecoder(settings) : withImageUrls(productDecoder(settings), images),
            (items) => imports.putProducts(store, items, planned)
          )
        case "collections":
          return importBatch(kind, numbered, decodeCollectionRow, ([item]) => putCollection(store, item))
        case "orders":
          return importBatch(kind, numbered, decodeOrderRow, (items) => imports.putOrders(store, items))
        case "customers":
          return importBatch(kind, numbered, decodeCustomerRow, (items) => imports.putCustomers(store, items))
      }
    }

    return {
      /** Imports the next rows of a set, or counts what they would do. Ends the set after the last one. */
      importNext: Effect.fn("ImportSteps.importNext")(function* (
        job: Job,
        set: StoredChangeSet,
        settings: ImportSettings,
        mode: WriteContext["mode"]
      ) {
        const { storeId } = job
        const context = contextOf(storeId, set, mode)
        const { imageOrigin: origin } = settings
        const limit = origin === undefined ? MAX_ROWS[settings.kind] : MAX_ROWS_WITH_IMAGES
        const numbered = yield* rows.listRows(storeId, set.id, set.done, limit, MAX_BYTES)
        const save = Effect.fnUntraced(function* ({ end: done, failure, results, unchanged }: ImportedBatch) {
          yield* rows.storeResults(storeId, set.id, results, mode === "perform")
          yield* repository.advance(storeId, set.id, { ...countOf(results), unchanged, done })
          return { kept: yield* keep(job), isLast: done >= set.total, failure }
        })
        /** Imports the rows if all of their pictures are known. */
        const importRows = (known: ImageUrls["known"]) => {
          const missing = new Set<string>()
          const images =
            origin === undefined ? undefined : { known, missing, isOwn: (url: string) => copies.isOwn(url, origin) }
          const batch = Effect.tap(
            write(storeId, settings, numbered, mode === "dryRun" ? set.created : 0, images),
            () => (missing.size > 0 ? Effect.fail(new ImagesMissing({ urls: [...missing] })) : Effect.void)
          )
          return Effect.result(
            mode === "perform"
              ? run(recorded(context, null, Effect.flatMap(batch, save)))
              : Effect.flatMap(run(recorded(context, null, batch), "dryRun"), (counted) => inTransaction(save(counted)))
          )
        }
        let saved = yield* importRows(new Map())
        if (origin !== undefined && Result.isFailure(saved) && saved.failure._tag === "ImagesMissing") {
          const { urls } = saved.failure
          const known = yield* copies.find(storeId, set.id, origin, urls)
          const left = urls.filter((url) => !known.has(url))
          if (mode === "perform" && left.length > 0) {
            yield* copies.copy(job, set.id, origin, left)
            return (yield* inTransaction(keep(job))) === "canceled" ? yield* end(job, "canceled") : ("more" as const)
          }
          // A dry run copies nothing.
          saved = yield* importRows(new Map([...left.map((url) => [url, url] as const), ...known]))
        }
        if (Result.isFailure(saved)) {
          const { failure } = saved
          if (failure._tag === "LeaseLost") return yield* failure
          // The products have changed meanwhile, so the rows have other pictures.
          return failure._tag === "ImagesMissing" ? ("more" as const) : yield* end(job, "failed", failure.message)
        }
        const { failure, isLast, kept } = saved.success
        if (failure !== null) return yield* end(job, "failed", failure)
        if (kept === "canceled") return yield* end(job, "canceled")
        return isLast ? yield* end(job, mode === "perform" ? "applied" : "canceled") : kept
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
