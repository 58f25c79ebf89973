import { Context, Effect, Layer, Option } from "effect"
import { refusalOf } from "../../domain/access/AccessRule.ts"
import { Access } from "../api/Access.ts"
import { AccessCheck, CurrentInstallation } from "../api/Middleware.ts"

/** The service does not start if an endpoint has no access rule. */
export const AccessCheckLive = Layer.succeed(AccessCheck, (httpEffect, { endpoint }) => {
  const rule = Option.getOrThrowWith(
    Context.getOption(endpoint.annotations, Access),
    () => new Error(`The endpoint ${endpoint.identifier} has no access rule`)
  )
  return Effect.gen(function* () {
    const refusal = refusalOf(yield* CurrentInstallation, rule)
    return yield* refusal === undefined ? httpEffect : Effect.fail(refusal)
  })
})
