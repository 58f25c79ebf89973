import { Option, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { EventId, EventKind } from "../domain/Events.ts"
import { DeliveryState, LOG_DAYS } from "../domain/webhooks/Webhook.ts"
import { Webhooks } from "../domain/webhooks/Webhooks.ts"
import { app, choice, command, group, json, limit, misused, option, toggle } from "./Options.ts"
import { print, printList } from "./Output.ts"

const url = option("url", Schema.String, "Where its events are sent to, as in https://app.example/hooks")

export const events = choice("event", EventKind.literals, "A kind of event it wants; give it once for each")

/** A secret is printed when it is made, and only then. */
export const secretFields = (secret: Option.Option<Redacted.Redacted>) =>
  Option.match(secret, { onNone: () => ({}), onSome: (made) => ({ webhookSecret: Redacted.value(made) }) })

const set = command("set", { app, url, events: Flag.atLeast(events, 1), json }, function* ({ app, events, json, url }) {
  const { show, subscribe } = yield* Webhooks
  const secret = yield* subscribe(app, { url, kinds: events })
  const { pauseReason, url: kept } = yield* show(app)
  yield* print(json, { appId: app, url: kept, events, ...secretFields(secret), stillPaused: pauseReason ?? undefined })
}).pipe(Command.withDescription("Set where an app's events go and which it wants; its first webhook prints a secret"))

const rotateSecret = command(
  "rotate-secret",
  {
    app,
    now: toggle("now", "The secret before leaked: it signs nothing more, and receivers need the new one at once"),
    json
  },
  function* ({ app, json, now }) {
    const { rotateSecret } = yield* Webhooks
    const { previousUntil, secret } = yield* rotateSecret(app, now ? "end" : "overlap")
    const webhookSecret = Redacted.value(secret)
    yield* print(json, { appId: app, webhookSecret, previousSecretSignsUntil: previousUntil })
  }
).pipe(Command.withDescription("Make a new secret; the one before signs along for 24 hours"))

const pause = command("pause", { app, json }, function* ({ app, json }) {
  const { pause } = yield* Webhooks
  yield* pause(app)
  yield* print(json, { appId: app, paused: true })
}).pipe(
  Command.withDescription(
    `Send nothing more; what happens meanwhile is kept for when it is resumed, ${LOG_DAYS} days at most`
  )
)

const resume = command(
  "resume",
  {
    app,
    skipMissed: toggle("skip-missed", "Drop what was missed, instead of delivering it now"),
    json
  },
  function* ({ app, json, skipMissed }) {
    const { resume } = yield* Webhooks
    const { count, since, until } = yield* resume(app, skipMissed ? "skip" : "deliver")
    yield* print(json, {
      appId: app,
      paused: false,
      missed: count,
      missedSince: since,
      missedUntil: until,
      missedAre: skipMissed ? "skipped" : "delivered"
    })
  }
).pipe(Command.withDescription("Send again, first what was missed"))

const show = command("show", { app, json }, function* ({ app, json }) {
  const { show } = yield* Webhooks
  const { kinds, ...webhook } = yield* show(app)
  yield* print(json, { ...webhook, events: kinds })
}).pipe(Command.withDescription("How an app's webhook stands"))

const deliveries = command(
  "deliveries",
  {
    app,
    state: Flag.optional(choice("state", DeliveryState.literals, "Only those that stand so")),
    limit,
    json
  },
  function* ({ app, json, limit, state }) {
    const { deliveries } = yield* Webhooks
    const { items } = yield* deliveries(app, { state: Option.getOrUndefined(state), limit })
    yield* printList(json, "deliveries", items)
  }
).pipe(Command.withDescription("The newest deliveries to an app"))

const event = option("event-id", EventId, "The id of an event, which its delivery carries as webhook-id")

const attempts = command("attempts", { app, event, json }, function* ({ app, event, json }) {
  const { attempts } = yield* Webhooks
  yield* printList(json, "attempts", yield* attempts(app, event))
}).pipe(Command.withDescription("Every request that was made to tell an app of an event, and what came back"))

const Time = Schema.DateFromString.annotate({ message: "must be a time, as in 2026-01-31T12:00:00Z" })

const redeliver = command(
  "redeliver",
  {
    app,
    event: Flag.optional(event),
    since: option("since", Time, "All its events since this time").pipe(Flag.optional),
    dead: toggle("dead", "With --since: only those that were given up"),
    json
  },
  function* ({ app, dead, event, json, since }) {
    const { redeliver, redeliverSince } = yield* Webhooks
    if (Option.isSome(event) === Option.isSome(since)) return yield* misused("Give either --event-id or --since")
    if (dead && Option.isNone(since)) return yield* misused("Give --dead with --since")
    const redelivered = Option.isSome(event)
      ? yield* redeliver(app, event.value)
      : yield* redeliverSince(app, Option.getOrThrow(since), dead ? "dead" : "all")
    yield* print(json, { appId: app, redelivered })
  }
).pipe(Command.withDescription("Send one event, or all since a time, once more"))

export const webhook = group("webhook", "Where an app's events go").pipe(
  Command.withSubcommands([set, rotateSecret, pause, resume, show, deliveries, attempts, redeliver])
)
