import { HttpServerResponse } from "@effect/platform"
import type { JsonText } from "../domain/Document.ts"

/**
 * JSON text that is already made, sent as it is. With its length known, head and body leave in one write and not in
 * chunks.
 */
export const json = (body: JsonText, status = 200, headers: Record<string, string> = {}) =>
  HttpServerResponse.raw(body, {
    status,
    headers: { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)), ...headers }
  })
