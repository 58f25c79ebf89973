import Pg from "pg"
import { serialize } from "pg-protocol"
import type { Answer } from "./Plan.ts"

/** A statement that the server has parsed for this connection, and how its rows are read. */
export interface Parsed {
  readonly name: string
  readonly columns: ReadonlyArray<readonly [name: string, read: (text: string) => unknown]>
}

/** How the rows are read of what the server described. */
export const columnsOf = (fields: ReadonlyArray<Pg.FieldDef>): Parsed["columns"] =>
  fields.map(({ dataTypeID, name }) => [name, Pg.types.getTypeParser(dataTypeID, "text")])

type Value = Buffer | string | null

/** A value as it is sent, if it is one of those that requests are made of. */
const valueOf = (value: unknown): Value | undefined => {
  if (value === null || typeof value === "string" || Buffer.isBuffer(value)) return value
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return value instanceof Date ? value.toISOString() : undefined
}

/** The values as they are sent; none where one of them is left to the driver. */
export const valuesOf = (values: ReadonlyArray<unknown>): Array<Value> | undefined => {
  const sent: Array<Value> = []
  for (const value of values) {
    const given = valueOf(value)
    if (given === undefined) return undefined
    sent.push(given)
  }
  return sent
}

/** What is sent of a statement: that it is known already, and its values. */
export interface Bound {
  readonly parsed: Parsed
  readonly values: Array<Value>
}

/**
 * Several statements and one Sync, as one query of the driver. The driver sends a Sync with each, to which the server
 * answers by a packet of its own, and has the rows described each time (docs/performance.md, Writes).
 */
export class Batch extends Pg.Query {
  constructor(statements: ReadonlyArray<Bound>, answered: (error: Error | undefined, answers: Array<Answer>) => void) {
    super("")
    const answers: Array<Answer> = []
    let rows: Array<unknown> = []
    Object.assign(this, {
      submit: ({ stream }: Pg.Connection) => {
        const messages = statements.flatMap(({ parsed, values }) => [
          serialize.bind({ statement: parsed.name, values }),
          serialize.execute()
        ])
        stream.write(Buffer.concat([...messages, serialize.sync()]))
        return null
      },
      handleDataRow: ({ fields }: { readonly fields: ReadonlyArray<string | null> }) => {
        const row: Record<string, unknown> = {}
        statements[answers.length]?.parsed.columns.forEach(([name, read], place) => {
          const field = fields[place] ?? null
          row[name] = field === null ? null : read(field)
        })
        rows.push(row)
      },
      handleCommandComplete: ({ text }: { readonly text: string }) => {
        const [command = "", ...counts] = text.split(" ")
        answers.push({ command, rows, count: Number(counts.at(-1) ?? 0) })
        rows = []
      },
      handleError: (error: Error) => answered(error, answers),
      handleReadyForQuery: () => answered(undefined, answers)
    })
  }
}
