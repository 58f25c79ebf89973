import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { AppId } from "../../domain/access/Ids.ts"
import { EventId } from "../../domain/Events.ts"
import { uuidOfMicros } from "../../domain/Uuid.ts"
import { TEST_KIND, TEST_LIMITS, TooManyTests } from "../../domain/webhooks/Webhook.ts"
import type { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { hashSubject, type SignInThrottle } from "../access/SignInThrottle.ts"
import { START } from "../sql/Pages.ts"
import { orDefect } from "../sql/Errors.ts"
import { type Outgoing, notSent } from "./Outgoing.ts"
import type { Sealing } from "./Sealing.ts"
import { type Endpoint, signedRequest, WRONG_SECRET_KEY } from "./SignedRequest.ts"
import { failWithoutWebhook } from "./Subscriptions.ts"

const decodeEndpoint = Schema.decodeUnknownEffect(
  Schema.Struct({
    appId: Schema.toType(AppId),
    url: Schema.String,
    secret: Schema.String,
    previousSecret: Schema.NullOr(Schema.String),
    isPublicOnly: Schema.Boolean,
    now: Schema.Number
  })
)

/** Builds a test event. Only its kind differs from other events: its store id consists of zeros. */
const makeTestEvent = (now: number) => {
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

/** Sends test events, under the same address checks as deliveries. */
export const makeTestDeliveries = (
  sql: SqlClient.SqlClient,
  {
    outgoing: { post },
    sealing,
    throttle
  }: {
    readonly outgoing: Outgoing
    readonly sealing: Effect.Effect<Sealing>
    readonly throttle: typeof SignInThrottle.Service
  }
) => {
  const findEndpoint = Effect.fnUntraced(function* (app: AppId) {
    const [endpoint] = yield* sql`
      select
        w.app_id as "appId", w.url, w.secret,
        case when w.previous_secret_until > clock_timestamp() then w.previous_secret end as "previousSecret",
        a.developer_id is not null as "isPublicOnly", extract(epoch from clock_timestamp())::float8 as now
      from webhooks w join apps a on a.id = w.app_id where w.app_id = ${app}
    `
    return endpoint === undefined ? yield* failWithoutWebhook(sql, app) : yield* decodeEndpoint(endpoint)
  })

  const send = Effect.fnUntraced(function* (endpoint: Endpoint, event: ReturnType<typeof makeTestEvent>) {
    const { open } = yield* sealing
    return yield* Option.match(signedRequest(open, endpoint, event), {
      onNone: () => Effect.succeed(notSent(WRONG_SECRET_KEY)),
      onSome: post
    })
  })

  return {
    test: Effect.fn("Webhooks.test")(function* (app, by) {
      const { now, ...endpoint } = yield* findEndpoint(app)
      yield* throttle.count(
        [
          [hashSubject("webhook test", by), TEST_LIMITS.account],
          [hashSubject("webhook test", new URL(endpoint.url).hostname), TEST_LIMITS.host]
        ],
        () => new TooManyTests()
      )
      const event = makeTestEvent(now)
      const { answer, durationMillis, error, status } = yield* send(endpoint, event)
      return { eventId: event.eventId, durationMillis, status, answer: new TextDecoder().decode(answer), error }
    }, orDefect)
  } satisfies Partial<typeof Webhooks.Service>
}
