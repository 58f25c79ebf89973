import { Result, type Schema } from "effect"
import { extend } from "../../domain/json/Document.ts"
import type { StoredDocument } from "../../domain/json/StoredDocument.ts"
import type { UpsertResult, RecordContext, RecordUpsert } from "../../domain/records/Records.ts"
import { uuidOfMicros } from "../../domain/Uuid.ts"
import { splitRecord, type StoredRecord, type WrittenRecord } from "./Records.ts"

/** Times that every record has. */
interface Dated {
  readonly createdAt: string
  readonly updatedAt: string
}

/** Kind of record, and how one is built from an input. */
export interface RecordKind<Id extends string, Input, Full extends Dated, Invalid> {
  readonly id: Schema.Codec<Id, string> & { readonly make: (id: string) => Id }
  readonly document: StoredDocument<Full>
  readonly personal: ReadonlyArray<keyof Full & string>
  readonly make: (input: Input, context: RecordContext<Id, Full>) => Result.Result<Full, Invalid>
}

/** Currency and clock of a locked store. Each tick is a later instant, in microseconds. */
export interface StoreClock {
  readonly currencyCode: string
  readonly tick: () => number
}

/** Result of several upserts, before anything is written. */
export interface PlannedUpserts<Id, Full, Refused> {
  readonly outcomes: ReadonlyArray<Result.Result<UpsertResult<Id>, Refused>>
  readonly changes: ReadonlyArray<{ readonly before: Full | undefined; readonly after: Full }>
  readonly written: ReadonlyMap<string, WrittenRecord>
}

const isSame = (a: StoredRecord, b: StoredRecord) => a.document === b.document && a.personal === b.personal

export const dateOf = (micros: number) => new Date(Math.floor(micros / 1000))

/**
 * Makes a function that plans upserts in order: the second upsert of an id sees the result of the first. `known` are the
 * stored records with these ids.
 */
export const upsertPlanner = <Id extends string, Input, Full extends Dated, Invalid>({
  id: Id,
  make,
  personal,
  document
}: RecordKind<Id, Input, Full, Invalid>) => {
  return <Refused = never>(
    known: ReadonlyMap<string, StoredRecord>,
    upserts: ReadonlyArray<RecordUpsert<Id, Input>>,
    { currencyCode, tick }: StoreClock,
    refusalOf: (input: Input) => Refused | undefined = () => undefined
  ): PlannedUpserts<Id, Full, Refused | Invalid> => {
    const written = new Map<string, WrittenRecord>()
    const changes: Array<{ before: Full | undefined; after: Full }> = []

    const plan = ({
      id: requestedId,
      input
    }: RecordUpsert<Id, Input>): Result.Result<UpsertResult<Id>, Refused | Invalid> => {
      const refusal = refusalOf(input)
      if (refusal !== undefined) return Result.fail(refusal)
      const stored = requestedId === null ? undefined : (written.get(requestedId) ?? known.get(requestedId))
      const before = stored && document.parse(extend(stored.document, stored.personal))
      const changedAt = tick()
      const id = requestedId === null || stored === undefined ? Id.make(uuidOfMicros(changedAt)) : requestedId
      const result = make(input, { id, at: dateOf(changedAt), currencyCode, before })
      if (Result.isFailure(result)) return Result.fail(result.failure)
      const after = document.decode(result.success)
      if (stored !== undefined && before !== undefined) {
        const { updatedAt } = before
        if (isSame(stored, splitRecord({ ...after, updatedAt }, personal, stored))) {
          return Result.succeed({ id, outcome: "unchanged" })
        }
      }
      written.set(id, { changedAt, ...splitRecord(after, personal, stored) })
      changes.push({ before, after })
      return Result.succeed({ id, outcome: before === undefined ? "created" : "updated" })
    }

    return { outcomes: upserts.map(plan), changes, written }
  }
}

/** Returns the ids of upserts that name a record. */
export const idsOf = <Id>(upserts: ReadonlyArray<RecordUpsert<Id, unknown>>): ReadonlyArray<Id> =>
  upserts.flatMap(({ id }) => id ?? [])
