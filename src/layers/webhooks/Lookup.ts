import type { LookupAddress, promises } from "node:dns"
import type { LookupFunction } from "node:net"
import { isPublic } from "../../domain/webhooks/Address.ts"

/** A name that leads to no receiver. The message is for a person, and tells no address: those may be of inner networks. */
export class LookupFailed extends Error {}

type Found = Array<LookupAddress> | LookupFailed

/** Calls back in the form that was asked for: every address, or the first. */
const answer = (found: Found, all: boolean | undefined, callback: Parameters<LookupFunction>[2]) => {
  if (found instanceof LookupFailed) return callback(found, [])
  const [first] = found
  return all === true || first === undefined ? callback(null, found) : callback(null, first.address, first.family)
}

const addressesOf = (records: PromiseSettledResult<ReadonlyArray<string>>, family: 4 | 6): Array<LookupAddress> =>
  records.status === "fulfilled" ? records.value.map((address) => ({ address, family })) : []

const isUnknown = (reason: unknown) =>
  reason instanceof Error && "code" in reason && (reason.code === "ENOTFOUND" || reason.code === "ENODATA")

const resolve = async (resolver: promises.Resolver, hostname: string): Promise<Found> => {
  const records = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const found = [...addressesOf(records[0], 4), ...addressesOf(records[1], 6)]
  if (found.length > 0) return found
  const isGone = records.every((answer) => answer.status === "fulfilled" || isUnknown(answer.reason))
  return new LookupFailed(`The host ${hostname} ${isGone ? "has no address in DNS" : "gets no answer from DNS"}`)
}

/**
 * Asks DNS itself, for IPv4 and IPv6 at once. Node's own `dns.lookup` waits in the four threads that also read files:
 * a handful of names whose servers do not answer would hold up every other request. Nor does this read `/etc/hosts`.
 */
export const lookupBy =
  (resolver: promises.Resolver): LookupFunction =>
  (hostname, { all }, callback) =>
    void resolve(resolver, hostname).then((found) => answer(found, all, callback))

const isPublicOnly = (addresses: ReadonlyArray<LookupAddress>) =>
  addresses.length > 0 && addresses.every(({ address }) => isPublic(address))

/**
 * A lookup that gives only public addresses, and none at all if one of them is not. The socket connects to what this
 * gives, so that no second answer of DNS comes between the check and the use. A literal address never gets here.
 */
export const guarded =
  (lookup: LookupFunction): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found, family = 0) => {
      if (error !== null) return callback(error, [])
      const addresses = typeof found === "string" ? [{ address: found, family }] : found
      const isNotPublic = new LookupFailed(`The host ${hostname} leads to an address that is not public`)
      return answer(isPublicOnly(addresses) ? addresses : isNotPublic, options.all, callback)
    })
