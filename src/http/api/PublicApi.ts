import { HttpApi, HttpApiError } from "@effect/platform"
import { INVALID, linesOf } from "../BadRequest.ts"
import { encodedAs } from "../ErrorTable.ts"

const Undecodable = encodedAs(HttpApiError.HttpApiDecodeError, 400, ({ issues }) => ({
  error: INVALID,
  issues: linesOf(issues)
}))

/** An `HttpApi` that documents what cannot be decoded, paths and queries too, in the one shape of errors. */
export const makeApi = <const Id extends string>(id: Id) =>
  Object.assign(HttpApi.make(id), { errorSchema: Undecodable })
