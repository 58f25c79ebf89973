import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type ExportId, MAX_EXPORTS, MAX_UNFINISHED } from "../../../src/domain/exports/Export.ts"
import { Operation } from "../../../src/domain/changeSets/Operation.ts"
import type { Client } from "../../../src/rpc/Client.ts"
import { hold, lineOf, readAll, settled } from "../../support/data/Exports.ts"
import { putCustomers } from "../../support/data/Records.ts"
import { install } from "../../support/http/Api.ts"
import { IsolatedJobsTest, waitForState } from "../../support/http/ChangeSets.ts"
import { keyedIn, tagOf } from "../../support/rpc/Proposals.ts"
import { agentOf, callLine, errorOf, freshMember, memberOf, post } from "../../support/rpc/Rpc.ts"

const toOperations = Schema.decodeUnknownSync(Schema.Array(Operation))

/** A member of a store with customers. */
const scene = Effect.fn(function* (count: number) {
  const member = yield* freshMember()
  const { client, storeId } = member
  yield* putCustomers(
    storeId,
    Array.from({ length: count }, (_, n) => ({ name: `Customer ${n}`, email: `c${n}@example.com` }))
  )
  return { ...member, create: client.exports.create({ ...keyedIn(storeId), kind: "customers" }) }
})

layer(IsolatedJobsTest, { excludeTestServices: true, timeout: "120 seconds" })("Exports over RPC", (it) => {
  it.effect("a member creates an export once per key and reads it part by part, with personal data", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* scene(1201)
      const request = { ...keyedIn(storeId), kind: "customers" as const }
      const created = yield* client.exports.create(request)
      assert.deepInclude(created, { kind: "customers", state: "running", exported: 0, finishedAt: null })
      assert.deepStrictEqual(yield* client.exports.create(request), created)
      yield* settled(storeId, created)
      const { id } = created
      const ended = yield* client.exports.get({ storeId, id })
      assert.deepInclude(ended, { state: "finished", exported: 1201, failure: null })

      const parts = yield* readAll(client, storeId, id)
      assert.lengthOf(parts, 3)
      assert.strictEqual(Buffer.byteLength(parts.join("")), ended.bytes)
      const lines = parts.flatMap((part) => part.trimEnd().split("\n")).map((line) => lineOf(line))
      assert.deepStrictEqual(
        lines.map(({ email }) => email),
        Array.from({ length: 1201 }, (_, n) => `c${n}@example.com`)
      )
      assert.deepStrictEqual(yield* client.exports.read({ storeId, id, part: 1 }), {
        lines: parts[1] ?? "",
        nextPart: 2
      })
    })
  )

  it.effect("a part after the last one, and the only part of an export without rows, are empty", () =>
    Effect.gen(function* () {
      const { client, create, storeId } = yield* scene(0)
      const { id } = yield* settled(storeId, yield* create)
      const empty = { lines: "", nextPart: null }
      assert.deepStrictEqual(yield* client.exports.read({ storeId, id, part: 0 }), empty)
      assert.deepStrictEqual(yield* client.exports.read({ storeId, id, part: 7 }), empty)
    })
  )

  it.effect("a row of more than 1 MiB is read as one part", () =>
    Effect.gen(function* () {
      const { client, create, storeId } = yield* scene(1)
      const story = '"'.repeat(1_200_000)
      yield* putCustomers(storeId, [{ addresses: [{ story }] }, {}])
      const { id } = yield* settled(storeId, yield* create)
      const parts = yield* readAll(client, storeId, id)
      assert.lengthOf(parts, 3)
      assert.deepStrictEqual(lineOf(parts[1])["addresses"], [{ story }])
    })
  )

  it.effect("all members of the store have access; agents, apps and members of other stores have none", () =>
    Effect.gen(function* () {
      const owner = yield* scene(1)
      const { create, storeId } = owner
      const { id } = yield* settled(storeId, yield* create)
      const staff = yield* memberOf(storeId, "staff")
      assert.lengthOf(yield* readAll(staff.client, storeId, id), 1)

      const one = { storeId, id }
      const tagsOf = ({ exports }: Client) =>
        Effect.all([
          tagOf(exports.create({ ...keyedIn(storeId), kind: "customers" })),
          tagOf(exports.list({ storeId })),
          tagOf(exports.get(one)),
          tagOf(exports.read({ ...one, part: 0 })),
          tagOf(exports.cancel(one)),
          tagOf(exports.delete(one))
        ])
      const agent = yield* agentOf(owner)
      for (const tag of yield* tagsOf(agent.client)) assert.strictEqual(tag, "AgentRefused")
      const stranger = yield* scene(0)
      for (const tag of yield* tagsOf(stranger.client)) assert.strictEqual(tag, "StoreNotFound")
      const { token } = (yield* install(storeId)).client
      const { text } = yield* post(callLine("exports.read", { ...one, part: 0 }), { authorization: `Bearer ${token}` })
      assert.deepStrictEqual(errorOf(text), { _tag: "InvalidToken" })

      // The export is unknown in the stranger's own store.
      const { exports } = stranger.client
      const foreign = { storeId: stranger.storeId, id }
      const tags = yield* Effect.all([
        tagOf(exports.get(foreign)),
        tagOf(exports.read({ ...foreign, part: 0 })),
        tagOf(exports.cancel(foreign))
      ])
      for (const tag of tags) assert.strictEqual(tag, "ExportNotFound")
      yield* exports.delete(foreign)
      assert.deepStrictEqual((yield* exports.list({ storeId: stranger.storeId })).items, [])
      assert.deepStrictEqual(
        (yield* staff.client.exports.list({ storeId })).items.map((listed) => listed.id),
        [id]
      )
    })
  )

  it.effect("exports are listed in pages, newest first", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* scene(1)
      const ids: Array<ExportId> = []
      for (const kind of ["customers", "orders", "products"] as const) {
        ids.unshift((yield* client.exports.create({ ...keyedIn(storeId), kind })).id)
      }
      const first = yield* client.exports.list({ storeId, limit: 2 })
      const cursor = first.nextCursor ?? assert.fail("There is a second page")
      const second = yield* client.exports.list({ storeId, limit: 2, cursor })
      assert.deepStrictEqual(
        [first, second].map(({ items }) => items.map(({ id }) => id)),
        [ids.slice(0, 2), ids.slice(2)]
      )
      assert.isNull(second.nextCursor)
    })
  )

  it.effect("an unfinished export cannot be read; once canceled it keeps no part, and once deleted it is unknown", () =>
    Effect.gen(function* () {
      const { client, create, storeId } = yield* scene(1201)
      const { reached, release } = yield* hold(1)
      const created = yield* create
      yield* reached
      const one = { storeId, id: created.id }
      const unfinished = yield* Effect.flip(client.exports.read({ ...one, part: 0 }))
      assert.deepInclude(unfinished, { _tag: "ExportNotFinished", state: "running" })
      assert.match(unfinished.message, /The export is running; only a finished one can be read/)

      const other = yield* client.exports.create({ ...keyedIn(storeId), kind: "customers" })
      assert.deepInclude(yield* client.exports.cancel({ storeId, id: other.id }), { id: other.id, state: "running" })
      yield* release
      assert.strictEqual((yield* settled(storeId, other)).state, "canceled")
      const canceled = yield* Effect.flip(client.exports.read({ storeId, id: other.id, part: 0 }))
      assert.deepInclude(canceled, { _tag: "ExportNotFinished", state: "canceled" })

      yield* settled(storeId, created)
      // A finished export stays finished.
      assert.deepInclude(yield* client.exports.cancel(one), { state: "finished" })
      for (const _ of "twice") {
        assert.deepStrictEqual(yield* client.exports.delete(one), { id: created.id, deleted: true })
      }
      assert.strictEqual(yield* tagOf(client.exports.get(one)), "ExportNotFound")
      assert.strictEqual(yield* tagOf(client.exports.read({ ...one, part: 0 })), "ExportNotFound")
    })
  )

  it.effect(`a store has at most ${MAX_UNFINISHED} unfinished and ${MAX_EXPORTS} kept exports`, () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* scene(1)
      const create = Effect.suspend(() => client.exports.create({ ...keyedIn(storeId), kind: "customers" }))
      const { reached, release } = yield* hold(0)
      const oldest = yield* create
      yield* reached
      for (let n = 1; n < MAX_UNFINISHED; n++) yield* create
      const unfinished = yield* Effect.flip(create)
      assert.deepInclude(unfinished, { _tag: "TooManyExports", limit: "unfinished", oldest: oldest.id })
      assert.include(unfinished.message, `5 unfinished exports, the maximum; wait until one ends, or delete one`)

      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into exports (store_id, id, kind, state, created_at, finished_at)
        select ${storeId}, uuid_v7(clock_micros() + n), 'products', 'finished', now(), now()
        from generate_series(1, ${MAX_EXPORTS - MAX_UNFINISHED}) as n
      `
      yield* release
      yield* settled(storeId, oldest)
      const kept = yield* Effect.flip(create)
      assert.deepInclude(kept, { _tag: "TooManyExports", limit: "kept", oldest: oldest.id })
      assert.include(kept.message, `The store has 20 exports, the maximum; delete one`)
      yield* client.exports.delete({ storeId, id: oldest.id })
      const { items } = yield* client.exports.list({ storeId })
      for (const { id } of items) yield* settled(storeId, { id })
      assert.strictEqual(yield* tagOf(create), "done")
    })
  )

  it.effect("while a process with one job runner writes an export, it applies change sets of other stores", () =>
    Effect.gen(function* () {
      const { client, create, storeId } = yield* scene(1201)
      const { reached, release } = yield* hold(1)
      const held = yield* create
      yield* reached
      const sql = yield* SqlClient.SqlClient
      const turn = sql`select lease from jobs where subject_id = ${held.id} and lease is not null`
      const before = yield* turn
      assert.lengthOf(before, 1)
      const other = yield* scene(1)
      const waiting = yield* other.create
      const third = yield* freshMember()
      const operations = toOperations([{ op: "product.create", product: { name: "Cup" } }])
      const set = yield* third.client.changeSets.create({ ...keyedIn(third.storeId), mode: "each", operations })
      yield* waitForState(set.id, "ready")
      yield* third.client.changeSets.apply({ ...keyedIn(third.storeId), id: set.id })
      yield* waitForState(set.id, "applied")
      // The export did not give its turn to the change set, as it does after a timeout of its lock.
      assert.deepStrictEqual(yield* turn, before)
      assert.deepInclude(yield* client.exports.get({ storeId, id: held.id }), { state: "running", exported: 500 })
      // A process writes one export at a time.
      assert.lengthOf(yield* sql`select from jobs where subject_id = ${waiting.id} and lease is null`, 1)
      yield* release
      assert.strictEqual((yield* settled(storeId, held)).state, "finished")
      assert.strictEqual((yield* settled(other.storeId, waiting)).state, "finished")
    })
  )
})
