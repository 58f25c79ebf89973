import { Context, Result, Schema } from "effect"
import parseForwarded from "forwarded-parse"
import ipaddr from "ipaddr.js"
import type { IncomingMessage } from "node:http"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** An address as it is written in full: no short or octal IPv4, and IPv4 mapped to IPv6 as IPv4. */
const parseAddress = (text: string): Address | undefined => {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : undefined
}

/** Tests for an address from which `Forwarded` and `X-Forwarded-For` are believed. */
export type IsTrustedProxy = (address: string) => boolean

export const trustNone: IsTrustedProxy = () => false

/** The proxies in front of the service; none, unless the operator names them. */
export const TrustedProxies = Context.Reference("http/TrustedProxies", {
  defaultValue: () => trustNone
})

export class TrustedProxyInvalid extends Schema.TaggedError<TrustedProxyInvalid>()("TrustedProxyInvalid", {
  entry: Schema.String
}) {
  override get message() {
    return `Expected addresses and networks as in 10.0.0.5,192.168.0.0/16,2001:db8::/32 but received "${this.entry}"`
  }
}

const DIGITS = /^\d{1,3}$/

const parseNetwork = (entry: string): Result.Result<readonly [Address, number], TrustedProxyInvalid> => {
  const invalid = Result.fail(new TrustedProxyInvalid({ entry }))
  const [text = "", prefix, ...rest] = entry.split("/")
  const address = text.includes("%") ? undefined : parseAddress(text)
  if (address === undefined || rest.length > 0) return invalid
  const bits = address.toByteArray().length * 8
  if (prefix === undefined) return Result.succeed([address, bits])
  // A prefix of a mapped IPv4 address counts from the beginning of the IPv6 one, where nobody means it.
  const isMapped = address.kind() === "ipv4" && text.includes(":")
  return DIGITS.test(prefix) && Number(prefix) <= bits && !isMapped
    ? Result.succeed([address, Number(prefix)])
    : invalid
}

/** Reads `TRUSTED_PROXIES`: addresses and networks (CIDR), separated by commas. Fails on the first that is wrong. */
export const parseTrustedProxies = (text: string): Result.Result<IsTrustedProxy, TrustedProxyInvalid> => {
  const entries = text.split(",").map((entry) => entry.trim())
  return Result.map(Result.all(entries.filter((entry) => entry !== "").map(parseNetwork)), (networks) => (given) => {
    const address = parseAddress(given)
    return (
      address !== undefined &&
      networks.some(([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix))
    )
  })
}

/** The address of a hop, which may have a port. A name, `unknown` and the like are none (RFC 7239, section 6). */
const HOP = /^(?:\[([\da-f:.]+)\]|(\d+(?:\.\d+){3}))(?::[\w.-]+)?$/i

const parseHop = (hop: string): string | undefined => {
  const [, ipv6, ipv4 = hop] = HOP.exec(hop) ?? []
  const text = ipv6 ?? ipv4
  return text.includes("%") ? undefined : parseAddress(text)?.toString()
}

/** The nearest address that is no trusted proxy, or the farthest known one where all are. */
const findUntrustedHop = (peer: string, hops: ReadonlyArray<string>, isTrusted: IsTrustedProxy): string => {
  let nearest = peer
  for (const hop of hops.toReversed()) {
    const address = isTrusted(nearest) ? parseHop(hop) : undefined
    if (address === undefined) return nearest
    nearest = address
  }
  return nearest
}

/** The hops of a `Forwarded`, the nearest last; none that can be read where it is malformed. */
const parseForwardedHops = (forwarded: string): ReadonlyArray<string> => {
  try {
    return parseForwarded(forwarded).map((element) => element["for"] ?? "unknown")
  } catch {
    return ["unknown"]
  }
}

const headerText = (header: string | ReadonlyArray<string> | undefined) => header?.toString() || undefined

/**
 * The address that a request comes from. A trusted proxy names it by `Forwarded` (RFC 7239) or `X-Forwarded-For`, which
 * are read from the right, past other trusted proxies: everything to the left of the first untrusted one may be invented.
 * Where both are there and differ, one may have come from the client through a proxy that writes only the other, so that
 * neither counts.
 */
export const findClientAddress = ({ headers, socket }: IncomingMessage, isTrusted: IsTrustedProxy): string => {
  const { remoteAddress = "unknown" } = socket
  // Of a socket that takes both kinds of address.
  const peer = remoteAddress.startsWith("::ffff:") ? (parseHop(`[${remoteAddress}]`) ?? remoteAddress) : remoteAddress
  const forwarded = headerText(headers["forwarded"])
  const forwardedFor = headerText(headers["x-forwarded-for"])
  if ((forwarded === undefined && forwardedFor === undefined) || !isTrusted(peer)) return peer
  const claims = new Set<string>()
  if (forwarded !== undefined) claims.add(findUntrustedHop(peer, parseForwardedHops(forwarded), isTrusted))
  if (forwardedFor !== undefined) {
    claims.add(
      findUntrustedHop(
        peer,
        forwardedFor.split(",").map((hop) => hop.trim()),
        isTrusted
      )
    )
  }
  const [claim = peer, other] = claims
  return other === undefined ? claim : peer
}
