import { Context, type Effect } from "effect"
import type { Installation } from "./access/Installations.ts"

/** Installation whose request was admitted. */
export interface AdmittedInstallation extends Installation {
  /** Position in the log of the database after its last write, in bytes; null if none was recorded. */
  readonly written: number | null
}

/** Chooses the database server of requests. Without a replica, all are served by the primary. */
export class Reads extends Context.Service<
  Reads,
  {
    /**
     * Runs a read on the replica if it has replayed the last write of the installation and is at most some seconds behind.
     * Otherwise, and if the replica fails, runs it on the primary.
     */
    readonly onReplica: <A, E, R>(
      installation: AdmittedInstallation,
      read: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
    /**
     * Runs an effect on the primary and records the position of the log after it, so that no later read of the installation is
     * older than what the effect wrote or read.
     */
    readonly onPrimary: <A, E, R>(
      installation: AdmittedInstallation,
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
  }
>()("domain/Reads") {}
