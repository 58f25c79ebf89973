import { isIP, type LookupFunction, type Socket, connect as connectTcp } from "node:net"
import { connect as connectTls, type SecureContext } from "node:tls"
import type { buildConnector } from "undici"

/** Milliseconds for one of several addresses. Node's own 250 would cut off every receiver that is far away or busy. */
const ADDRESS_TIMEOUT = 2500

/** Opens a socket, which is there at once and calls back when it can carry a request, or cannot. */
export type Connector = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket

/**
 * Connects to the addresses that `lookup` gives, one after the other. TLS certificates are checked whatever
 * `NODE_TLS_REJECT_UNAUTHORIZED` says. undici's own connector does the same but does not show the socket before it is
 * connected, so that a request could not give up one that hangs.
 */
export const makeConnector =
  (lookup: LookupFunction, secureContext: SecureContext): Connector =>
  ({ hostname, port, protocol }, callback) => {
    const isTls = protocol === "https:"
    const to = {
      host: hostname,
      port: port === "" ? (isTls ? 443 : 80) : Number(port),
      lookup,
      autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT
    }
    const socket = isTls
      ? connectTls({
          ...to,
          secureContext,
          // An address has no name to ask for (RFC 6066, section 3); the certificate is held against `host` then.
          servername: isIP(hostname) === 0 ? hostname : "",
          ALPNProtocols: ["http/1.1"],
          rejectUnauthorized: true
        })
      : connectTcp(to)
    let report: buildConnector.Callback | undefined = callback
    socket.setNoDelay(true)
    socket.once(isTls ? "secureConnect" : "connect", () => {
      report?.(null, socket)
      report = undefined
    })
    socket.on("error", (error) => {
      report?.(error, null)
      report = undefined
    })
    return socket
  }
