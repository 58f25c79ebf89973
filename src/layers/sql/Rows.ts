import { Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Statement } from "./Statement.ts"

type ReadError = SqlError.SqlError | Schema.SchemaError

/** Makes a function that runs a statement and decodes its row, if it returns one. */
export const rowReader = <Row, RowJson>(row: Schema.Codec<Row, RowJson>) => {
  const decode = Schema.decodeUnknownEffect(row)
  return (statement: Statement): Effect.Effect<Option.Option<Row>, ReadError> =>
    Effect.flatMap(statement, ([first]) => (first === undefined ? Effect.succeedNone : Effect.asSome(decode(first))))
}

/** Makes a function that runs a statement and decodes the row that it always returns. */
export const requiredRowReader = <Row, RowJson>(row: Schema.Codec<Row, RowJson>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Tuple([row]))
  return (statement: Statement): Effect.Effect<Row, ReadError> =>
    Effect.map(Effect.flatMap(statement, decode), ([first]) => first)
}

/** Makes a function that runs a statement and decodes its rows. */
export const rowsReader = <Row, RowJson>(row: Schema.Codec<Row, RowJson>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  return (statement: Statement): Effect.Effect<ReadonlyArray<Row>, ReadError> => Effect.flatMap(statement, decode)
}

const readJsonRow = rowReader(Schema.Struct({ json: Schema.String }))

/** Runs a statement that returns a document as `json`, if it exists. */
export const findJson = (statement: Statement): Effect.Effect<Option.Option<string>, ReadError> =>
  Effect.map(
    readJsonRow(statement),
    Option.map(({ json }) => json)
  )
