import { Effect, Option } from "effect"
import type { ChangeSetId } from "../../domain/changeSets/ChangeSet.ts"
import type { NumberedOperation } from "../../domain/changeSets/StoredOperation.ts"
import { ChangeRecorder, type WriteContext } from "../../domain/Write.ts"
import type { Job } from "../jobs/Jobs.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { observeChanges, Recording } from "../Writes.ts"
import { Operations, type PreviewedSteps } from "./Operations.ts"
import { makePace } from "./Pace.ts"
import { previewSummary, type Sums } from "./PreviewSummary.ts"
import { isBatched } from "./ProductTargets.ts"
import type { StoredChangeSet } from "./StoredChangeSet.ts"

/** Maximum number of previews whose state a process keeps between their steps. */
const KEPT = 4

/** State of a preview after its first operations. */
interface KeptPreview {
  readonly id: ChangeSetId
  readonly done: number
  readonly steps: PreviewedSteps | undefined
}

/** Makes the functions that preview the next operations of a set. */
export const previewing = Effect.gen(function* () {
  const operations = yield* Operations
  const { recorded } = yield* Recording
  const { run } = yield* UnitOfWork
  const { collect } = yield* previewSummary
  const pace = yield* makePace

  /** The last previews of this process. Another process continues from what is stored. */
  let kept: ReadonlyArray<KeptPreview> = []

  return {
    /**
     * Previews operations, and adds up their changes. They are computed without a lock if that is possible, and for an atomic
     * set for all of them. Else they are performed and rolled back.
     */
    next: Effect.fn("Previewing.next")(function* (
      job: Job,
      set: StoredChangeSet,
      context: WriteContext,
      numbered: ReadonlyArray<NumberedOperation>,
      sums: Sums
    ) {
      const { storeId } = job
      const earlier = kept.find(({ done, id }) => id === set.id && done === set.done)?.steps
      if (numbered.every(isBatched)) {
        const computed = yield* collect(context, sums)
        const previewed = yield* Effect.provideService(
          operations.preview(storeId, numbered, set, pace(job, set, "unlocked"), earlier),
          ChangeRecorder,
          { record: (changes) => Effect.sync(() => computed.addChanges(changes)) }
        )
        if (Option.isSome(previewed)) {
          const { results, steps } = previewed.value
          if (set.mode === "each" || results.length === numbered.length) return { results, steps, collector: computed }
        }
      }
      const collector = yield* collect(context, sums)
      const write = observeChanges(
        operations.perform(storeId, numbered, set, () => pace(job, set, "locked")),
        collector.addChanges
      )
      return { results: yield* run(recorded(context, null, write), "dryRun"), steps: undefined, collector }
    }),

    /** Keeps what the previewed operations leave, for the next ones. */
    keep: (id: ChangeSetId, done: number, steps: PreviewedSteps | undefined) => {
      kept = [{ id, done, steps }, ...kept.filter((one) => one.id !== id)].slice(0, KEPT)
    }
  }
})
