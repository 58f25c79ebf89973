import { assert, layer } from "@effect/vitest"
import { Effect, Predicate, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { type Answer, ApiTest, dataOf, freshClient, install } from "../../support/http/Api.ts"
import { type Documented, jsonContentOf, operations, parametersOf } from "../../support/http/OpenApi.ts"

/** Encoded values that a parameter can have in a URL, by what is unusual about them. */
const UNUSUAL = {
  nul: "%00",
  "nul inside": "a%00b",
  "lone surrogate": "%ED%A0%80",
  long: "x".repeat(10_000),
  empty: "",
  spaces: "%20%20%20"
}

/** Values of a header. `fetch` sends no NUL, and bytes as Latin-1. */
const UNUSUAL_IN_HEADERS = {
  "lone surrogate": "\u00ed\u00a0\u0080",
  long: "x".repeat(10_000),
  empty: "",
  spaces: "   ",
  repeated: "a, a"
}

const ErrorForm = Schema.Struct({ error: Schema.NonEmptyString, issues: Schema.optional(Schema.Array(Schema.String)) })
const isErrorForm = Schema.is(ErrorForm)

/** Fails unless the response is a success, or an error of the client in the form of errors. */
const assertHandled = ({ json, status, text }: Answer, label: string) => {
  assert.isBelow(status, 500, `${label} ${text}`)
  if (status < 400) return
  assert.isTrue(isErrorForm(json) && Predicate.isObject(json), `${label} ${text}`)
  assert.deepStrictEqual(
    Object.keys(Predicate.isObject(json) ? json : {}).filter((key) => key !== "error" && key !== "issues"),
    [],
    label
  )
}

/** Headers of which unusable values are ignored: an unknown preference (RFC 7240, section 2), and an id that is replaced. */
const IGNORED: ReadonlySet<string> = new Set(["Prefer", "X-Request-Id"])

/** Parameters with any text: bytes that are not UTF-8 are searched for as they are written. */
const isSearched = (label: string) => / (?:search|number): lone surrogate$/.test(label)

const bodyOf = (operation: Documented) =>
  Object.values(jsonContentOf(operation)?.["application/json"].examples ?? {})[0]?.value

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Parameters of REST routes", (it) => {
  it.effect("no value of a parameter is a server error, and only ignored headers succeed", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const product = String(dataOf(yield* client.post("/products", { name: "Cup" })).id)
      const collection = String(dataOf(yield* client.post("/collections", { title: "Cups" })).id)
      const set = String(dataOf(yield* client.post("/change-sets", { mode: "each", operations: [] })).id)
      const ids: Readonly<Record<string, string>> = { collections: collection, "change-sets": set }
      const succeeded: Array<string> = []

      for (const operation of operations) {
        // A new installation for each operation, whose window admits its requests.
        const { client } = yield* install(storeId)
        const parameters = parametersOf(operation)
        const valid = { id: ids[operation.path.split("/")[1] ?? ""] ?? product, namespace: "settings" }
        const query = new Map(
          parameters.flatMap(({ in: place, name, required }) =>
            place === "query" && required ? [[name, "theme"]] : []
          )
        )
        const send = Effect.fnUntraced(function* (
          label: string,
          changed: Readonly<Record<string, string>>,
          pairs: ReadonlyArray<string>,
          headers: Record<string, string> = {}
        ) {
          const path = operation.path.replace(
            /\{(\w+)\}/g,
            (_, name: "id" | "namespace") => changed[name] ?? valid[name]
          )
          const search = pairs.length === 0 ? "" : `?${pairs.join("&")}`
          const key = "idempotency-key" in headers ? {} : { key: randomUUID() }
          const body = bodyOf(operation)
          const sent = { ...key, headers, ...(body === undefined ? {} : { body }) }
          const answer = yield* client.send(operation.method, `${path}${search}`, sent)
          assertHandled(answer, label)
          if (answer.status < 300 && !isSearched(label) && !IGNORED.has(label.split(" ")[2]?.replace(":", "") ?? ""))
            succeeded.push(label)
        })
        const others = (name: string) =>
          [...query].flatMap(([other, value]) => (other === name ? [] : [`${other}=${value}`]))

        for (const { in: place, name } of parameters) {
          const values = place === "header" ? UNUSUAL_IN_HEADERS : UNUSUAL
          for (const [kind, value] of Object.entries(values)) {
            const label = `${operation.name} ${name}: ${kind}`
            if (place === "path") yield* send(label, { [name]: value }, others(""))
            if (place === "query") yield* send(label, {}, [...others(name), `${name}=${value}`])
            if (place === "header") yield* send(label, {}, others(""), { [name.toLowerCase()]: value })
          }
          if (place === "query") {
            yield* send(`${operation.name} ${name}: repeated`, {}, [...others(name), `${name}=1`, `${name}=1`])
          }
        }
      }
      assert.deepStrictEqual(succeeded, [])
    })
  )
})
