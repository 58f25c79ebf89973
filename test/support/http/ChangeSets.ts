import { assert } from "@effect/vitest"
import { Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ChangeSet, type ChangeSetState, OperationResult } from "../../../src/domain/changeSets/ChangeSet.ts"
import { jobRunner } from "../../../src/layers/jobs/JobRunner.ts"
import { sharedByFiles } from "../SharedByFiles.ts"
import { type Answer, type Client, dataOf, IsolatedApiTest, pageOf } from "./Api.ts"

/** The service with a job runner, on a database of its own. */
export const IsolatedJobsTest = Layer.provideMerge(jobRunner(1), IsolatedApiTest)

/** {@link IsolatedJobsTest}, built once for all files of a worker. */
export const JobsTest = sharedByFiles(IsolatedJobsTest)

/** A service without a job runner, built once for all files of a worker. Its tests run jobs by {@link running}. */
export const PausedJobsTest = sharedByFiles(IsolatedApiTest)

/** Runs jobs until the effect ends. Between such effects, sets stay in their states. */
export const running = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.andThen(Layer.build(jobRunner(1)), effect))

/** A set that creates a product. */
export const CREATION = { mode: "each", operations: [{ op: "product.create", product: { name: "Cup" } }] }

/** Operations that create products. */
export const creations = (length: number) =>
  Array.from({ length }, (_, n) => ({ op: "product.create", product: { name: `P ${n}` } }))

const decodeSet = Schema.decodeUnknownSync(ChangeSet)
const decodeResults = Schema.decodeUnknownSync(
  Schema.Struct({ results: Schema.Array(OperationResult), nextCursor: Schema.NullOr(Schema.String) })
)

/** Decodes the change set of a response. */
export const setOf = (answer: Answer): ChangeSet => decodeSet(dataOf(answer))

/** Creates a change set. */
export const createSet = (client: Client, set: unknown = CREATION) =>
  Effect.map(client.post("/change-sets", set), setOf)

/** Reads a change set. */
export const readSet = (client: Client, id: string) => Effect.map(client.get(`/change-sets/${id}`), setOf)

/** Sends a request that applies, cancels or undoes a change set. */
export const requestOf = (client: Client, id: string, action: "apply" | "cancel" | "undo") =>
  client.post(`/change-sets/${id}/${action}`, action === "apply" ? {} : undefined)

/** Counts the products of a store with 200 at most. */
export const countProducts = (client: Client) =>
  Effect.map(client.get("/products?limit=200"), (page) => pageOf(page).items.length)

/** Waits until a change set is in one of some states. Reads the database, because requests would fill the window. */
export const waitForState = (id: string, ...states: ReadonlyArray<ChangeSetState>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`select from change_sets where id = ${id} and state = any(${states}::text[])`.pipe(
      Effect.repeat({ until: ({ length }) => length > 0, schedule: Schedule.spaced("20 millis") })
    )
  )

/** Waits until a change set has left the states in which a job works on it. */
export const settled = Effect.fn("settled")(function* (client: Client, id: string) {
  yield* waitForState(id, "ready", "scheduled", "applied", "canceled", "failed")
  return setOf(yield* client.get(`/change-sets/${id}`))
})

/** Creates a change set and waits for its preview. */
export const previewed = Effect.fn("previewed")(function* (client: Client, set: unknown) {
  const created = yield* client.post("/change-sets", set)
  assert.strictEqual(created.status, 201, created.text)
  const { id } = setOf(created)
  return yield* settled(client, id)
})

/** Applies a change set that is ready and waits for its end. */
export const applied = Effect.fn("applied")(function* (client: Client, id: string, body: unknown = {}) {
  const answer = yield* client.post(`/change-sets/${id}/apply`, body)
  assert.strictEqual(answer.status, 200, answer.text)
  return yield* settled(client, id)
})

/** Reads all results of a change set. */
export const resultsOf = Effect.fn("resultsOf")(function* (client: Client, id: string) {
  const all: Array<OperationResult> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const answer: Answer = yield* client.get(
      `/change-sets/${id}/results?limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`
    )
    const { nextCursor, results } = decodeResults(answer.json)
    all.push(...results)
    cursor = nextCursor
  }
  return all
})

/** Undoes a change set and waits for its end. Returns the set that undoes it. */
export const undone = Effect.fn("undone")(function* (client: Client, id: string, body: unknown = {}) {
  const answer = yield* client.post(`/change-sets/${id}/undo`, undefined)
  assert.strictEqual(answer.status, 201, answer.text)
  const undo = yield* settled(client, setOf(answer).id)
  return yield* applied(client, undo.id, body)
})

/** Reads the outcomes of a change set, in the order of its operations. */
export const outcomesOf = (client: Client, id: string) =>
  Effect.map(resultsOf(client, id), (results) => results.map(({ outcome }) => outcome))

/** Creates a product by a request. */
export const createProduct = (client: Client, product: object) => Effect.map(client.post("/products", product), dataOf)

/** Reads members of all products, in ascending order of id. */
export const valuesOf = (client: Client, ...members: ReadonlyArray<string>) =>
  Effect.map(client.get("/products"), (answer) =>
    pageOf(answer).items.map((product) => members.map((member) => product[member]))
  )
