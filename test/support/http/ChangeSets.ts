import { assert } from "@effect/vitest"
import { Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ChangeSet, type ChangeSetState, OperationResult } from "../../../src/domain/changeSets/ChangeSet.ts"
import { jobRunner } from "../../../src/layers/jobs/JobRunner.ts"
import { sharedByFiles } from "../SharedByFiles.ts"
import { type Answer, type Client, dataOf, IsolatedApiTest } from "./Api.ts"

/** The service with a job runner, on a database of its own. */
export const IsolatedJobsTest = Layer.provideMerge(jobRunner(1), IsolatedApiTest)

/** {@link IsolatedJobsTest}, built once for all files of a worker. */
export const JobsTest = sharedByFiles(IsolatedJobsTest)

const decodeSet = Schema.decodeUnknownSync(ChangeSet)
const decodeResults = Schema.decodeUnknownSync(
  Schema.Struct({ results: Schema.Array(OperationResult), nextCursor: Schema.NullOr(Schema.String) })
)

/** Decodes the change set of a response. */
export const setOf = (answer: Answer): ChangeSet => decodeSet(dataOf(answer))

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
