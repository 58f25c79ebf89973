import { assert, layer } from "@effect/vitest"
import { Config, Context, Effect, Layer, Logger, References, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { Rpc, RpcGroup } from "effect/rpc"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { type AccessEntry, AccessLog } from "../../../src/http/server/AccessLog.ts"
import { HttpListener, listen, serveRoutes } from "../../../src/http/server/HttpListener.ts"
import { RecordRoute, RouterMiddleware } from "../../../src/http/routes/Routes.ts"
import { makeRpcRoute } from "../../../src/http/routes/Rpc.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { OutageLog, Unavailable } from "../../../src/domain/Unavailable.ts"
import { makeHandler } from "../../../src/rpc/handlers/Handler.ts"
import { encodeSuccess } from "../../../src/rpc/handlers/StoredJson.ts"
import { Authentication } from "../../../src/rpc/Authentication.ts"
import { makeHttpCalls } from "../../../src/rpc/server/HttpCalls.ts"
import { AuthenticationLive } from "../../../src/rpc/server/Authenticator.ts"
import { makeInProcessCalls } from "../../../src/rpc/server/InProcessCalls.ts"
import { served } from "../../../src/rpc/server/ServedRpcs.ts"
import { baseUrl } from "../../support/http/Api.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { waitUntil } from "../../support/process/Process.ts"
import { lines } from "../../support/http/RawHttp.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { callLine, exitsOf, post, sessionOf } from "../../support/rpc/Rpc.ts"

/** Entries of the access log and of the service log. */
class LogEntries extends Context.Service<
  LogEntries,
  {
    readonly requests: Array<AccessEntry>
    readonly failures: Array<{ readonly text: string; readonly requestId: unknown }>
  }
>()("LogEntries") {}

const SECRET = "postgres://admin:hunter2@db"

const definition = <Tag extends string>(tag: Tag) =>
  Rpc.make(tag, {
    payload: {},
    success: Schema.Struct({ at: Schema.Int }),
    error: Schema.TaggedStruct("Refused", { at: Schema.Int })
  })

const invalidSuccess = definition("invalidSuccess")
const failing = (run: () => Effect.Effect<never>) => makeHandler(definition("any"), run)

const group = served(
  RpcGroup.make(
    definition("valid"),
    definition("error"),
    definition("object"),
    definition("thrown"),
    definition("unavailable"),
    definition("large"),
    invalidSuccess,
    definition("invalidError")
  ).middleware(Authentication)
)

const handlers = group.toLayer({
  valid: makeHandler(definition("valid"), () => Effect.succeed('{"at":1}')),
  error: failing(() => Effect.die(new Error(SECRET))),
  object: failing(() => Effect.die({ password: SECRET })),
  thrown: (): Effect.Effect<never> => {
    throw new Error(SECRET)
  },
  unavailable: failing(() => Effect.die(new Unavailable({ cause: new Error(SECRET) }))),
  // Larger than the socket buffers of both sides.
  large: makeHandler(definition("large"), () =>
    Effect.succeed(JSON.stringify({ at: 1, text: "x".repeat(64 * 1024 * 1024) }))
  ),
  invalidSuccess: makeHandler(invalidSuccess, () => Effect.sync(() => encodeSuccess(invalidSuccess)({ at: 0.5 }))),
  invalidError: makeHandler(definition("invalidError"), () => Effect.fail({ _tag: "Refused", at: 0.5 } as const))
})

const Service = Layer.unwrap(
  Effect.map(LogEntries, ({ failures, requests }) =>
    Layer.effectDiscard(
      Effect.gen(function* () {
        const rpc = yield* makeRpcRoute(yield* makeHttpCalls(yield* makeInProcessCalls(group)))
        yield* serveRoutes(
          yield* HttpRouter.toHttpEffect(Layer.merge(Layer.provide(rpc, RecordRoute), RouterMiddleware))
        )
      })
    ).pipe(
      Layer.provide([handlers, AuthenticationLive]),
      Layer.provideMerge(
        listen({ host: Config.succeed("127.0.0.1"), port: Config.succeed(0) }, { stallTimeout: 500, connections: 100 })
      ),
      Layer.provide(Layer.succeed(AccessLog, (access: AccessEntry) => void requests.push(access))),
      Layer.provide(
        Logger.layer([
          Logger.make(({ cause, fiber }) => {
            failures.push({
              text: String(cause),
              requestId: fiber.getRef(References.CurrentLogAnnotations)["requestId"]
            })
          })
        ])
      )
    )
  )
).pipe(
  Layer.provideMerge(DomainLive),
  Layer.provideMerge(PostgresTest),
  // Other files of the worker may have logged the same outage, whose reasons are logged once.
  Layer.provideMerge(Layer.sync(OutageLog, () => ({ reasons: new Set<string>(), failures: 0 }))),
  Layer.provideMerge(Layer.sync(LogEntries, () => LogEntries.of({ requests: [], failures: [] })))
)

layer(Service, { excludeTestServices: true })("Unexpected failures of procedures", (it) => {
  it.effect("an unexpected failure is logged with the request id, hidden from the client and fails no other call", () =>
    Effect.gen(function* () {
      const cookie = yield* sessionOf((yield* makeMerchant()).email)
      const { failures, requests } = yield* LogEntries
      const failingTags = ["error", "object", "thrown", "invalidSuccess", "invalidError"]
      for (const tag of [...failingTags, "unavailable"]) {
        const requestId = `of-${tag}`
        const body = callLine("valid", {}) + callLine(tag, {}, { id: "2" }) + callLine("valid", {}, { id: "3" })
        const { status, text } = yield* post(body, { cookie, "x-request-id": requestId })
        assert.strictEqual(status, 200)
        assert.notMatch(text, /hunter2|0\.5|stack|"_tag":"Die/)
        const exits = exitsOf(text)
        for (const id of ["1", "3"]) assert.deepStrictEqual(exits.get(id), { _tag: "Success", value: { at: 1 } })
        const error = tag === "unavailable" ? { _tag: "ServiceUnavailable" } : { _tag: "InternalError", requestId }
        assert.deepStrictEqual(exits.get("2"), { _tag: "Failure", cause: [{ _tag: "Fail", error }] })
        assert.lengthOf(
          failures.filter((failure) => failure.requestId === requestId),
          1
        )
      }
      assert.include(failures[0]?.text, SECRET)
      const findRequests = Effect.sync(() => requests.filter(({ requestId }) => requestId === "of-error"))
      const [line] = yield* waitUntil(findRequests, (found) => found.length > 0)
      assert.deepInclude(line, { method: "POST", route: "/rpc", status: 200 })
    })
  )

  it.effect("a client that does not read its response is disconnected", () =>
    Effect.gen(function* () {
      const cookie = yield* sessionOf((yield* makeMerchant()).email)
      const { hostname, port } = new URL(yield* baseUrl)
      const server = yield* HttpListener
      const closed = once(server, "connection").then(([accepted]: Array<Socket>) => accepted && once(accepted, "close"))
      const socket = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const socket = connect(Number(port), hostname).on("error", () => {})
          await once(socket, "connect")
          return socket.pause()
        }),
        (socket) => Effect.sync(() => socket.destroy())
      )
      const body = callLine("large", {})
      const head = ["POST /rpc HTTP/1.1", "host: 127.0.0.1", `cookie: ${cookie}`]
      socket.write(lines(...head, "content-type: application/ndjson", `content-length: ${body.length}`) + body)
      assert.isDefined(yield* Effect.promise(() => closed))
    })
  )
})
