import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { verifyWebhook } from "../../../src/http/client/Webhooks.ts"
import { createTokens, makeMigratedDatabase, rowsOf, waitUntil } from "../../support/process/Process.ts"
import { type Received, receiver } from "../../support/webhooks/Receiver.ts"
import { createUntilSuccess, listeners, startSender, startWorker } from "../../support/process/Workers.ts"

/** Concurrent, as these tests mostly wait. */
const concurrently = { concurrent: true }

/** Seconds of a Retry-After header, which is sent as a date. */
const RETRY_AFTER = 90

/** Delay of a response in milliseconds. Shorter than the lease and the request timeout. */
const RESPONSE_DELAY = 8000

/** Environment that replaces the clock of a process before its code runs. `now` is an expression of the true time `t`. */
const clock = (now: string) => {
  const code = `
    const TrueDate = Date
    const now = () => { const t = TrueDate.now(); return Math.floor(${now}) }
    globalThis.Date = class extends TrueDate {
      constructor(...given) { given.length === 0 ? super(now()) : super(...given) }
      static now() { return now() }
    }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

const YEAR = 31_557_600_000

const CLOCKS = {
  "ten years ahead": clock(`t + ${10 * YEAR}`),
  "ten years behind": clock(`t - ${10 * YEAR}`),
  random: clock(`t + (Math.random() - 0.5) * ${10 * YEAR}`)
}

const verified = (secret: string | undefined, { body, headers }: Received) =>
  Effect.promise(() => verifyWebhook(secret ?? "", headers, body, { toleranceSeconds: 300 }))

for (const [name, environment] of Object.entries(CLOCKS)) {
  it.live(
    `workers with a clock that is ${name} sign, retry and lease by the database clock`,
    () =>
      Effect.gen(function* () {
        const { client, url } = yield* makeMigratedDatabase
        const prompt = yield* receiver()
        let answers = 0
        const failing = yield* receiver(() => ({ status: answers++ === 0 ? 500 : 204 }))
        const busy = yield* receiver(() => ({
          status: 503,
          headers: { "retry-after": new Date(Date.now() + RETRY_AFTER * 1000).toUTCString() }
        }))
        const slow = yield* receiver(() => new Promise((resolve) => setTimeout(() => resolve({}), RESPONSE_DELAY)))
        const workerEnvironment = { DATABASE_URL: url, ...environment }
        const server = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0" })
        const { storeId, tokens } = yield* createTokens(url)
        const hosts = [prompt, failing, busy, slow]
        const apps = yield* listeners(
          url,
          storeId,
          hosts.map(({ url }) => url)
        )
        yield* Effect.all([startWorker(workerEnvironment), startWorker(workerEnvironment)], {
          concurrency: "unbounded"
        })
        yield* createUntilSuccess(() => server.base, tokens[0], "one")
        const [, , busyApp] = apps
        yield* waitUntil(
          rowsOf(client, "select 1 from deliveries where finished_at is null and app_id <> $1", [busyApp?.appId]),
          (rows) => rows.length === 0
        )

        for (const [index, { received }] of hosts.entries())
          for (const one of received) assert.isTrue((yield* verified(apps[index]?.secret, one)).ok)
        assert.lengthOf(prompt.received, 1)
        assert.lengthOf(slow.received, 1)
        const [first, second, ...more] = failing.received.map(({ at }) => at)
        assert.lengthOf(more, 0)
        assert.isAtLeast((second ?? 0) - (first ?? 0), 4000)
        const [retry] = yield* rowsOf(
          client,
          `select attempts, extract(epoch from d.next_at - a.started_at)::float8 as seconds
         from deliveries d join delivery_attempts a using (store_id, event_id, installation_id) where app_id = $1`,
          [busyApp?.appId]
        )
        assert.strictEqual(retry?.["attempts"], 1)
        assert.approximately(Number(retry?.["seconds"]), RETRY_AFTER, RETRY_AFTER / 3)
      }),
    concurrently
  )
}
