import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId, InstallationId, MerchantId } from "../../domain/access/Ids.ts"
import { Actor } from "../../domain/Actor.ts"
import { ChangeSetId } from "../../domain/changeSets/ChangeSet.ts"
import type { Performed } from "../../domain/changeSets/StoredOperation.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Change, WriteContext } from "../../domain/Write.ts"
import { type Job, Jobs } from "../jobs/Jobs.ts"
import { makeTransaction } from "../sql/Transaction.ts"
import { ChangeSetRepository } from "./ChangeSetRepository.ts"
import type { StoredChangeSet } from "./StoredChangeSet.ts"

/** Returns the change set on which a job works. */
export const changeSetOf = (job: Job) => ChangeSetId.make(job.subjectId, { disableChecks: true })

const actorOf = ({ actorId, actorType }: StoredChangeSet): Actor => {
  switch (actorType) {
    case "app":
      return Actor.App({ id: InstallationId.make(actorId) })
    case "merchant":
      return Actor.Merchant({ id: MerchantId.make(actorId) })
    case "agent":
      return Actor.Agent({ id: AgentId.make(actorId) })
  }
}

/** Returns the context of the writes of a set. Its author is the actor. */
export const contextOf = (storeId: StoreId, set: StoredChangeSet, mode: WriteContext["mode"]): WriteContext => ({
  storeId,
  actor: actorOf(set),
  surface: set.surface,
  cause: set.cause,
  requestId: set.requestId ?? undefined,
  approvedBy: set.approvedBy === null ? undefined : MerchantId.make(set.approvedBy),
  changeSetId: set.id,
  mode,
  isSilent: set.import?.isSilent ?? false
})

/** Returns the resource, the versions and the entry of a change. */
export const versionsOf = ({
  after,
  before,
  id,
  resourceId,
  version
}: Change): Pick<Performed, "id" | "seen" | "version" | "entryId"> => ({
  id: resourceId,
  seen: before === null || version === null ? null : after === null ? version : version - 1,
  version,
  entryId: id
})

/** Counts results by their outcome. */
export const countOf = (results: ReadonlyArray<Pick<Performed, "outcome">>) => {
  const count = (isCounted: (outcome: Performed["outcome"]) => boolean) =>
    results.filter(({ outcome }) => isCounted(outcome)).length
  return {
    created: count((outcome) => outcome === "created"),
    changed: count((outcome) => outcome !== "refused" && outcome !== "unchanged"),
    unchanged: count((outcome) => outcome === "unchanged"),
    refused: count((outcome) => outcome === "refused")
  }
}

/** Makes the parts that the steps of all jobs of change sets share. */
export const jobSteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* Jobs
  const repository = yield* ChangeSetRepository

  const inTransaction = makeTransaction(sql)

  return {
    inTransaction,

    /** Ends a set and its job together. */
    end: (job: Job, state: "applied" | "canceled" | "failed", failure: string | null = null) =>
      inTransaction(
        Effect.andThen(repository.finish(job.storeId, changeSetOf(job), state, failure), jobs.finish(job))
      ).pipe(Effect.as("finished" as const)),

    /** Keeps the lease, in the transaction of a step. Returns how the step ended. */
    keep: (job: Job) =>
      Effect.map(jobs.keep(job), (isCanceled) => (isCanceled ? ("canceled" as const) : ("more" as const)))
  }
})
