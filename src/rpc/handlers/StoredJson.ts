import { Schema } from "effect"
import { type Mask, maskDryRun, maskJson, noMask } from "../../domain/access/Masks.ts"
import { type Document, type DocumentPage, extend, type JsonText } from "../../domain/json/Document.ts"
import type { Outcome } from "../../domain/Idempotency.ts"
import type { QueryPage } from "../../domain/Query.ts"
import { grantsOf, type Principal } from "../Principal.ts"

/** Returns the stored text of a document, which is sent without parsing. */
export const documentJson = <Id>({ json }: Document<Id>): JsonText => json

/** Joins a page from the stored text of its items. */
export const pageJson = ({ items, nextCursor }: DocumentPage<string>): JsonText =>
  `{"items":${items},"nextCursor":${JSON.stringify(nextCursor)}}`

/** Joins a page of a query. */
export const queryPageJson = ({ total, ...page }: QueryPage): JsonText => extend(pageJson(page), `{"total":${total}}`)

/** Returns the response of a deletion. */
export const deletedJson = (_: void, { id }: { readonly id: string }): JsonText => JSON.stringify({ id, deleted: true })

/** Leaves the proposal that an agent made instead of a write as it is. */
const ofResource =
  (mask: Mask): Mask =>
  (grants) => {
    const reduce = mask(grants)
    return reduce && ((response) => ("proposal" in response ? response : reduce(response)))
  }

/**
 * Makes the function that returns the response of a write, with the result of a dry run if it was one. The response is
 * reduced to what the caller sees now: a replay may follow a change of its scopes.
 */
export const makeWriteJson =
  (mask: Mask) =>
  ({ dryRun, text }: Outcome, _: unknown, principal: Principal): JsonText => {
    const grants = grantsOf(principal)
    const resource = maskJson(ofResource(mask), grants, text)
    return dryRun === undefined
      ? resource
      : extend(`{"resource":${resource}}`, JSON.stringify(maskDryRun(grants, dryRun)))
  }

/** Returns the response of a write whose resource all its callers see. */
export const writeJson = makeWriteJson(noMask)

/** Encodes a value with the success schema of a definition, for services that do not return JSON text. */
export const encodeSuccess = <A>({ successSchema }: { readonly successSchema: Schema.Codec<A, unknown> }) => {
  const encode = Schema.encodeSync(successSchema)
  return (value: A): JsonText => JSON.stringify(encode(value))
}
