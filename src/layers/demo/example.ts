import { Effect, Option, Redacted } from "effect"
import { Apps } from "../../domain/access/Apps.ts"
import { EventKind } from "../../domain/Events.ts"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { Database } from "../database/Postgres.ts"
import { statement } from "../database/Statement.ts"
import { arrayOf } from "../Lists.ts"

/** Where the app in `examples/price-tags` listens. */
const ORIGIN = "http://127.0.0.1:4100"

const makePublic = statement(`update apps set is_public = true, redirect_uris = $2 where id = $1`)

/** The app in `examples/price-tags`, ready to be installed: the demo's merchant is asked by it, and it has no secret. */
export const registerExample = Effect.gen(function* () {
  const { create } = yield* Apps
  const { subscribe } = yield* Webhooks
  const { count } = yield* Database
  const appId = yield* create({ name: "Price tags", scopes: ["read_products", "write_products"], capabilities: [] })
  yield* count(makePublic(appId, arrayOf([`${ORIGIN}/callback`])))
  const secret = yield* subscribe(appId, { url: `${ORIGIN}/webhooks`, kinds: EventKind.literals })
  return { exampleClientId: appId, exampleWebhookSecret: Redacted.value(Option.getOrThrow(secret)) }
})
