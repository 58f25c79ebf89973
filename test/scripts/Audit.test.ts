import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { temporaryFolder } from "../support/process/Process.ts"
import { portOf } from "../support/webhooks/Receiver.ts"

/** Runs the audit against a registry whose audit endpoint responds with the status and the advisories. */
const audit = (status: number, advisories: object = {}) =>
  Effect.gen(function* () {
    const registry = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer(({ method, url = "" }, response) => {
          const name = decodeURIComponent(url.slice(1))
          const versions = { "1.0.0": { name, version: "1.0.0" } }
          const isAudit = method === "POST"
          response.writeHead(isAudit ? status : 200, { "content-type": "application/json" })
          response.end(JSON.stringify(isAudit ? advisories : { name, versions, "dist-tags": { latest: "1.0.0" } }))
        }).listen(0, "127.0.0.1")
        await once(server, "listening")
        return server
      }),
      (server) => Effect.sync(() => server.close())
    )
    const npm_config_cache = yield* temporaryFolder
    const npm_config_registry = `http://127.0.0.1:${portOf(registry)}`
    return yield* Effect.promise(async () => {
      const child = spawn(process.execPath, ["scripts/audit.mjs"], {
        env: { ...process.env, npm_config_cache, npm_config_registry, npm_config_fetch_retries: "0" }
      })
      let text = ""
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk))
      const [code] = await once(child, "close")
      return { code: Number(code), text }
    })
  })

const advisory = (severity: string) => [
  { id: 1, url: "https://example.com/advisory", title: "A hole", severity, vulnerable_versions: "*", cwe: [] }
]

it.live("the audit fails on severe advisories of what users get, and counts those of tools", () =>
  Effect.gen(function* () {
    const shipped = ["ws", "react", "prosemirror-view"]
    const severe = yield* audit(200, Object.fromEntries(shipped.map((name) => [name, advisory("high")])))
    assert.strictEqual(severe.code, 1, severe.text)
    for (const name of shipped) assert.include(severe.text, `high: ${name} *, https://example.com/advisory`)
    const others = yield* audit(200, { ws: advisory("moderate"), oxlint: advisory("critical") })
    assert.strictEqual(others.code, 0, others.text)
    assert.include(others.text, "Audit: 0 findings in what users get, 1 in tools")
  })
)

it.live("the audit is skipped without an audit endpoint, and fails when the registry fails", () =>
  Effect.gen(function* () {
    for (const status of [404, 405]) {
      const { code, text } = yield* audit(status)
      assert.deepStrictEqual(
        { code, text },
        {
          code: 0,
          text: "Audit: skipped, because the registry has no audit endpoint\n"
        }
      )
    }
    const { code, text } = yield* audit(503)
    assert.strictEqual(code, 1, text)
    assert.include(text, "Repeat it when the registry is reachable")
  })
)
