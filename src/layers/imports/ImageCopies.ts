import { Context, Effect, Layer, Result, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ChangeSetId } from "../../domain/changeSets/ChangeSet.ts"
import type { ImportedProduct, ProductPatch } from "../../domain/imports/Product.ts"
import type { DecodeRow } from "../../domain/imports/Rows.ts"
import type { Product } from "../../domain/catalog/Product.ts"
import { Files } from "../../domain/media/Files.ts"
import { nameOfUrl, RemoteFiles } from "../../domain/media/RemoteFiles.ts"
import type { StoreId } from "../../domain/Store.ts"
import { ChangeRecorder } from "../../domain/Write.ts"
import { ChangeSetRepository } from "../changeSets/ChangeSetRepository.ts"
import { jobSteps } from "../changeSets/JobSteps.ts"
import { type Job, LeaseLost } from "../jobs/Jobs.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"

/** Pictures of one import that are fetched at once. */
const CONCURRENCY = 4

/** Milliseconds after which a step fetches no further picture, so that jobs of other stores get their turn. */
const STEP_MILLIS = 2_000

/** Repetitions for a picture while the storage or the image workers are out of reach. */
const OUTAGE = { times: 3, schedule: Schedule.spaced("2 seconds") }

const readFailures = rowsReader(Schema.Struct({ url: Schema.String, error: Schema.String, reason: Schema.String }))

/** URLs of the pictures of products, as the rows of an import are decoded. */
export interface ImageUrls {
  /** The URL to store for a URL of the file. */
  readonly known: ReadonlyMap<string, string>
  /** Receives URLs that are not known. */
  readonly missing: Set<string>
  readonly isOwn: (url: string) => boolean
}

type Media = Product["media"]

const mapMedia = <M extends { readonly url: string }>(media: ReadonlyArray<M>, map: (url: string) => string) =>
  media.map((medium) => ({ ...medium, url: map(medium.url) }))

const isPicture = ({ type }: Media[number]) => type === undefined || /^image\b/i.test(type)

/** Replaces the URLs of the pictures of a file. Videos and 3D models keep theirs. */
const replaceUrls = (patch: ProductPatch, { isOwn, known, missing }: ImageUrls): ProductPatch => {
  const replace = (url: string) => {
    if (isOwn(url)) return url
    const copy = known.get(url)
    if (copy === undefined) missing.add(url)
    return copy ?? url
  }
  const { imageUrl, media, variants } = patch
  return {
    ...patch,
    ...(typeof imageUrl === "string" && { imageUrl: replace(imageUrl) }),
    ...(media && {
      media: media.map((medium) => (isPicture(medium) ? { ...medium, url: replace(medium.url) } : medium))
    }),
    // Their pictures are among those of the product in a file of Shopify.
    ...(variants && {
      variants: variants.map((variant) => {
        const url = "imageUrl" in variant ? variant.imageUrl : undefined
        const copy = typeof url === "string" ? known.get(url) : undefined
        return copy === undefined ? variant : { ...variant, imageUrl: copy }
      })
    })
  }
}

/** Makes a decoder of products whose pictures have the URLs of their copies. */
export const withImageUrls =
  (decode: DecodeRow<ImportedProduct>, images: ImageUrls): DecodeRow<ImportedProduct> =>
  (row) => {
    const sources = new Map([...images.known].map(([source, copy]) => [copy, source]))
    const sourceOf = (url: string) => sources.get(url) ?? url
    return Result.map(decode(row), (item) => ({
      ...item,
      // A file of Shopify is merged into the stored pictures by their URLs.
      input: (before, at) =>
        Result.map(item.input(before && { ...before, media: mapMedia(before.media, sourceOf) }, at), (patch) =>
          replaceUrls(patch, images)
        )
    }))
  }

const NO_RECORDER = ChangeRecorder.of({ record: () => Effect.die(new Error("A copied picture recorded a change")) })

