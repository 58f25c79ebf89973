import { Context, type Effect, Schema } from "effect"
import type { Installation } from "../access/Installations.ts"
import { withDescription, JsonValue, optional, Timestamp } from "../catalog/Fields.ts"
import type { DocumentPage, JsonText } from "../json/Document.ts"
import type { PageRequest } from "../Page.ts"
import { formatInteger } from "../Text.ts"
import type { Write } from "../Write.ts"

/**
 * Maximum number of entries of an installation, and maximum total bytes of their values. Expired entries do not count.
 */
export const MAX_ENTRIES = 10_000
export const MAX_VALUES = 10 * 1024 * 1024

/** Maximum size of one value in bytes of its JSON in UTF-8, without white space. */
export const MAX_VALUE = 64 * 1024

/** Maximum lifetime of an expiring entry in seconds: one year. */
const MAX_TTL = 31_536_000

const name = (max: number) =>
  Schema.String.check(
    // JSON Schema shows the pattern only with the flag `u`.
    Schema.isPattern(new RegExp(`^[A-Za-z0-9._:-]{1,${max}}$`, "u"), {
      message: `must be 1 to ${max} of A-Z, a-z, 0-9 and . _ : -`
    })
  )

/** Namespace of entries. */
export const Namespace = name(64).annotate({
  description: "Namespace of the entry",
  examples: ["settings"]
})

/** Key of an entry within its namespace. */
export const EntryKey = name(256).annotate({ description: "Key of the entry", examples: ["theme"] })

const isWithinBounds = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length <= MAX_VALUE

/** Any JSON value, stored as its text. */
const Value = JsonValue.check(
  Schema.makeFilter(isWithinBounds, {
    message: `must be JSON of at most ${formatInteger(MAX_VALUE)} bytes`,
    // Without a type: generators read an object type without members as an object that must be empty.
    toJsonSchema: () => ({})
  })
).annotate({ description: `Any JSON value of at most ${formatInteger(MAX_VALUE)} bytes` })

/** Fields of an entry to write. */
export const PutAppData = Schema.Struct({
  key: EntryKey,
  value: Value,
  ttlSeconds: optional(
    Schema.Int.pipe(
      Schema.check(Schema.isBetween({ minimum: 1, maximum: MAX_TTL })),
      Schema.annotate({
        description: "Seconds until the entry expires. Without it, the entry does not expire",
        examples: [3600],
        message: `must be an integer from 1 to ${MAX_TTL}`
      })
    )
  )
}).annotate({ identifier: "PutAppData" })
export type PutAppData = typeof PutAppData.Type

/** Entry of the data of an installation. */
export const AppDataEntry = Schema.Struct({
  namespace: Namespace,
  key: EntryKey,
  value: withDescription(JsonValue, "Value as sent"),
  expiresAt: Schema.NullOr(Timestamp).annotate({ description: "Time of expiry; null if the entry does not expire" }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "AppDataEntry" })
export type AppDataEntry = typeof AppDataEntry.Type

export class AppDataNotFound extends Schema.TaggedError<AppDataNotFound>()("AppDataNotFound", {
  namespace: Schema.String,
  key: Schema.String
}) {
  override get message() {
    return `Entry ${this.key} in ${this.namespace} was not found or has expired`
  }
}

export class AppDataFull extends Schema.TaggedError<AppDataFull>()("AppDataFull", {}) {
  override get message() {
    return `An installation stores at most ${formatInteger(MAX_ENTRIES)} entries and ${MAX_VALUES / 1024 ** 2} MiB of values; delete entries, or let them expire with ttlSeconds`
  }
}

/** Installation that owns the data. */
type Owner = Pick<Installation, "id" | "storeId">

/** Data that installations store for themselves (docs/spec/app-data.md). Changes cause no events. */
export class AppData extends Context.Service<
  AppData,
  {
    readonly get: (owner: Owner, namespace: string, key: string) => Effect.Effect<JsonText, AppDataNotFound>
    /** Lists entries in ascending order of key. */
    readonly list: (owner: Owner, namespace: string, page: PageRequest<string>) => Effect.Effect<DocumentPage<string>>
    /** Creates or replaces an entry and returns it. */
    readonly put: (owner: Owner, namespace: string, entry: PutAppData) => Write<JsonText, AppDataFull>
    readonly delete: (owner: Owner, namespace: string, key: string) => Write<void, AppDataNotFound>
    /** Deletes one batch of expired entries and returns its size. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/records/AppData") {}
