import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { makeMigratedDatabase, rowsOf, runNode, servicesOn, type Variables } from "../support/process/Process.ts"
import { SECRET_KEY } from "../support/SecretKey.ts"
import { subscriber } from "../support/webhooks/Webhooks.ts"

const key = () => randomBytes(32).toString("base64")

const resealedResult = (resealed: number) => ({ code: 0, output: `resealed: ${resealed}\nunopened: 0\n` })

it.live("reseal encrypts secrets with the new key, and the previous key is no longer required", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const { appId } = yield* Effect.provide(subscriber({ url: "https://app.example.com/" }), servicesOn(url))
    const [before, now] = [key(), key()]
    const reseal = (keys: Variables) =>
      Effect.map(
        runNode("cli", ["webhooks", "reseal"], { DATABASE_URL: url, ...keys }),
        ({ code, stderr, stdout }) => ({
          code,
          output: stdout + stderr
        })
      )
    assert.deepStrictEqual(yield* reseal({ SECRET_KEY: before, SECRET_KEY_PREVIOUS: SECRET_KEY }), resealedResult(1))
    assert.deepStrictEqual(yield* reseal({ SECRET_KEY: now, SECRET_KEY_PREVIOUS: before }), resealedResult(1))
    assert.deepStrictEqual(yield* reseal({ SECRET_KEY: now }), resealedResult(0))
    const withWrongKey = yield* reseal({ SECRET_KEY: before })
    assert.strictEqual(withWrongKey.code, 1)
    assert.match(
      withWrongKey.output,
      /unopened: 1\npartner-api: 1 webhook secrets could not be decrypted\. Set SECRET_KEY_PREVIOUS/
    )

    const [row] = yield* rowsOf(client, "select secret from webhooks where app_id = $1", [appId])
    assert.notInclude(String(row?.["secret"]), "whsec_")
    // Commands that do not create or read secrets need no key.
    const listed = yield* runNode("cli", ["apps", "list"], { DATABASE_URL: url, SECRET_KEY: "" })
    assert.deepInclude(listed, { code: 0, stderr: "" })
    const withoutKey = yield* runNode("cli", ["apps", "webhook", "rotate-secret", "--app", appId], {
      DATABASE_URL: url,
      SECRET_KEY: ""
    })
    assert.strictEqual(withoutKey.code, 1)
    assert.match(withoutKey.stderr, /^partner-api: SECRET_KEY: Expected beside DATABASE_URL: [^\n]+\n$/)
  })
)
