/*
 * Works around the proxy middleware of `effect/http`, which does not read `Forwarded` (RFC 7239) and does not see
 * requests that bypass the router.
 */

import { Context, Result, Schema } from "effect"
import parseForwarded from "forwarded-parse"
import ipaddr from "ipaddr.js"
import type { IncomingMessage } from "node:http"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Parses a full address: no short or octal IPv4. An IPv4-mapped IPv6 address becomes IPv4. */
const parseAddress = (text: string): Address | undefined => {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : undefined
}

/** Tests for a peer whose `Forwarded` and `X-Forwarded-For` headers are trusted. */
export type IsTrustedProxy = (address: string) => boolean

export const trustNone: IsTrustedProxy = () => false

/** The trusted proxies in front of the service. None by default. */
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
  // The prefix of a mapped address counts from the start of the IPv6 address, which is never what was meant.
  const isMapped = address.kind() === "ipv4" && text.includes(":")
  return DIGITS.test(prefix) && Number(prefix) <= bits && !isMapped
    ? Result.succeed([address, Number(prefix)])
    : invalid
}

/** Parses `TRUSTED_PROXIES`: addresses and networks (CIDR), separated by commas. Fails with the first invalid entry. */
export const parseTrustedProxies = (text: string): Result.Result<IsTrustedProxy, TrustedProxyInvalid> => {
  const entries = text.split(",").map((entry) => entry.trim())
  return Result.map(Result.all(entries.filter((entry) => entry !== "").map(parseNetwork)), (networks) => (peer) => {
    const address = parseAddress(peer)
    return (
      address !== undefined &&
      networks.some(([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix))
    )
  })
}

/** The address of a hop and its optional port. Names and `unknown` do not match (RFC 7239, section 6). */
const HOP = /^(?:\[([\da-f:.]+)\]|(\d+(?:\.\d+){3}))(?::[\w.-]+)?$/i

const parseHop = (hop: string): string | undefined => {
  const [, ipv6, ipv4 = hop] = HOP.exec(hop) ?? []
  const text = ipv6 ?? ipv4
  return text.includes("%") ? undefined : parseAddress(text)?.toString()
}

/** Finds the nearest address that is not a trusted proxy, or the farthest known address if all are trusted. */
const findUntrustedHop = (peer: string, hops: ReadonlyArray<string>, isTrusted: IsTrustedProxy): string => {
  let nearest = peer
  for (const hop of hops.toReversed()) {
    const address = isTrusted(nearest) ? parseHop(hop) : undefined
    if (address === undefined) return nearest
    nearest = address
  }
  return nearest
}

/** Parses the hops of a `Forwarded` header, the nearest last. A malformed header has one unknown hop. */
const parseForwardedHops = (forwarded: string): ReadonlyArray<string> => {
  try {
    return parseForwarded(forwarded).map((element) => element["for"] ?? "unknown")
  } catch {
    return ["unknown"]
  }
}

const headerText = (header: string | ReadonlyArray<string> | undefined) => header?.toString() || undefined

/**
 * Finds the address of the client. A trusted proxy names it in `Forwarded` (RFC 7239) or `X-Forwarded-For`. Both are read
 * from the right, past other trusted proxies, because a client can invent everything left of the first untrusted address.
 * If both headers exist and differ, neither is used: a proxy that writes only one passes the other on from the client.
 */
export const findClientAddress = ({ headers, socket }: IncomingMessage, isTrusted: IsTrustedProxy): string => {
  const { remoteAddress = "unknown" } = socket
  // A dual-stack socket reports IPv4 peers as mapped addresses.
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
