import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { FeedChange, FeedPage } from "../../../src/domain/journal/ChangeFeed.ts"
import { type Answer, type Client, dataOf } from "./Api.ts"

/** Decodes a page of the feed and rejects excess properties. */
export const decodePage = Schema.decodeUnknownSync(FeedPage, { onExcessProperty: "error" })

export const isChange = Schema.is(FeedChange)

/** Returns the page of a successful answer, without memberships. */
export const feedOf = (answer: Answer) => {
  assert.strictEqual(answer.status, 200, answer.text)
  const page = decodePage(answer.json)
  return { ...page, changes: page.changes.filter(isChange) }
}

/** Reads the newest position. */
export const startOf = (client: Client) => Effect.map(client.get("/changes"), (answer) => feedOf(answer).nextPosition)

export const createProduct = (client: Client, body: object = { name: "Cup" }) =>
  Effect.map(client.post("/products", body), (answer) => String(dataOf(answer)["id"]))

/** Reads the changes after a position. */
export const readAfter = (client: Client, after: string, query = "") =>
  Effect.map(client.get(`/changes?after=${after}${query}`), feedOf)
