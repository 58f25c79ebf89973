import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Proposed } from "../../../src/domain/access/Proposals.ts"
import { FetchTimeout } from "../../../src/layers/media/RemoteFiles.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { baseUrl, IsolatedApiTest } from "../../support/http/Api.ts"
import { pictureHost } from "../../support/media/PictureHost.ts"
import { callTool, CLIENTS, freshAgent } from "../../support/rpc/Mcp.ts"
import { agentOf, freshMember, newKey } from "../../support/rpc/Rpc.ts"
import { internetHere } from "../../support/webhooks/Internet.ts"

const decodeProposed = Schema.decodeUnknownSync(Proposed)
const proposalIdOf = (content: unknown) => decodeProposed(content).proposal.id

/** Hosts that the service looked up. */
const lookups: Array<string> = []

const Api = IsolatedApiTest.pipe(
  Layer.provide(internetHere((host) => lookups.push(host))),
  Layer.provide(Layer.succeed(FetchTimeout, 8_000))
)

layer(Api, { excludeTestServices: true, timeout: "120 seconds" })("Pictures by URL", (it) => {
  it.effect("a picture is fetched once for each key, and stored as an upload", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const host = yield* pictureHost
      const call = { storeId, idempotencyKey: newKey(), url: `${host.url}/moved/a/Gr%C3%BC%C3%9Fe-1.png?v=2#top` }
      const file = yield* performed(client.files.fetch(call))
      assert.deepInclude(file, { name: "Grüße-1.png", alt: "", contentType: "image/png", width: 8, height: 6 })
      assert.strictEqual((yield* Effect.promise(() => fetch(file.url))).status, 200)
      assert.deepStrictEqual(host.paths.length, 2)
      assert.deepStrictEqual(yield* client.files.fetch(call), file)
      assert.deepInclude(yield* Effect.flip(client.files.fetch({ ...call, alt: "Desk" })), { _tag: "KeyReused" })
      assert.strictEqual(host.paths.length, 2)
      const named = yield* client.files.fetch({ ...call, idempotencyKey: newKey(), name: "desk", alt: "Desk" })
      assert.deepInclude(named, { name: "desk", alt: "Desk" })
      assert.strictEqual((yield* client.files.list({ storeId })).items.length, 2)
    })
  )

  it.effect("a URL without a picture fails with the reason and stores nothing, and its key can be used again", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const host = yield* pictureHost
      const idempotencyKey = newKey()
      const refused: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
        ["no url", { _tag: "FileNotFetched", problem: "url" }],
        ["http://example.com/desk.png", { _tag: "FileNotFetched", problem: "url" }],
        ["https://me:secret@example.com/desk.png", { _tag: "FileNotFetched", problem: "url" }],
        ["https://169.254.169.254/latest", { _tag: "FileNotFetched", problem: "address" }],
        ["https://2130706433/desk.png", { _tag: "FileNotFetched", problem: "address" }],
        [`${host.url}/missing`, { _tag: "FileNotFetched", problem: "status", status: 404 }],
        [`${host.url}/private`, { _tag: "FileNotFetched", problem: "address" }],
        [`${host.url}/local`, { _tag: "FileNotFetched", problem: "url" }],
        [`${host.url}/loop`, { _tag: "FileNotFetched", problem: "redirects" }],
        [`${host.url}/hang`, { _tag: "FileNotFetched", problem: "timeout" }],
        ["https://hooks.example.com:1/desk.png", { _tag: "FileNotFetched", problem: "connection" }],
        [`${host.url}/endless`, { _tag: "FileTooLarge" }],
        [`${host.url}/text`, { _tag: "FileTypeRefused", found: null }],
        [`${host.url}/empty`, { _tag: "FileEmpty" }]
      ]
      for (const [url, error] of refused) {
        const failed = yield* Effect.flip(client.files.fetch({ storeId, idempotencyKey, url }))
        assert.deepInclude(failed, error, url)
        assert.notMatch(failed.message, /receiver|webhook/i)
      }
      assert.deepStrictEqual((yield* client.files.list({ storeId })).items, [])
      yield* client.files.fetch({ storeId, idempotencyKey, url: `${host.url}/1.png` })
    })
  )

  it.effect("a URL of an agent with approvals is looked up and fetched when a member approves it, once", () =>
    Effect.gen(function* () {
      const { client, storeId, token } = yield* freshAgent({ scopes: ["write_files"], proposalsOnly: true })
      const host = yield* pictureHost
      const before = lookups.length
      const call = {
        idempotencyKey: newKey(),
        url: `${host.url}/1.png?price=12.5`,
        alt: "Desk",
        reason: "For the desk"
      }
      const answers = [yield* callTool(token, "files_fetch", call), yield* callTool(token, "files_fetch", call)]
      const missing = { idempotencyKey: newKey(), url: `${host.url}/missing` }
      const failing = yield* callTool(token, "files_fetch", missing)
      const refused = yield* callTool(token, "files_fetch", {
        idempotencyKey: newKey(),
        url: "https://10.0.0.1/1.png"
      })
      assert.deepInclude(refused.structuredContent["error"], { _tag: "FileNotFetched", problem: "address" })
      assert.deepStrictEqual([lookups.length, host.paths], [before, []])

      const [id, repeated] = answers.map(({ structuredContent }) => proposalIdOf(structuredContent))
      assert.strictEqual(repeated, id)
      const page = `/dashboard/${storeId}/proposals`
      for (const { content, structuredContent } of answers) {
        assert.include(structuredContent["notice"], page)
        assert.include(content[0].text.split("\ndata-")[0], page)
      }
      const approval = { storeId, idempotencyKey: newKey(), id: id ?? assert.fail() }
      const approved = yield* client.proposals.approve(approval)
      assert.deepInclude(approved, { status: "approved", result: [] })
      assert.deepInclude(approved.response, { name: "1.png", alt: "Desk", contentType: "image/png" })
      assert.deepStrictEqual(yield* client.proposals.approve(approval), approved)
      const again = yield* Effect.flip(client.proposals.approve({ ...approval, idempotencyKey: newKey() }))
      assert.deepInclude(again, { _tag: "ProposalDecided", status: "approved" })
      assert.deepStrictEqual(host.paths, ["/1.png?price=12.5"])
      const { items } = yield* client.files.list({ storeId })
      assert.deepStrictEqual(
        items.map(({ url }) => url),
        [approved.response?.["url"]]
      )
      const read = yield* callTool(token, "proposals_get", { id })
      assert.deepStrictEqual(read.structuredContent["response"], approved.response)

      const other = { storeId, idempotencyKey: newKey(), id: proposalIdOf(failing.structuredContent) }
      assert.deepInclude(yield* Effect.flip(client.proposals.approve(other)), { _tag: "FileNotFetched", status: 404 })
      assert.deepInclude(yield* client.proposals.get({ storeId, id: other.id }), { status: "pending" })
    })
  )

  it.effect("agents with write_files fetch pictures over MCP; others do not see the tool", () =>
    Effect.gen(function* () {
      const { token, ...member } = yield* freshAgent({ scopes: ["write_files"] })
      const { client, storeId } = member
      const host = yield* pictureHost
      for (const [index, connect] of Object.values(CLIENTS).entries()) {
        const mcp = yield* connect(yield* baseUrl, token)
        const names = (yield* mcp.listTools).map(({ name }) => name)
        assert.include(names, "files_fetch")
        const args = { idempotencyKey: newKey(), url: `${host.url}/${index}.png` }
        const { isError, structuredContent } = yield* mcp.callTool("files_fetch", args)
        assert.notStrictEqual(isError, true)
        assert.deepInclude(structuredContent, { name: `${index}.png`, contentType: "image/png" })
        assert.deepStrictEqual((yield* mcp.callTool("files_fetch", args)).structuredContent, structuredContent)
      }
      assert.strictEqual(host.paths.length, 3)
      assert.strictEqual((yield* client.files.list({ storeId })).items.length, 3)
      const missing = yield* callTool(token, "files_fetch", { idempotencyKey: newKey(), url: `${host.url}/missing` })
      assert.deepInclude(missing, { isError: true })
      assert.include(missing.content[0].text, "status 404")

      const other = yield* agentOf(member, { scopes: ["write_products"] })
      const call = { storeId, idempotencyKey: newKey(), url: `${host.url}/9.png` }
      assert.deepInclude(yield* Effect.flip(other.client.files.fetch(call)), { _tag: "AgentScopeMissing" })
      const stranger = yield* freshMember()
      assert.deepInclude(yield* Effect.flip(stranger.client.files.fetch(call)), { _tag: "StoreNotFound" })
      assert.notInclude(host.paths, "/9.png")
    })
  )
})
