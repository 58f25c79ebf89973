import { Effect, Schema } from "effect"
import type pg from "pg"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { migrations } from "../../../src/layers/Migrations.ts"
import { load, unpack } from "./Dump.ts"

/** Folder with a folder for each release. */
export const RELEASES = "test/data/releases"

/** Versions of the releases. */
export const versions = readdirSync(RELEASES)

/** A resource, and the entry that changed or deleted it. */
const Changed = Schema.Struct({ id: Schema.String, entry: Schema.String, before: Schema.Unknown })

/** Ids, credentials and responses in a dump: its `fixture.json`. */
export const Facts = Schema.Struct({
  /** Milliseconds since 1970. */
  madeAt: Schema.Int,
  secretKey: Schema.String,
  storeId: Schema.String,
  owner: Schema.Struct({ email: Schema.String, password: Schema.String, cookie: Schema.String }),
  appToken: Schema.String,
  oauth: Schema.Struct({ clientId: Schema.String, secret: Schema.String, refreshToken: Schema.String }),
  /** An agent that writes. */
  agentToken: Schema.String,
  webhook: Schema.Struct({ appId: Schema.String, secret: Schema.String, pending: Schema.Int }),
  entries: Schema.Struct({
    productUpdate: Changed,
    productDeletion: Changed,
    collectionUpdate: Changed,
    collectionDeletion: Changed
  }),
  changeSets: Schema.Struct({
    applied: Schema.String,
    applying: Schema.String,
    ready: Schema.String,
    scheduled: Schema.String,
    previewing: Schema.String,
    importing: Schema.String
  }),
  proposal: Schema.Struct({ id: Schema.String, productId: Schema.String, price: Schema.Finite }),
  keyed: Schema.Struct({ key: Schema.String, body: Schema.Unknown, text: Schema.String }),
  view: Schema.Unknown,
  exports: Schema.Struct({ finished: Schema.String, running: Schema.String }),
  file: Schema.Struct({ url: Schema.String, base64: Schema.String }),
  appData: Schema.Struct({ path: Schema.String, value: Schema.Unknown }),
  subscription: Schema.String
})
export type Facts = typeof Facts.Type

const decodeFacts = Schema.decodeSync(Schema.fromJsonString(Facts))
const decodeKeys = Schema.decodeSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))

const fileOf = (version: string, name: string) => join(RELEASES, version, name)

/** Migrations of this release that a former one had. `check:migrations` compares their contents. */
export const migrationsOf = (version: string) => {
  const names = Object.keys(decodeKeys(readFileSync(fileOf(version, "migrations.json"), "utf8")))
  return Object.fromEntries(Object.entries(migrations).filter(([key]) => names.includes(key)))
}

/** Restores the database of a release into one with its schema, and its files into the folder. */
export const restoreRelease = Effect.fnUntraced(function* (client: pg.Client, version: string, folder: string) {
  const text = readFileSync(fileOf(version, "fixture.json"), "utf8")
  const { madeAt } = decodeFacts(text)
  const unpacked = unpack(readFileSync(fileOf(version, "database.jsonl.gz")), text, madeAt)
  yield* load(client, unpacked.lines, folder)
  return decodeFacts(unpacked.text)
})
