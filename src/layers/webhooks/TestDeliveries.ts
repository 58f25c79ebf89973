import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppId, type MerchantId } from "../../domain/access/Ids.ts"
import { EventId } from "../../domain/Events.ts"
import { uuidOfMicros } from "../../domain/Uuid.ts"
import { TEST_KIND, TEST_LIMITS, TooManyTests } from "../../domain/webhooks/Webhook.ts"
import { hashSubject, SignInThrottle } from "../access/SignInThrottle.ts"
import { START } from "../sql/Pages.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowReader } from "../sql/Rows.ts"
import { isSuccess } from "./DeliveryQueue.ts"
import { HEALTH, REVISION } from "./Health.ts"
import { notSent, Outgoing } from "./Outgoing.ts"
import { SecretKeys } from "./SecretKeys.ts"
import { type Endpoint, signedRequest, WRONG_SECRET_KEY } from "./SignedRequest.ts"
import { WebhookRepository } from "./WebhookRepository.ts"

const readEndpoint = rowReader(
  Schema.Struct({
    appId: Schema.toType(AppId),
    url: Schema.String,
    secret: Schema.String,
    previousSecret: Schema.NullOr(Schema.String),
    isDeveloped: Schema.Boolean,
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
export class TestDeliveries extends Context.Service<TestDeliveries>()("layers/webhooks/TestDeliveries", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { post } = yield* Outgoing
    const { sealing } = yield* SecretKeys
    const { failWithout } = yield* WebhookRepository
    const throttle = yield* SignInThrottle

    const send = Effect.fnUntraced(function* (endpoint: Endpoint, event: ReturnType<typeof makeTestEvent>) {
      const { open } = yield* sealing
      return yield* Option.match(signedRequest(open, endpoint, event), {
        onNone: () => Effect.succeed(notSent(WRONG_SECRET_KEY)),
        onSome: post
      })
    })

    return {
      /** Sends one signed test event. Stores only its outcome. */
      send: Effect.fn("TestDeliveries.send")(function* (app: AppId, by: MerchantId) {
        const found = yield* readEndpoint(sql`
          select
            w.app_id as "appId", w.url, w.secret,
            case when w.previous_secret_until > clock_timestamp() then w.previous_secret end as "previousSecret",
            a.developer_id is not null as "isDeveloped", extract(epoch from clock_timestamp())::float8 as now
          from webhooks w join apps a on a.id = w.app_id where w.app_id = ${app}
        `)
        if (Option.isNone(found)) return yield* failWithout(app)
        const { now, ...endpoint } = found.value
        yield* throttle.count(
          [
            [hashSubject("webhook test", by), TEST_LIMITS.account],
            [hashSubject("webhook test", new URL(endpoint.url).hostname), TEST_LIMITS.host]
          ],
          () => new TooManyTests()
        )
        const event = makeTestEvent(now)
        const { answer, durationMillis, error, status } = yield* send(endpoint, event)
        yield* sql`insert into endpoints (app_id) values (${app}) on conflict do nothing`
        yield* sql`
          update endpoints set
            revision = w.revision, called_at = coalesce(w.called_at, now()),
            test_failed_at = case when not ${isSuccess({ status })} then now() end,
            failing_since = w.failing_since, paused_at = w.stopped_at, pause_reason = w.stop_reason
          from (
            select
              app_id, ${REVISION} as revision, h.called_at, h.failing_since,
              case when e.revision >= w.resumed_revision then e.paused_at end as stopped_at,
              case when e.revision >= w.resumed_revision then e.pause_reason end as stop_reason
            from endpoints e join webhooks w using (app_id) cross join ${HEALTH} h
            where app_id = ${app} and url = ${endpoint.url} for update of e
          ) w
          where endpoints.app_id = w.app_id
        `
        return { eventId: event.eventId, durationMillis, status, answer: new TextDecoder().decode(answer), error }
      }, orDefect)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
