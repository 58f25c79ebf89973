import { Effect, Option, Redacted } from "effect"
import { Apps } from "../../domain/access/Apps.ts"
import { EventKind } from "../../domain/Events.ts"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"

/** Where the app in `examples/price-tags` listens. */
const ORIGIN = "http://127.0.0.1:4100"

/** The app in `examples/price-tags`, ready to be installed: the demo's merchant is asked by it, and it has no secret. */
export const registerExample = Effect.gen(function* () {
  const { create } = yield* Apps
  const { subscribe } = yield* Webhooks
  const appId = yield* Effect.orDie(
    create({
      name: "Price tags",
      isPublic: true,
      redirectUris: [`${ORIGIN}/callback`],
      scopes: ["read_products", "write_products"],
      capabilities: []
    })
  )
  const secret = yield* subscribe(appId, { url: `${ORIGIN}/webhooks`, kinds: EventKind.literals })
  return { exampleClientId: appId, exampleWebhookSecret: Redacted.value(Option.getOrThrow(secret)) }
})
