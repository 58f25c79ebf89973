import type { LookupAddress, promises } from "node:dns"
import type { LookupFunction } from "node:net"
import { isPublic } from "../../domain/webhooks/Address.ts"

/** A host without a usable address. The message is shown to people and names no address, which may be internal. */
export class LookupFailed extends Error {}

type LookupResult = Array<LookupAddress> | LookupFailed

/** Calls back in the requested form: every address, or the first. */
const answer = (found: LookupResult, all: boolean | undefined, callback: Parameters<LookupFunction>[2]) => {
  if (found instanceof LookupFailed) return callback(found, [])
  const [first] = found
  return all === true || first === undefined ? callback(null, found) : callback(null, first.address, first.family)
}

const addressesOf = (records: PromiseSettledResult<ReadonlyArray<string>>, family: 4 | 6): Array<LookupAddress> =>
  records.status === "fulfilled" ? records.value.map((address) => ({ address, family })) : []

const isUnknown = (reason: unknown) =>
  reason instanceof Error && "code" in reason && (reason.code === "ENOTFOUND" || reason.code === "ENODATA")

const resolve = async (resolver: promises.Resolver, hostname: string): Promise<LookupResult> => {
  const records = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const found = [...addressesOf(records[0], 4), ...addressesOf(records[1], 6)]
  if (found.length > 0) return found
  const isGone = records.every((answer) => answer.status === "fulfilled" || isUnknown(answer.reason))
  return new LookupFailed(`The host ${hostname} ${isGone ? "has no address in DNS" : "gets no answer from DNS"}`)
}

/**
 * Queries DNS for IPv4 and IPv6 in parallel, and does not read `/etc/hosts`. Node's `dns.lookup` runs on the four
 * threads that also read files: a few names whose servers do not answer would delay every other request.
 */
export const lookupBy =
  (resolver: promises.Resolver): LookupFunction =>
  (hostname, { all }, callback) =>
    void resolve(resolver, hostname).then((found) => answer(found, all, callback))

const isPublicOnly = (addresses: ReadonlyArray<LookupAddress>) =>
  addresses.length > 0 && addresses.every(({ address }) => isPublic(address))

/**
 * Restricts a lookup to hosts whose addresses are all public. The socket connects to these very addresses, so a second
 * DNS answer cannot come between check and use. Node does not look up literal addresses: `checkUrl` judges those.
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
