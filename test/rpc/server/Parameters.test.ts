import { assert, layer } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { randomUUID } from "node:crypto"
import { Rpcs } from "../../../src/rpc/Rpcs.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { scene } from "../../support/rpc/Payloads.ts"
import { callLine, exitsOf, memberOf, newKey, post } from "../../support/rpc/Rpc.ts"
import { textFieldsOf, withValueAt } from "../../support/rpc/TextFields.ts"

const UNUSUAL = {
  nul: "\0",
  "nul inside": "a\0b",
  "lone surrogate": "\ud800",
  long: "x".repeat(10_000),
  empty: "",
  spaces: "   "
}

/** Errors that are the fault of the service, or would hide one. */
const FAULTS: ReadonlySet<unknown> = new Set(["InternalError", "ServiceUnavailable", "RateLimitExceeded", "StoreBusy"])

/** Calls of a request, and of the window of a member. */
const PER_REQUEST = 16
const PER_MEMBER = 32 * PER_REQUEST

/** Fields that take 10,000 characters, by their last name. */
const LONG: ReadonlySet<string> = new Set(["description", "alt", "question", "answer"])

const accountPayloads = (appId: string): Readonly<Record<string, object>> => {
  const id = randomUUID()
  const password = { current: "a password of a merchant", next: "another password of a merchant" }
  return {
    "account.get": {},
    "account.changePassword": password,
    "sessions.list": {},
    "sessions.end": { sessionId: id },
    "apps.list": {},
    "apps.get": { appId },
    "apps.create": { app: { name: "Feed", type: "public", scopes: [] } },
    "apps.update": { appId, patch: { name: "Feed" } },
    "apps.rotateSecret": { appId },
    "apps.installations": { appId },
    "appWebhooks.get": { appId },
    "appWebhooks.set": { appId, url: "https://app.example.com/hooks", kinds: ["catalog.product.updated.v1"] },
    "appWebhooks.rotateSecret": { appId, before: "end" },
    "appWebhooks.pause": { appId },
    "appWebhooks.resume": { appId, missed: "skip" },
    "appWebhooks.test": { appId },
    "appDeliveries.list": { appId },
    "appDeliveries.attempts": { appId, eventId: id },
    "appDeliveries.redeliver": { appId, eventId: id }
  }
}

layer(ApiTest, { excludeTestServices: true, timeout: "180 seconds" })("Text parameters of procedures", (it) => {
  it.effect("no text is a defect, and NUL and lone surrogates are refused", () =>
    Effect.gen(function* () {
      const { payloads: ofStore, storeId } = yield* scene
      const member = yield* memberOf(storeId)
      const app = yield* member.client.apps.create({
        idempotencyKey: newKey(),
        app: { name: "Feed", type: "public", scopes: ["read_products"] }
      })
      const payloads: Readonly<Record<string, object>> = { ...ofStore, ...accountPayloads(app.id) }
      assert.sameMembers(Object.keys(payloads), [...Rpcs.requests.keys()])

      const calls = [...Rpcs.requests.values()].flatMap(({ _tag: tag, payloadSchema }) => {
        const paths = textFieldsOf(payloadSchema)
        const isKeyed = paths.some(([name]) => name === "idempotencyKey")
        return paths.flatMap((path) =>
          Object.entries(UNUSUAL).map(([kind, value]) => {
            const base = {
              ...payloads[tag],
              ...(tag in ofStore ? { storeId } : {}),
              ...(isKeyed ? { idempotencyKey: randomUUID() } : {})
            }
            return {
              kind,
              path,
              tag,
              payload: withValueAt(base, path, value),
              label: `${tag} ${path.join(".")}: ${kind}`
            }
          })
        )
      })
      assert.isAbove(calls.length, 500)
      const successes: Array<string> = []
      for (let first = 0; first < calls.length; first += PER_MEMBER) {
        const { cookie } = yield* memberOf(storeId)
        for (let next = first; next < first + PER_MEMBER; next += PER_REQUEST) {
          const batch = calls.slice(next, Math.min(next + PER_REQUEST, first + PER_MEMBER))
          if (batch.length === 0) break
          const lines = batch.map(({ payload, tag }, index) => callLine(tag, payload, { id: String(index) }))
          const { status, text } = yield* post(lines.join(""), { cookie })
          assert.strictEqual(status, 200, text)
          const exits = exitsOf(text)
          for (const [index, { kind, label, path }] of batch.entries()) {
            const exit = exits.get(String(index))
            if (exit?._tag === "Failure") {
              const [{ error }] = exit.cause
              assert.isFalse(FAULTS.has(error["_tag"]), `${label} ${JSON.stringify(error)}`)
            } else {
              assert.isTrue(Predicate.isNotUndefined(exit), label)
              if (/nul|surrogate/.test(kind) || (kind === "long" && !LONG.has(String(path.at(-1)))))
                successes.push(label)
            }
          }
        }
      }
      assert.deepStrictEqual(successes, [])
    })
  )
})
