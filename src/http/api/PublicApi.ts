import { HttpApi, HttpApiError } from "@effect/platform"
import { INVALID, linesOf } from "../BadRequest.ts"
import { encodedAs } from "../ErrorTable.ts"

const Undecodable = encodedAs(HttpApiError.HttpApiDecodeError, 400, ({ issues }) => ({
  error: INVALID,
  issues: linesOf(issues)
}))

/** An `HttpApi` whose own decoding failures, of paths and queries, also answer in the one shape of errors. */
export const makeApi = <const Id extends string>(id: Id) =>
  Object.assign(HttpApi.make(id), { errorSchema: Undecodable })
