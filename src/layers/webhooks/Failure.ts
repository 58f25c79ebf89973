import { errors } from "undici"
import { MAX_HEADER_BYTES } from "./Informational.ts"
import { LookupFailed } from "./Lookup.ts"

const CLOSED = "The receiver closed the connection before its answer was complete"
const UNREACHABLE = "The receiver cannot be reached over the network"

/** What the codes of Node and undici mean to the person whose webhook it is. */
const SENTENCES: Readonly<Record<string, string>> = {
  ENOTFOUND: "The host of the receiver is not known",
  EAI_AGAIN: "The host of the receiver could not be looked up",
  ECONNREFUSED: "The receiver refused the connection",
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  UND_ERR_HEADERS_OVERFLOW: `The headers of the answer are longer than ${MAX_HEADER_BYTES} bytes`,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "The body of the answer is not as long as its Content-Length says",
  UND_ERR_DESTROYED: "The service stopped before the answer was complete"
}

/** Codes of OpenSSL's verification, and Node's own for a certificate of another host. */
const CERTIFICATE = /CERT|SELF_SIGNED|VERIFY_LEAF|INVALID_CA|HOSTNAME_MISMATCH/

/** A status with which no exchange ends: below 100, or a 101 that switches to nothing. */
export class StatusInvalid extends Error {}

const codeOf = (error: Error) => ("code" in error && typeof error.code === "string" ? error.code : error.name)

/** One sentence on why a request has no answer. */
export const explain = (error: Error): string => {
  if (error instanceof LookupFailed) return error.message
  if (error instanceof StatusInvalid)
    return "The answer is not valid HTTP/1.1 (its status is none that ends an exchange)"
  if (error instanceof errors.HTTPParserError)
    return `The answer is not valid HTTP/1.1${/ \([^()]+\)$/.exec(error.message)?.[0] ?? ""}`
  const code = codeOf(error)
  if (error.message === "bad upgrade") return "The receiver answered 101 (Switching Protocols), which nobody asked for"
  if (/^(?:EPROTO|ERR_SSL)/.test(code)) return `The receiver does not speak TLS as it should (${code})`
  if (CERTIFICATE.test(code)) return `The TLS certificate of the receiver is not valid (${code})`
  return SENTENCES[code] ?? `The request failed (${code})`
}
