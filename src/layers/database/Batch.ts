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

/** Messages that are always the same: run what was bound and answer all of its rows; and that is all. */
const EXECUTE = serialize.execute()
const SYNC = serialize.sync()

const lengthOf = (value: Value): number => (typeof value === "string" ? Buffer.byteLength(value) : (value?.length ?? 0))

/** Bytes of the message Bind beside its values: its type, its length, two names and their ends, three counts, one format. */
const FRAME = 1 + 4 + 2 + 4 * 2

/** Bytes of a value beside its own: its format and its length. */
const VALUE_FRAME = 2 + 4

/** A statement with the bytes of each of its values, and of its message Bind. */
interface Measured extends Bound {
  readonly lengths: ReadonlyArray<number>
  readonly size: number
}

const measure = ({ parsed, values }: Bound): Measured => {
  const lengths = values.map(lengthOf)
  const size = lengths.reduce((sum, length) => sum + VALUE_FRAME + length, FRAME + parsed.name.length)
  return { parsed, values, lengths, size }
}

/** Writes a value, of which the length is known; text without encoding it where each character is a byte. */
const writeValue = (packet: Buffer, value: Value, length: number, at: number): number => {
  packet.writeInt32BE(value === null ? -1 : length, at)
  if (typeof value === "string") packet.write(value, at + 4, length === value.length ? "latin1" : "utf8")
  else value?.copy(packet, at + 4)
  return at + 4 + length
}

/** Writes the message Bind (manual of PostgreSQL, "Message Formats"), and answers where it ends. */
const writeBind = (packet: Buffer, { lengths, parsed, size, values }: Measured, start: number): number => {
  packet.write("B", start, "latin1")
  packet.writeInt32BE(size - 1, start + 1)
  // The portal has no name.
  packet.write(`\0${parsed.name}\0`, start + 5, "latin1")
  let at = packet.writeInt16BE(values.length, start + 7 + parsed.name.length)
  for (const value of values) at = packet.writeInt16BE(Buffer.isBuffer(value) ? 1 : 0, at)
  at = packet.writeInt16BE(values.length, at)
  for (const [place, value] of values.entries()) at = writeValue(packet, value, lengths[place] ?? 0, at)
  // All columns of the answer as text.
  return packet.writeInt16BE(0, packet.writeInt16BE(1, at))
}

/**
 * What is sent of the statements, in a piece of its size. The driver makes each message by itself and lets it grow with
 * every value: what is written was copied five times on its way (docs/performance.md, Packets).
 */
export const packetOf = (statements: ReadonlyArray<Bound>): Buffer => {
  const measured = statements.map(measure)
  const packet = Buffer.allocUnsafe(measured.reduce((sum, { size }) => sum + size + EXECUTE.length, SYNC.length))
  let at = 0
  for (const one of measured) {
    at = writeBind(packet, one, at)
    at += EXECUTE.copy(packet, at)
  }
  SYNC.copy(packet, at)
  return packet
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
        stream.write(packetOf(statements))
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
