import { Effect, Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { type ExportId, MAX_EXPORTS, MAX_UNFINISHED, TooManyExports } from "../../domain/exports/Export.ts"
import { Exports } from "../../domain/exports/Exports.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { Jobs } from "../jobs/Jobs.ts"
import { orDefect } from "../sql/Errors.ts"
import { ExportRepository } from "./ExportRepository.ts"

/** Fails if a limit is reached. Names the oldest of the exports that count. */
const refuse = (
  limit: TooManyExports["limit"],
  isReached: boolean,
  [oldest]: ReadonlyArray<{ readonly id: ExportId }>
): Effect.Effect<void, TooManyExports> =>
  isReached && oldest !== undefined ? new TooManyExports({ limit, oldest: oldest.id }) : Effect.void

export const ExportsLive = Layer.effect(
  Exports,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repository = yield* ExportRepository
    const jobs = yield* Jobs
    const { lockStore } = yield* StoreAllocation

    return Exports.of({
      create: Effect.fn("Exports.create")(function* (store, content) {
        return yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* lockStore(store)
            const all = yield* repository.listStates(store)
            const running = all.filter(({ state }) => state === "running")
            const ended = all.filter(({ state }) => state !== "running")
            yield* refuse("unfinished", running.length >= MAX_UNFINISHED, running)
            yield* refuse("kept", all.length >= MAX_EXPORTS, ended)
            const created = yield* repository.insert(store, content)
            yield* jobs.insertStatement(store, created.id, "export.write", null)
            yield* jobs.notifyAfterCommit
            return created
          })
        )
      }, orDefect),

      get: repository.get,

      list: repository.listPage,

      cancel: Effect.fn("Exports.cancel")(function* (store, id) {
        yield* repository.get(store, id)
        yield* jobs.cancelStatement(store, id)
        yield* jobs.notifyAfterCommit
      }, orDefect),

      readPart: repository.readPart,

      read: (store, id) =>
        Stream.paginate(0, (part) =>
          Effect.map(repository.readPart(store, id, part), ({ lines, nextPart }) => [
            lines === "" ? [] : [lines],
            Option.fromNullishOr(nextPart)
          ])
        ),

      delete: Effect.fn("Exports.delete")(function* (store, id) {
        yield* sql.withTransaction(Effect.andThen(jobs.deleteStatement(store, id), repository.delete(store, id)))
      }, orDefect),

      purge: repository.deleteExpired()
    })
  })
)
