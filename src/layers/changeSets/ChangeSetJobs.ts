import { Context, Data, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { MAX_ATOMIC_OPERATIONS, MAX_OPERATIONS } from "../../domain/changeSets/ChangeSet.ts"
import { membersEditsOf } from "../../domain/changeSets/Edit.ts"
import { TooManyOperations } from "../../domain/changeSets/Refusals.ts"
import type { Performed } from "../../domain/changeSets/StoredOperation.ts"
import type { StoreNotFound } from "../../domain/Store.ts"
import { withReason, type Write } from "../../domain/Write.ts"
import { conditionsOf, hasUnknownRule } from "../../domain/catalog/Rule.ts"
import { bindParameter, productsWhere } from "../catalog/RuleSql.ts"
import { ImportSteps } from "../imports/ImportSteps.ts"
import { type Job, Jobs, type JobWork, type LeaseLost } from "../jobs/Jobs.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader } from "../sql/Rows.ts"
import { withStatementTimeout } from "../sql/Transaction.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { Recording } from "../Writes.ts"
import { ChangeSetRepository } from "./ChangeSetRepository.ts"
import type { StoredChangeSet } from "./StoredChangeSet.ts"
import { authorAccess } from "./AuthorAccess.ts"
import { changeSetOf, contextOf, countOf, jobSteps } from "./JobSteps.ts"
import { AtomicStopped, makePace } from "./Pace.ts"
import { OperationRepository } from "./OperationRepository.ts"
import { Operations } from "./Operations.ts"
import { previewing } from "./Previewing.ts"
import { NO_SUMS, previewSummary, SumsDocument } from "./PreviewSummary.ts"

/**
 * Maximum number of operations in a step of the preview of a set in mode `each`. An operation sees the results of those before
 * it in the same step. An atomic set is previewed in one, as it is applied.
 */
const PREVIEWED = 2_000

/** Maximum number of operations that are applied in one transaction. */
const APPLIED = 400

/** Maximum milliseconds for finding the products of a selection. */
const SELECTION_MILLIS = 20_000

/** An operation of an atomic set is refused, so nothing may be stored. */
class AtomicRefusal extends Data.TaggedError("AtomicRefusal")<{ readonly results: ReadonlyArray<Performed> }> {}

const UNKNOWN_RULE =
  "A process of an earlier release does not know one of the rules; create the change set again once all processes are upgraded"

const TOO_SLOW =
  "The atomic set takes too long for one transaction, in which all other writes of the store wait; nothing was changed. Use mode each, or split the set"

const LOST_ACCESS = "The author of the change set no longer has the access that it needs"

const readCount = requiredRowReader(Schema.Struct({ count: Schema.Int }))

/** Steps of the jobs that preview and apply change sets. */
export class ChangeSetJobs extends Context.Service<ChangeSetJobs>()("layers/changeSets/ChangeSetJobs", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const jobs = yield* Jobs
    const repository = yield* ChangeSetRepository
    const rows = yield* OperationRepository
    const operations = yield* Operations
    const { recorded } = yield* Recording
    const { run } = yield* UnitOfWork
    const { complete } = yield* previewSummary
    const { end, inTransaction, keep } = yield* jobSteps
    const { importNext } = yield* ImportSteps
    const pace = yield* makePace
    const hasLostAccess = yield* authorAccess
    const previews = yield* previewing

    /**
     * Stores an operation for each product that the rules match, or for each collection whose products change. Counts the
     * products, one too many at most; none if it takes too long.
     */
    const expand = Effect.fnUntraced(function* (job: Job, { change, id, mode, selection }: StoredChangeSet) {
      const { storeId } = job
      const members = change === null ? undefined : membersEditsOf(change)
      const rules = selection?.rules ?? []
      const from =
        rules.length === 0
          ? sql`from products where store_id = ${storeId}`
          : productsWhere(
              bindParameter,
              storeId,
              conditionsOf(rules, selection?.disjunctive),
              selection?.disjunctive ?? false
            )
      const limit = mode === "atomic" ? MAX_ATOMIC_OPERATIONS : MAX_OPERATIONS
      const operations =
        members === undefined
          ? sql`select row_number() over (order by id) - 1, '{"op":"product.edit","id":"' || id || '"}' from selected`
          : sql`
              select place - 1, json_build_object('op', 'collection.members', 'id', edit.id, edit.member, ids)::text
              from unnest(
                ${plainArray(members.map(({ id }) => id))}::uuid[], ${plainArray(members.map(({ member }) => member))}::text[]
              ) with ordinality as edit (id, member, place), (select json_agg(id) as ids from selected) as products
              where ids is not null
            `
      const found = yield* withStatementTimeout(
        sql,
        SELECTION_MILLIS,
        readCount(sql`
          with selected as materialized (select id ${from} order by id limit ${limit + 1}), stored as (
            insert into change_set_operations (store_id, change_set_id, index, operation)
            select ${storeId}, ${id}, list.* from (${operations}) as list (index, operation)
          )
          select count(*)::integer as count from selected
        `).pipe(Effect.catchTag("SchemaError", Effect.die))
      )
      return { found: Option.map(found, ({ count }) => count), limit, operations: members?.length }
    }, orDefect)

    const endStopped = (job: Job, { state }: AtomicStopped) =>
      state === "failed" ? end(job, state, TOO_SLOW) : end(job, state)

    const select = Effect.fnUntraced(function* (job: Job, set: StoredChangeSet) {
      return yield* inTransaction(
        Effect.gen(function* () {
          if (hasUnknownRule(set.selection?.rules ?? [])) return UNKNOWN_RULE
          const { found, limit, operations } = yield* expand(job, set)
          if (Option.isNone(found)) return "The rules took too long; use rules that select fewer products"
          if (found.value > limit) return new TooManyOperations({ limit }).message
          yield* repository.setTotal(job.storeId, set.id, found.value === 0 ? 0 : (operations ?? found.value))
          yield* jobs.keep(job)
          return undefined
        })
      )
    })

    const previewStep = Effect.fn("ChangeSetJobs.preview")(function* (job: Job) {
      const { storeId } = job
      const found = yield* repository.find(storeId, changeSetOf(job))
      if (Option.isNone(found) || found.value.state !== "previewing") {
        yield* jobs.finish(job)
        return "finished" as const
      }
      if (job.isCanceled) return yield* end(job, "canceled")
      const set = found.value
      if (set.import !== null) return yield* importNext(job, set, set.import, "dryRun")
      if (yield* hasLostAccess(set, storeId)) return yield* end(job, "failed", LOST_ACCESS)
      if (set.total < 0) {
        const failure = yield* select(job, set)
        return failure === undefined ? ("more" as const) : yield* end(job, "failed", failure)
      }
      const context = contextOf(storeId, set, "dryRun")
      const sums = set.preview === null ? NO_SUMS : SumsDocument.decode(set.preview)
      const limit = set.mode === "atomic" ? MAX_ATOMIC_OPERATIONS : PREVIEWED
      const numbered = yield* rows.listOperations(storeId, set.id, set.done, limit)
      const previewed = yield* Effect.result(previews.next(job, set, context, numbered, sums))
      if (previewed._tag === "Failure") {
        const { failure } = previewed
        if (failure._tag === "LeaseLost") return yield* failure
        if (failure._tag === "AtomicStopped") return yield* endStopped(job, failure)
        return yield* end(job, "failed", failure.message)
      }
      const { collector, results, steps } = previewed.success
      collector.addResults(results)
      const done = set.done + results.length
      const isLast = done >= set.total
      const preview = isLast ? yield* complete(context, collector.sums()) : collector.sums()
      const ended = yield* inTransaction(
        Effect.gen(function* () {
          yield* rows.storeResults(storeId, set.id, results, false)
          yield* repository.advance(storeId, set.id, { done, ...countOf(results), preview })
          const kept = yield* keep(job)
          if (kept === "canceled" || !isLast) return kept
          yield* repository.ready(storeId, set.id)
          yield* jobs.finish(job)
          return "finished" as const
        })
      )
      if (ended === "more") previews.keep(set.id, done, steps)
      return ended === "canceled" ? yield* end(job, "canceled") : ended
    })

    /** Applies the next operations of a set and stores their results. */
    const applyNext = (
      job: Job,
      set: StoredChangeSet
    ): Write<"more" | "canceled" | "applied", StoreNotFound | LeaseLost | AtomicRefusal | AtomicStopped> =>
      Effect.gen(function* () {
        const { storeId } = job
        const isAtomic = set.mode === "atomic"
        const limit = isAtomic ? MAX_ATOMIC_OPERATIONS : APPLIED
        const overwrites = set.onConflict === "overwrite"
        const withRefused = overwrites && set.undoes !== null
        const numbered = yield* rows.listChanging(storeId, set.id, set.done, limit, withRefused)
        const conditional = overwrites ? numbered.map((one) => ({ ...one, base: null })) : numbered
        const results = yield* operations.perform(storeId, conditional, set, () => pace(job, set, "locked"))
        if (isAtomic && results.some(({ outcome }) => outcome === "refused"))
          return yield* new AtomicRefusal({ results })
        yield* rows.storeResults(storeId, set.id, results, true)
        const { changed, refused, unchanged } = countOf(results)
        const performed = numbered.slice(0, results.length)
        const wereRefused = performed.filter(({ wasRefused }) => wasRefused).length
        yield* repository.advance(storeId, set.id, {
          done: (performed.at(-1)?.index ?? set.total - 1) + 1,
          changed: changed - (results.length - wereRefused),
          unchanged,
          refused: refused - wereRefused
        })
        const kept = yield* keep(job)
        return results.length === numbered.length && (isAtomic || numbered.length < limit) ? "applied" : kept
      })

    const applyStep = Effect.fn("ChangeSetJobs.apply")(function* (job: Job) {
      const { storeId } = job
      const found = yield* repository.find(storeId, changeSetOf(job))
      if (Option.isNone(found) || (found.value.state !== "applying" && found.value.state !== "scheduled")) {
        yield* jobs.finish(job)
        return "finished" as const
      }
      if (job.isCanceled) return yield* end(job, "canceled")
      const set = found.value
      if (set.import !== null) return yield* importNext(job, set, set.import, "perform")
      if (yield* hasLostAccess(set, storeId)) return yield* end(job, "failed", LOST_ACCESS)
      if (set.state === "scheduled") {
        const isStarted = yield* repository.start(storeId, set.id, "scheduled", "applying", set.onConflict, null)
        // It was canceled meanwhile.
        if (!isStarted) {
          yield* jobs.finish(job)
          return "finished" as const
        }
      }
      const context = contextOf(storeId, set, "perform")
      const applied = yield* Effect.result(run(recorded(context, null, withReason(applyNext(job, set), set.note))))
      if (applied._tag === "Success") {
        return applied.success === "more" ? ("more" as const) : yield* end(job, applied.success)
      }
      const error = applied.failure
      if (error instanceof AtomicRefusal) {
        const refusals = error.results.filter(({ outcome }) => outcome === "refused")
        const refused = refusals.length
        // Together with the end: repeated after a crash, the counts would change twice.
        return yield* inTransaction(
          Effect.gen(function* () {
            yield* rows.storeResults(storeId, set.id, refusals, false)
            yield* repository.advance(storeId, set.id, { done: 0, changed: -refused, unchanged: 0, refused })
            return yield* end(
              job,
              "failed",
              `${refused} operations were refused because of changes after the preview; nothing was changed`
            )
          })
        )
      }
      if (error instanceof AtomicStopped) return yield* endStopped(job, error)
      return error._tag === "LeaseLost" ? yield* error : yield* end(job, "failed", error.message)
    })

    const fail = (job: Job) =>
      Effect.asVoid(
        end(job, "failed", "An unexpected failure, which the log of the service describes; results up to it are kept")
      )

    const works: { readonly preview: JobWork; readonly apply: JobWork } = {
      preview: { step: previewStep, fail },
      apply: { step: applyStep, fail }
    }
    return works
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
