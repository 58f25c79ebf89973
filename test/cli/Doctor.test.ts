import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import packageJson from "../../package.json" with { type: "json" }
import { partnerApi } from "../../src/cli/Program.ts"
import { runInProcess } from "../support/process/Cli.ts"
import { diagnose, resultOf } from "../support/process/Doctor.ts"
import { freePort, makeEmptyDatabase, makeMigratedDatabase, servicesOn } from "../support/process/Process.ts"
import { startS3 } from "../support/S3.ts"
import { portOf, receiver } from "../support/webhooks/Receiver.ts"
import { subscriber } from "../support/webhooks/Webhooks.ts"

/** A server that responds to each request with a status. */
const respondWith = (status: number) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((request, response) => {
          request.resume()
          response.writeHead(request.url === "/healthz" || request.url === "/v1/traces" ? status : 404).end()
        }).listen(0, "127.0.0.1")
        await once(server, "listening")
        return server
      }),
      (server) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    (server) => `http://127.0.0.1:${portOf(server)}`
  )

/** Address at which nothing listens. */
const closed = Effect.map(freePort, (port) => `http://127.0.0.1:${port}`)

it.live("everything that works is ok, and the exit code is 0", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    yield* Effect.provide(subscriber({ url: "https://app.example.com/" }), servicesOn(url))
    const address = yield* respondWith(200)
    const endpoint = yield* receiver()
    const settings = {
      DATABASE_URL: url,
      PUBLIC_URL: address,
      OTEL_EXPORTER_OTLP_ENDPOINT: address,
      WEBHOOK_ALLOW_HOSTS: "127.0.0.1",
      ...(yield* startS3)
    }
    const checks = yield* diagnose(settings, "--url", endpoint.url)
    assert.deepStrictEqual(
      checks.filter(({ status }) => status !== "ok"),
      []
    )
    assert.strictEqual(
      checks.map(({ check }) => check).join(", "),
      "version, settings, disk, database, session, notifications, prepared statements, clock, schema, rights, secrets, files, " +
        "public address, telemetry, receiver"
    )
    assert.strictEqual(resultOf(checks, "secrets"), "ok: The keys open the secrets of 1 webhooks")
    assert.match(resultOf(checks, "files"), /an object was written, read and deleted$/)
    const text = yield* runInProcess(partnerApi(["doctor"]), settings)
    assert.match(
      text.stdout,
      /^STATUS +CHECK +MESSAGE\nok +version +Partner API \d+\.\d+\.\d+ on Node .*\nok +settings +All settings are valid\n/
    )
  })
)

it.live("each wrong setting is a problem that names it", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const checks = yield* diagnose({
      DATABASE_URL: url,
      STORE_QUEUE: "0",
      S3_BUCKET: "pictures",
      S3_SECRET_ACCESS_KEY: "hunter2",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      SECRET_KEY_PREVIOUS: "hunter2",
      TRUSTED_PROXIES: "proxy.internal"
    })
    const names = checks.map(({ message, status }) => `${status} ${message.split(":")[0]}`)
    assert.sameMembers(names, [
      `ok Partner API ${packageJson.version} on Node ${process.versions.node}`,
      "problem STORE_QUEUE",
      "problem S3_ENDPOINT",
      "problem OTEL_EXPORTER_OTLP_PROTOCOL",
      "problem SECRET_KEY_PREVIOUS",
      "problem TRUSTED_PROXIES"
    ])
  })
)

it.live("a key that does not open stored secrets is a problem", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    yield* Effect.provide(subscriber({ url: "https://app.example.com/" }), servicesOn(url))
    const SECRET_KEY = randomBytes(32).toString("base64")
    assert.match(
      resultOf(yield* diagnose({ DATABASE_URL: url, SECRET_KEY }), "secrets"),
      /^problem: The keys do not open the secrets of 1 of 1 webhooks\. Set SECRET_KEY, or SECRET_KEY_PREVIOUS/
    )
  })
)

it.live("a full or protected disk, storage, public address, collector and receiver out of reach are listed", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const [nowhere, failing, s3] = [yield* closed, yield* respondWith(502), yield* startS3]
    const settings = { DATABASE_URL: url, DATA_DIR: "/proc/partner-api", PUBLIC_URL: failing }
    // Processes cannot write there, and it has no free space.
    const first = yield* diagnose(
      { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: nowhere, WEBHOOK_ALLOW_HOSTS: "127.0.0.1" },
      "--url",
      nowhere
    )
    assert.match(resultOf(first, "disk"), /^problem: .*(?:Free space, or set|Set) DATA_DIR/)
    assert.match(resultOf(first, "public address"), /^warning: .*\/healthz: status 502\. Start the server, or correct/)
    assert.match(resultOf(first, "telemetry"), /^warning: .*: the connection was refused\. Start it, or correct OTEL_/)
    assert.match(resultOf(first, "receiver"), /^problem: .*\. Correct the URL, its DNS or its firewall/)

    const second = yield* diagnose(
      { ...settings, ...s3, S3_ENDPOINT: nowhere, PUBLIC_URL: nowhere, OTEL_EXPORTER_OTLP_ENDPOINT: "collector" },
      "--url",
      "https://10.0.0.1/hooks"
    )
    assert.match(resultOf(second, "telemetry"), /^problem: OTEL_EXPORTER_OTLP_ENDPOINT is not a URL/)
    assert.strictEqual(resultOf(second, "disk"), "ok: DATA_DIR is not used")
    assert.match(resultOf(second, "files"), /^problem: Bucket pictures at .*: the connection was refused\. Correct S3_/)
    assert.match(resultOf(second, "public address"), /^warning: .*: the connection was refused\. Start the server/)
    assert.match(resultOf(second, "receiver"), /^problem: .*10\.0\.0\.1: webhooks go to public addresses only/)

    for (const [wrong, status] of [
      [{ S3_ACCESS_KEY_ID: "hunter2" }, 403],
      [{ S3_BUCKET: "absent" }, 404]
    ] as const) {
      const message = resultOf(yield* diagnose({ DATABASE_URL: url, ...s3, ...wrong }), "files")
      assert.match(message, new RegExp(`^problem: .*responded with ${status} to PUT.*Correct S3_ENDPOINT, S3_BUCKET`))
    }
  })
)

it.live("before the first start nothing is a problem, and the exit code is 0", () =>
  Effect.gen(function* () {
    const { url } = yield* makeEmptyDatabase
    const checks = yield* diagnose({ DATABASE_URL: url, PUBLIC_URL: yield* closed })
    assert.deepStrictEqual(
      checks.filter(({ status }) => status !== "ok").map(({ check, status }) => [check, status]),
      [
        ["schema", "warning"],
        ["public address", "warning"]
      ]
    )
    const wrong = resultOf(
      yield* diagnose({ DATABASE_URL: url, PUBLIC_URL: yield* respondWith(404) }),
      "public address"
    )
    assert.match(wrong, /^problem: .*status 404/)
  })
)
