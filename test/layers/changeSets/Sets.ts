import { Effect, Layer, Option, Schema } from "effect"
import { Scope } from "../../../src/domain/access/Scope.ts"
import { Actor, IMPORTER } from "../../../src/domain/Actor.ts"
import {
  ChangeSet,
  type ChangeSetId,
  OperationResult,
  type SelectedChange
} from "../../../src/domain/changeSets/ChangeSet.ts"
import { ChangeSets, type NewContent } from "../../../src/domain/changeSets/ChangeSets.ts"
import { type Operation, SCOPES_OF_OPERATION } from "../../../src/domain/changeSets/Operation.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { Writes } from "../../../src/domain/Write.ts"
import { ChangeSetJobs } from "../../../src/layers/changeSets/ChangeSetJobs.ts"
import { StepMillis } from "../../../src/layers/changeSets/Pace.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { JobKind, Jobs } from "../../../src/layers/jobs/Jobs.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { context } from "./SingleWrites.ts"

/* Change sets without a surface and without a job runner, for the model tests. */

export const SetsTest = Jobs.layer.pipe(Layer.provideMerge(DomainLive), Layer.provideMerge(PostgresTest))

export const decodeSet = Schema.decodeUnknownSync(Schema.fromJsonString(ChangeSet))
const decodeResults = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(OperationResult)))

export const right = { scopes: Scope.literals, ownId: null }

/** Runs the job of the only unfinished set to its end, in one step: a preview sees only the changes of its own step. */
const runJob = Effect.gen(function* () {
  const jobs = yield* Jobs
  const { apply, preview } = yield* ChangeSetJobs
  const job = Option.getOrThrow(yield* jobs.claim(JobKind.literals, undefined))
  const { step } = job.kind === "changeSet.preview" ? preview : apply
  yield* Effect.repeat(step(job), { until: (left) => left === "finished" })
}).pipe(Effect.provideService(StepMillis, { locked: Infinity, unlocked: Infinity }))

const create = Effect.fn(function* (storeId: StoreId, id: ChangeSetId, content: NewContent) {
  const sets = yield* ChangeSets
  const { perform } = yield* Writes
  yield* perform(context(storeId), sets.create(context(storeId), id, { mode: "each" }, content))
  return id
})

/** Creates a set of operations. */
export const createSet = Effect.fn(function* (
  storeId: StoreId,
  operations: ReadonlyArray<{ readonly op: Operation["op"] }>
) {
  const sets = yield* ChangeSets
  const id = yield* sets.begin(storeId)
  yield* sets.stage(
    storeId,
    id,
    0,
    operations.map((one) => JSON.stringify(one))
  )
  const scopes = new Set(operations.map(({ op }) => SCOPES_OF_OPERATION[op]))
  return yield* create(storeId, id, { operations: operations.length, scopes })
})

/** Creates a set that changes selected products. */
export const createSelected = Effect.fn(function* (
  storeId: StoreId,
  content: Pick<SelectedChange, "where" | "change">
) {
  const sets = yield* ChangeSets
  return yield* create(storeId, yield* sets.begin(storeId), content)
})

/** Previews a set, performs an effect and applies the set. */
export const applySet = Effect.fn(function* <E = never, R = never>(
  storeId: StoreId,
  id: ChangeSetId,
  meanwhile: Effect.Effect<void, E, R> = Effect.void
) {
  const sets = yield* ChangeSets
  const { perform } = yield* Writes
  yield* runJob
  const read = Effect.map(sets.results(storeId, id, { cursor: undefined, limit: 200 }, undefined, right), ({ items }) =>
    decodeResults(items)
  )
  const previewed = yield* read
  const before = decodeSet(yield* sets.get(storeId, id, right))
  yield* meanwhile
  yield* perform(context(storeId), sets.apply(storeId, id, "skip", right, Actor.Merchant({ id: IMPORTER })))
  yield* runJob
  return { previewed, before, applied: yield* read, after: decodeSet(yield* sets.get(storeId, id, right)) }
})
