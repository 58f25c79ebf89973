import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, type Client, pageOf, type Resource } from "./Api.ts"

const queryOf = (parameters: Readonly<Record<string, unknown>>) =>
  new URLSearchParams(
    Object.entries(parameters).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])
  ).toString()

export const search = (client: Client, noun: string, parameters: Readonly<Record<string, unknown>> = {}) =>
  client.get(`/${noun}/search?${queryOf(parameters)}`)

export const itemsOf = (answer: Answer) => {
  assert.strictEqual(answer.status, 200, answer.text)
  return pageOf(answer).items
}

/** Values of a field, with a letter in place of null. */
export const valuesOf = (items: ReadonlyArray<Resource>, name: string) =>
  items.map((item) => String(item[name] ?? "-")).join(" ")

/** Reads all pages of two rows. */
export const readAll = Effect.fn(function* (
  client: Client,
  noun: string,
  parameters: Readonly<Record<string, unknown>>
) {
  const items: Array<Resource> = []
  let cursor: string | null | undefined
  while (cursor !== null) {
    const page: Answer = yield* search(client, noun, {
      ...parameters,
      limit: 2,
      ...(cursor === undefined ? {} : { cursor })
    })
    items.push(...itemsOf(page))
    cursor = pageOf(page).nextCursor
  }
  return items
})
