import type { SqlError } from "@effect/sql"
import { Effect, Option, Schema } from "effect"

type Statement = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/** The rows of a statement, decoded. A broken database, or one with other rows than promised, is a defect. */
export const rowsOf = <A, I>(row: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownSync(Schema.Array(row))
  return (statement: Statement): Effect.Effect<ReadonlyArray<A>> => Effect.orDie(Effect.map(statement, decode))
}

/** The first row, if there is one. */
export const rowOf = <A, I>(row: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownSync(row)
  return (statement: Statement): Effect.Effect<Option.Option<A>> =>
    Effect.orDie(Effect.map(statement, ([first]) => (first === undefined ? Option.none() : Option.some(decode(first)))))
}

/** The row of a statement that always has one. */
export const oneRowOf = <A, I>(row: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownSync(row)
  return (statement: Statement): Effect.Effect<A> => Effect.orDie(Effect.map(statement, ([first]) => decode(first)))
}

/** Runs a statement for its effect. */
export const run = (statement: Statement): Effect.Effect<void> => Effect.orDie(Effect.asVoid(statement))

/** How many rows a statement answered. */
export const count = (statement: Statement): Effect.Effect<number> =>
  Effect.orDie(Effect.map(statement, (rows) => rows.length))
