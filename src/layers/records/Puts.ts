import { Effect, Result, type Schema } from "effect"
import { parse } from "../../domain/Json.ts"
import type { PutResult, RecordContext, RecordPut } from "../../domain/records/Records.ts"
import type { StoreId } from "../../domain/Store.ts"
import { uuidOfMicros } from "../../domain/Uuid.ts"
import type { Step } from "../sql/Plan.ts"
import { findRecords, type Stored, storedOf, type Table, type Written } from "./Records.ts"

/** What every record has. */
interface Dated {
  readonly createdAt: string
  readonly updatedAt: string
}

/** A kind of record: how it is made, and what is read of one that it is put over. */
export interface Kind<Id extends string, Input, Full extends Dated, Before extends Dated> {
  readonly table: Table
  readonly id: Schema.Codec<Id, string> & { readonly make: (id: string) => Id }
  readonly decode: (document: unknown) => Before
  readonly personal: ReadonlyArray<keyof Full & string>
  readonly make: (input: Input, given: RecordContext<Id, Before>) => Full
}

/** What the store gives. */
export interface Clock {
  readonly currencyCode: string
  readonly tick: () => number
}

/** What several puts come to, of which nothing is written yet. */
export interface Decided<Id, Full, Before, Refused> {
  readonly outcomes: ReadonlyArray<Result.Result<PutResult<Id>, Refused>>
  readonly changes: ReadonlyArray<{ readonly before: Before | undefined; readonly after: Full }>
  readonly written: ReadonlyMap<string, Written>
}

const isSame = (a: Stored, b: Stored) => a.document === b.document && a.personal === b.personal

export const atOf = (micros: number) => new Date(Math.floor(micros / 1000))

/** Decides what becomes of records that are put, one after the other: the second of one id finds what the first made. */
export const decidingOf = <Id extends string, Input, Full extends Dated, Before extends Dated>({
  decode,
  id: Id,
  make,
  personal,
  table
}: Kind<Id, Input, Full, Before>) =>
  Effect.fnUntraced(function* <Refused = never>(
    store: StoreId,
    puts: ReadonlyArray<RecordPut<Id, Input>>,
    { currencyCode, tick }: Clock,
    refusalOf: (input: Input) => Refused | undefined = () => undefined
  ): Step<Decided<Id, Full, Before, Refused>> {
    const known = yield* findRecords(
      table,
      store,
      puts.flatMap(({ id }) => id ?? [])
    )
    const written = new Map<string, Written>()
    const changes: Array<{ before: Before | undefined; after: Full }> = []

    const decide = ({ id: named, input }: RecordPut<Id, Input>): Result.Result<PutResult<Id>, Refused> => {
      const refusal = refusalOf(input)
      if (refusal !== undefined) return Result.fail(refusal)
      const stored = named === null ? undefined : (written.get(named) ?? known.get(named))
      const before = stored && decode(parse(stored.document))
      const changedAt = tick()
      const id = named === null || stored === undefined ? Id.make(uuidOfMicros(changedAt)) : named
      const after = make(input, { id, at: atOf(changedAt), currencyCode, before })
      if (stored !== undefined && before !== undefined) {
        const { updatedAt } = before
        if (isSame(stored, storedOf({ ...after, updatedAt }, personal)))
          return Result.succeed({ id, outcome: "unchanged" })
      }
      written.set(id, { changedAt, ...storedOf(after, personal) })
      changes.push({ before, after })
      return Result.succeed({ id, outcome: before === undefined ? "created" : "updated" })
    }

    return { outcomes: puts.map(decide), changes, written }
  })
