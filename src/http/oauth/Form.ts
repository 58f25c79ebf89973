import { Effect, Redacted, Schema } from "effect"
import type { IncomingMessage } from "node:http"
import { ClientId, type Credentials } from "../../domain/oauth/Clients.ts"
import { InvalidClient, InvalidRequest } from "../../domain/oauth/Refusals.ts"
import { decodeUtf8, makeMediaTypeTest, readBody } from "../server/BodyReader.ts"
import { refusalOfTwice, said } from "./Parameters.ts"

/** Bytes of a form: codes, tokens and addresses. */
const MAX_FORM = 16 * 1024

const isForm = makeMediaTypeTest("application/x-www-form-urlencoded")

const invalid = (reason: string) => new InvalidRequest({ reason })

/** The parameters that a request carries in its body, each once. */
export const formOf = Effect.fnUntraced(function* (message: IncomingMessage) {
  if (!isForm(message.headers["content-type"]) || message.headers["content-encoding"] !== undefined) {
    return yield* invalid("The body must be sent with Content-Type: application/x-www-form-urlencoded, not compressed")
  }
  const body = yield* Effect.mapError(Effect.flatMap(readBody(message, MAX_FORM), decodeUtf8), ({ reason }) =>
    invalid(reason)
  )
  const form = new URLSearchParams(body)
  const refusal = refusalOfTwice(form)
  return refusal === undefined ? form : yield* refusal
})

/** A parameter that there has to be. */
export const required = (form: URLSearchParams, name: string) => {
  const text = said(form, name)
  return text === undefined ? Effect.fail(invalid(`${name} is missing`)) : Effect.succeed(text)
}

/** Id and secret stand in the header as in a form (RFC 6749, section 2.3.1). */
const unescaped = (text: string) => new URLSearchParams(`is=${text.replaceAll("&", "%26")}`).get("is") ?? ""

const isClientId = Schema.is(ClientId)

const BASIC = /^Basic ([A-Za-z0-9+/]+={0,2})$/i

/** What the header says, if there is one: nothing where it cannot be read. */
const basicOf = (header: string) => {
  const [, encoded = ""] = BASIC.exec(header) ?? []
  const [, id = "", secret = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString()) ?? []
  return { id: unescaped(id), secret: unescaped(secret) }
}

/** How a client says who it is: by header, or in the form; by both at once it is told which of them it means. */
export const credentialsOf = Effect.fnUntraced(function* (
  { headers: { authorization } }: IncomingMessage,
  form: URLSearchParams
): Effect.fn.Return<Credentials, InvalidClient | InvalidRequest> {
  const inForm = { id: said(form, "client_id"), secret: said(form, "client_secret") }
  const basic = authorization === undefined ? undefined : basicOf(authorization)
  if (basic !== undefined && (inForm.secret !== undefined || (inForm.id ?? basic.id) !== basic.id)) {
    return yield* invalid("The client is named twice; send its secret in the header or in the form, not in both")
  }
  const { id = "", secret = "" } = basic ?? inForm
  if (!isClientId(id)) return yield* new InvalidClient()
  return { clientId: id, secret: secret === "" ? undefined : Redacted.make(secret) }
})
