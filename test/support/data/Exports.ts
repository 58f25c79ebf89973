import { assert } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import type pg from "pg"
import type { DataKind } from "../../../src/domain/imports/DataKind.ts"
import type { Export, ExportId } from "../../../src/domain/exports/Export.ts"
import { Exports } from "../../../src/domain/exports/Exports.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import type { Client } from "../../../src/rpc/Client.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { jobRunner } from "../../../src/layers/jobs/JobRunner.ts"
import { OneConnectionTest, PostgresTest } from "../postgres/PostgresTest.ts"
import { connection, databaseUrl, rowsOf, waitForLockWaits, waitUntil } from "../process/Process.ts"

const Services = Layer.provideMerge(jobRunner(1), DomainLive)

/** Domain services with a job runner, on a database of their own. */
export const ExportsTest = Layer.provideMerge(Services, PostgresTest)

/** {@link ExportsTest} with a pool of one connection. */
export const OneConnectionExportsTest = Layer.fresh(Layer.provideMerge(Services, OneConnectionTest))

export const lineOf = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** Makes the storage of each part wait for an advisory lock with its index. */
const WAIT = `
  create or replace function wait_for_part() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(7162, new.index);
      return new;
    end
  $$;
  drop trigger if exists wait_for_part on export_parts;
  create trigger wait_for_part before insert on export_parts for each row execute function wait_for_part();
`

/** Keeps exports in the database of `client` from storing the part with this index until `release`. */
export const holdPart = Effect.fn(function* (client: pg.Client, index: number) {
  yield* rowsOf(client, WAIT)
  yield* rowsOf(client, "select pg_advisory_lock(7162, $1)", [index])
  return {
    /** Waits until an export stores the part. Returns the pid of its session. */
    reached: waitUntil(
      rowsOf(
        client,
        `select pid from pg_locks join pg_database d on d.oid = database
         where datname = current_database() and locktype = 'advisory' and classid = 7162 and objid = $1 and not granted`,
        [index]
      ),
      ({ length }) => length > 0
    ).pipe(Effect.map((rows) => rows.map(({ pid }) => Number(pid)))),
    /** Waits until another session waits for the export. */
    awaited: waitForLockWaits(client, 2),
    release: rowsOf(client, "select pg_advisory_unlock(7162, $1)", [index])
  }
})

/** {@link holdPart} in the database of the test. */
export const hold = (index: number) =>
  Effect.flatMap(Effect.flatMap(databaseUrl, connection), (client) => holdPart(client, index))

/** Waits for the end of an export. */
export const settled = Effect.fn(function* (storeId: StoreId, { id }: Pick<Export, "id">) {
  const { get } = yield* Exports
  return yield* waitUntil(get(storeId, id), ({ state }) => state !== "running")
})

/** Exports all rows of a kind and returns the parts. */
export const exported = Effect.fn(function* (storeId: StoreId, kind: DataKind) {
  const exports = yield* Exports
  const one = yield* settled(storeId, yield* exports.create(storeId, { kind }))
  const parts = yield* Stream.runCollect(exports.read(storeId, one.id))
  const text = parts.join("")
  assert.deepInclude(one, { kind, state: "finished", failure: null, bytes: Buffer.byteLength(text) })
  assert.lengthOf(text.match(/\n/g) ?? [], one.exported)
  return {
    parts,
    text,
    lines: text
      .split("\n")
      .slice(0, -1)
      .map((line) => lineOf(line))
  }
})

/** Reads an export part by part. */
export const readAll = Effect.fn(function* (client: Client, storeId: StoreId, id: ExportId) {
  const parts: Array<string> = []
  for (let part: number | null = 0; part !== null;) {
    const read: { readonly lines: string; readonly nextPart: number | null } = yield* client.exports.read({
      storeId,
      id,
      part
    })
    parts.push(read.lines)
    part = read.nextPart
  }
  return parts
})
