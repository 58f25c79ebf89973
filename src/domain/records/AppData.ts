import { Context, type Effect, Schema } from "effect"
import type { Installation } from "../access/Installations.ts"
import { described, documented, JsonValue, optional, Timestamp } from "../catalog/Fields.ts"
import type { DocumentPage, JsonText } from "../Document.ts"
import type { PageRequest } from "../Page.ts"
import { grouped } from "../Text.ts"
import { Encoded, type Write } from "../Write.ts"

/** Entries that an installation may keep, and bytes of their values. What has expired does not count. */
export const MAX_ENTRIES = 10_000
export const MAX_VALUES = 10 * 1024 * 1024

/** Bytes of one value: of its JSON in UTF-8, as it was sent. */
export const MAX_VALUE = 64 * 1024

/** Seconds that an entry may live, where it is to end by itself: a year. */
const MAX_TTL = 31_536_000

const name = (max: number) =>
  Schema.String.check(
    // Without the flag `u` JSON Schema would not show the pattern.
    Schema.isPattern(new RegExp(`^[A-Za-z0-9._:-]{1,${max}}$`, "u"), {
      message: `must be 1 to ${max} of A-Z, a-z, 0-9 and . _ : -`
    })
  )

/** What entries are kept apart by. */
export const Namespace = name(64).annotate({
  description: "A name that entries are kept under",
  examples: ["settings"]
})

/** What an entry is found by, in its namespace. */
export const Key = name(256).annotate({ description: "The key of the entry", examples: ["theme"] })

const isValue = (value: unknown): value is Encoded =>
  value instanceof Encoded && new TextEncoder().encode(value.json).length <= MAX_VALUE

/** Any JSON, which the service keeps as its text. */
const Value = Schema.declare(isValue, { toCodecJson: () => undefined })
  .check(documented({ type: ["object", "array", "string", "number", "boolean", "null"], items: {} }))
  .annotate({
    description: `Any JSON, of at most ${grouped(MAX_VALUE)} bytes. It comes back as it was sent, to the letter`,
    message: `must be JSON of at most ${grouped(MAX_VALUE)} bytes`
  })

/** What is written of an entry. */
export const PutAppData = Schema.Struct({
  key: Key,
  value: Value,
  ttlSeconds: optional(
    Schema.Int.pipe(
      Schema.check(Schema.isBetween({ minimum: 1, maximum: MAX_TTL })),
      Schema.annotate({
        description: "When the entry ends by itself. Without it, it stays",
        examples: [3600],
        message: `must be an integer from 1 to ${MAX_TTL}`
      })
    )
  )
}).annotate({ identifier: "PutAppData" })
export type PutAppData = typeof PutAppData.Type

/** An entry of an installation's own data. */
export const AppDataEntry = Schema.Struct({
  namespace: Namespace,
  key: Key,
  value: described(JsonValue, "As it was sent"),
  expiresAt: Schema.NullOr(Timestamp).annotate({ description: "When it ends by itself; null where it stays" }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "AppDataEntry" })
export type AppDataEntry = typeof AppDataEntry.Type

export class AppDataNotFound extends Schema.TaggedError<AppDataNotFound>()("AppDataNotFound", {
  namespace: Schema.String,
  key: Schema.String
}) {
  override get message() {
    return `There is no entry ${this.key} in ${this.namespace}, or it has expired`
  }
}

export class AppDataFull extends Schema.TaggedError<AppDataFull>()("AppDataFull", {}) {
  override get message() {
    return `An installation keeps at most ${grouped(MAX_ENTRIES)} entries and ${MAX_VALUES / 1024 ** 2} MiB of values, and this one would be beyond; delete some, or let them end by ttlSeconds`
  }
}

/** Whose data it is. */
type Owner = Pick<Installation, "id" | "storeId">

/** What installations keep for themselves (decisions, section 9). Nobody is told of its changes. */
export class AppData extends Context.Service<
  AppData,
  {
    readonly get: (owner: Owner, namespace: string, key: string) => Effect.Effect<JsonText, AppDataNotFound>
    /** Entries in ascending order of key. */
    readonly list: (owner: Owner, namespace: string, page: PageRequest<string>) => Effect.Effect<DocumentPage<string>>
    /** Makes an entry or replaces it, and answers it as it is then. */
    readonly put: (owner: Owner, namespace: string, entry: PutAppData) => Write<JsonText, AppDataFull>
    readonly delete: (owner: Owner, namespace: string, key: string) => Write<void, AppDataNotFound>
    /** Deletes entries that have expired, a batch at a time. Answers how many went. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/records/AppData") {}
