import { Effect, Option, Schema } from "effect"
import { AppId } from "../../domain/access/Apps.ts"
import { EventId } from "../../domain/Events.ts"
import { uuidOfMicros } from "../../domain/Uuid.ts"
import { TEST_KIND, TEST_LIMITS, TooManyTests } from "../../domain/webhooks/Webhook.ts"
import type { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { makeSignInThrottle, subject } from "../access/SignInThrottle.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { sql } from "../sql/Statement.ts"
import { START } from "../Pages.ts"
import { type Outgoing, notSent } from "./Outgoing.ts"
import type { Sealing } from "./Sealing.ts"
import { type Endpoint, signedRequest, WRONG_SECRET_KEY } from "./SignedRequest.ts"
import { noWebhook } from "./Subscriptions.ts"

const selectEndpoint = (app: AppId) => sql`
  select
    w.app_id as "appId", w.url, w.secret,
    case when w.previous_secret_until > clock_timestamp() then w.previous_secret end as "previousSecret",
    a.developer_id is not null as "isPublicOnly", extract(epoch from clock_timestamp())::float8 as now
  from webhooks w join apps a on a.id = w.app_id where w.app_id = ${app}
`
const Row = Schema.Struct({
  appId: Schema.toType(AppId),
  url: Schema.String,
  secret: Schema.String,
  previousSecret: Schema.NullOr(Schema.String),
  isPublicOnly: Schema.Boolean,
  now: Schema.Number
})

/** An event in the form of all others, of which only its kind says what it is: no store has an id of zeros. */
const testEvent = (now: number) => {
  const eventId = EventId.make(uuidOfMicros(Math.floor(now * 1_000_000)))
  const payload = JSON.stringify({
    id: eventId,
    kind: TEST_KIND,
    occurredAt: new Date(now * 1000).toISOString(),
    storeId: START,
    actor: { type: "merchant" },
    hops: 0,
    data: {}
  })
  return { eventId, now, payload }
}

/** Sends an event that tests whether a webhook is reached, under the guards of deliveries. */
export const makeTestDeliveries = (
  database: DatabaseOf,
  { outgoing: { post }, sealing }: { readonly outgoing: Outgoing; readonly sealing: Effect.Effect<Sealing> }
) => {
  const endpointOf = database.first(Row)
  const throttle = makeSignInThrottle(database)

  const send = Effect.fnUntraced(function* (endpoint: Endpoint, told: ReturnType<typeof testEvent>) {
    const { open } = yield* sealing
    return yield* Option.match(signedRequest(open, endpoint, told), {
      onNone: () => Effect.succeed(notSent(WRONG_SECRET_KEY)),
      onSome: post
    })
  })

  return {
    test: Effect.fn("Webhooks.test")(function* (app, by) {
      const found = yield* endpointOf(selectEndpoint(app))
      const { now, ...endpoint } = Option.isSome(found) ? found.value : yield* noWebhook(database, app)
      yield* throttle.count(
        [
          [subject("webhook test", by), TEST_LIMITS.account],
          [subject("webhook test", new URL(endpoint.url).hostname), TEST_LIMITS.host]
        ],
        () => new TooManyTests()
      )
      const told = testEvent(now)
      const { answer, durationMillis, error, status } = yield* send(endpoint, told)
      return { eventId: told.eventId, durationMillis, status, answer: new TextDecoder().decode(answer), error }
    })
  } satisfies Partial<typeof Webhooks.Service>
}