/** Copies of the pictures of imports. Each is stored with its count in one transaction, so a killed job fetches none twice. */
export class ImageCopies extends Context.Service<ImageCopies>()("layers/imports/ImageCopies", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const files = yield* Files
    const remote = yield* RemoteFiles
    const repository = yield* ChangeSetRepository
    const { inTransaction, keep } = yield* jobSteps

    const listFailures = (store: StoreId, id: ChangeSetId, urls: ReadonlyArray<string>) =>
      readFailures(sql`
        select f.url, f.error, f.reason from unnest(${textArray(urls)}::text[]) as wanted (url)
          join import_image_failures f
            on f.store_id = ${store} and f.change_set_id = ${id} and f.digest = md5(wanted.url)
      `)

    const findLimit = (store: StoreId, id: ChangeSetId) =>
      readFailures(sql`
        select url, error, reason from import_image_failures
        where store_id = ${store} and change_set_id = ${id} and error = 'MediaLimitReached' limit 1
      `)

    const storeFailure = (job: Job, id: ChangeSetId, url: string, error: string, reason: string) =>
      inTransaction(
        Effect.gen(function* () {
          yield* orDefect(sql`
            insert into import_image_failures (store_id, change_set_id, url, error, reason)
            values (${job.storeId}, ${id}, ${url}, ${error}, ${reason})
          `)
          yield* repository.countImages(job.storeId, id, { failed: 1 })
          yield* keep(job)
        })
      )

    const copy = (job: Job, id: ChangeSetId, origin: string, url: string) => {
      const { storeId } = job
      return Effect.gen(function* () {
        const received = yield* remote.receive(storeId, url)
        yield* files.keep(storeId, received)
        const details = { name: nameOfUrl(url), alt: "", source: url }
        yield* inTransaction(
          Effect.gen(function* () {
            yield* files.create(storeId, received, details, origin)
            yield* repository.countImages(storeId, id, { copied: 1 })
            yield* keep(job)
          }).pipe(Effect.provideService(ChangeRecorder, NO_RECORDER))
        )
      }).pipe(
        Effect.scoped,
        Effect.retry({
          ...OUTAGE,
          while: ({ _tag }) => _tag === "ImagesBusy" || _tag === "StorageUnavailable"
        })
      )
    }

    return {
      isOwn: files.isOwn,

      /** Finds the URLs to store for URLs of a file: those of copies, and for failed ones their own. */
      find: Effect.fn("ImageCopies.find")(function* (
        store: StoreId,
        id: ChangeSetId,
        origin: string,
        urls: ReadonlyArray<string>
      ) {
        const failures = yield* listFailures(store, id, urls)
        const copies = yield* files.findCopies(store, urls, origin)
        return new Map([...failures.map(({ url }) => [url, url] as const), ...copies])
      }, orDefect),

      /** Copies pictures until the time of a step is over. Stores why one cannot be copied. */
      copy: Effect.fn("ImageCopies.copy")(function* (
        job: Job,
        id: ChangeSetId,
        origin: string,
        urls: ReadonlyArray<string>
      ) {
        const until = performance.now() + STEP_MILLIS
        const copyOne = Effect.fnUntraced(function* (url: string) {
          const [limit] = yield* orDefect(findLimit(job.storeId, id))
          // Every further picture would be fetched in vain.
          if (limit !== undefined) return yield* storeFailure(job, id, url, limit.error, limit.reason)
          const copied = yield* Effect.result(copy(job, id, origin, url))
          if (Result.isSuccess(copied)) return undefined
          const { failure } = copied
          if (failure instanceof LeaseLost) return yield* failure
          return yield* storeFailure(job, id, url, failure._tag, failure.message)
        })
        yield* Effect.forEach(
          urls,
          (url) => Effect.suspend(() => (performance.now() > until ? Effect.void : copyOne(url))),
          { concurrency: CONCURRENCY, discard: true }
        )
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
