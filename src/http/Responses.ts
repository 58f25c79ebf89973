import { HttpServerResponse } from "@effect/platform"
import type { JsonText } from "../domain/Document.ts"

/** JSON text that is already made, sent as it is. */
export const json = (body: JsonText, status = 200) =>
  HttpServerResponse.raw(body, {
    status,
    headers: { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }
  })
