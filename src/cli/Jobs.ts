import { Effect, Layer } from "effect"
import type { StoreId } from "../domain/Store.ts"

/** Runs the jobs of a store in this process until the scope ends. Servers and workers may run them, too. */
export const runJobs = (store: StoreId) =>
  Effect.flatMap(
    // Imported here, because most commands run no jobs.
    Effect.promise(() => Promise.all([import("../layers/jobs/JobRunner.ts"), import("../layers/Domain.ts")])),
    ([{ jobRunner }, { DomainLive }]) => Layer.build(Layer.provide(jobRunner(1, store), DomainLive))
  )
