import { Effect, Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { MAX_UNFINISHED, TooManyExports } from "../../domain/exports/Export.ts"
import { Exports } from "../../domain/exports/Exports.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { Jobs } from "../jobs/Jobs.ts"
import { orDefect } from "../sql/Errors.ts"
import { ExportRepository } from "./ExportRepository.ts"

export const ExportsLive = Layer.effect(
  Exports,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repository = yield* ExportRepository
    const jobs = yield* Jobs
    const { lockStore } = yield* StoreAllocation

    return Exports.of({
      create: Effect.fn("Exports.create")(function* (store, kind) {
        return yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* lockStore(store)
            const { count } = yield* repository.countUnfinished(store)
            if (count >= MAX_UNFINISHED) return yield* new TooManyExports()
            const created = yield* repository.insert(store, kind)
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

      read: (store, id) =>
        Stream.paginate(0, (index) =>
          Effect.map(
            repository.readPart(store, id, index),
            Option.match({
              onNone: () => [[], Option.none()],
              onSome: (lines) => [[lines], Option.some(index + 1)]
            })
          )
        ),

      delete: Effect.fn("Exports.delete")(function* (store, id) {
        yield* sql.withTransaction(Effect.andThen(jobs.deleteStatement(store, id), repository.delete(store, id)))
      }, orDefect),

      purge: repository.deleteExpired()
    })
  })
)
