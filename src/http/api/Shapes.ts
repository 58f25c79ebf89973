import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { BadRequest } from "../../domain/BadRequest.ts"
import { optional } from "../../domain/catalog/Fields.ts"
import { EventLoop } from "../../domain/Events.ts"
import { AnswersFull, KeyReused } from "../../domain/Idempotency.ts"
import { DEFAULT_LIMIT, MAX_LIMIT, PAGE_BYTES, PageLimit } from "../../domain/Page.ts"
import { rehearsed } from "../../domain/Rehearsal.ts"
import { publicError } from "../ErrorTable.ts"
import { KeyMalformed, KeyMissing } from "../KeyRefused.ts"

/* What the endpoints of every resource share: the query of a list, the forms of answers, why writes are refused. */

/** Query parameters of every list (contract, section 8). */
export const pageQuery = <A, I>(cursor: Schema.Schema<A, I>) =>
  Schema.Struct({
    cursor: optional(
      cursor.annotations({ description: "The `nextCursor` of the page before: the id of its last row" })
    ),
    limit: Schema.optionalWith(
      PageLimit.annotations({
        jsonSchema: {
          type: "integer",
          minimum: 1,
          maximum: MAX_LIMIT,
          default: DEFAULT_LIMIT,
          description: `Rows of a page at most: ${DEFAULT_LIMIT} when absent; more than ${MAX_LIMIT} is treated as ${MAX_LIMIT}. A page may hold fewer and still have a \`nextCursor\`: it ends early, after at least one row, when its bytes pass ${PAGE_BYTES / 1024 / 1024} MiB`
        }
      }),
      { exact: true, default: () => DEFAULT_LIMIT }
    )
  })

/** A page of a list, under the name of what it holds. */
export const Page = <A, I, Id, IdI>(name: string, item: Schema.Schema<A, I>, id: Schema.Schema<Id, IdI>) =>
  Schema.Struct({
    [name]: Schema.Array(item),
    nextCursor: Schema.NullOr(id).annotations({
      description: "The id to go on from; null exactly when there is no further row"
    })
  }).annotations({ description: `A page of ${name}` })

export const Answer = <A, I>(data: Schema.Schema<A, I>, description: string) =>
  Schema.Struct({ data }).annotations({ description })

/** What a write answers with: what it made, or what it would make and lead to when it is only rehearsed. */
export const Written = <A, I>(data: Schema.Schema<A, I>, description: string, status = 200) =>
  Schema.Union(
    Schema.Struct({ data, ...rehearsed })
      .annotations({ description: "The same of a dry run" })
      .annotations(HttpApiSchema.annotations({ status })),
    Answer(data, description).annotations(HttpApiSchema.annotations({ status }))
  ).annotations(HttpApiSchema.annotations({ status }))

export const Deleted = <A, I>(id: Schema.Schema<A, I>) =>
  Written(Schema.Struct({ id, deleted: Schema.Literal(true) }), "What is gone")

/** Why any write may be refused: for its key, its path, its body or its condition. */
export const WriteRefused = Schema.Union(
  publicError(KeyMissing),
  publicError(KeyMalformed),
  publicError(KeyReused),
  publicError(BadRequest)
)

/** Why a create or an update may be refused: also for the event that it answers, or the room that its answer takes. */
export const ChangeRefused = Schema.Union(WriteRefused, publicError(EventLoop), publicError(AnswersFull))
