import { Effect } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { BadRequest, INVALID } from "../../domain/BadRequest.ts"
import { issuesOf } from "../../domain/Decoder.ts"
import { RequestValidation } from "../api/Middleware.ts"

export const RequestValidationLive = HttpApiMiddleware.layerSchemaErrorTransform(RequestValidation, (error) =>
  // A response that its schema does not admit is a defect.
  error.kind === "Body" || error.kind === "ResponseHeaders"
    ? Effect.fail(error)
    : new BadRequest({ reason: INVALID, issues: issuesOf(error.cause) })
)
